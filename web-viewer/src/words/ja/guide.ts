// The first steps of a writer.
import type { guide as english } from '../en/guide';

export const guide = {
  write: '書く',
  writeHow: 'ページはこのプロジェクトの Markdown ファイルです。編集内容は入力と同時に保存されます。ほかのプログラムがファイルを変更すると、その変更がここに表示されます。',
  link: 'つなぐ',
  linkHow: '`[[` と名前を入力します。ページがまだなければ、その場で作成できます。名前の後に `|` を付けると、リンクの種類を選べます。',
  find: '探す',
  findHow: '{search} で名前、本文、意味を検索し、コマンドを実行できます。{shortcuts} ですべてのショートカットを表示します。',
  trust: '保つ',
  trustHow: 'ページが説明するコードを、先頭の {fence} の行の間に `source_refs: [src/login.js]` のように書きます。そのコードが変更されると、ページに要確認の印が付きます。',
  title: 'はじめに',
} satisfies typeof english;
