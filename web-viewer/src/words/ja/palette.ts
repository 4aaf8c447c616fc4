// The palette.
import { number, megabytes } from '../format';
import type { palette as english } from '../en/palette';

export const palette = {
  byMeaning: '意味と語句で一致',
  inText: '本文',
  new: '新規',
  more: 'ほかのページ…',
  pages: 'ページ',
  commands: 'コマンド',
  recent: '最近使ったもの',
  corrected: (query) => `「${query}」の検索結果を表示しています`,
  nearby: 'リンクでつながるページ',
  labelWithCommands: 'ページ、本文、コマンドを検索',
  label: 'ページと本文を検索',
  create: (name) => `ページを作成: 「${name}」`,
  also: '別名 {name}',
  search: '検索',
  placeholder: '検索 (> でコマンド)',
  close: '検索を閉じる',
  results: '検索結果',
  none: (query) => `「${query}」に一致する結果はありません。`,
  tryOther: '語句を減らすか、別の語句をお試しください。ページは名前の一部だけでも見つかります。',
  loading: (done, total) => `検索を読み込み中: ${megabytes(done)} / ${megabytes(total)}`,
  loadingMeaning: (done, total) => `意味検索を読み込み中: ${megabytes(done)} / ${megabytes(total)}`,
  enable: (bytes) => `意味検索を有効にする (初回のみ ${megabytes(bytes)} をダウンロード)`,
  unavailable: (why) => `意味検索は利用できません: ${why}`,
  again: '再試行',
  indexing: (done, total) => `意味検索のインデックスを作成中: ${number(done)} / ${number(total)}`,
  keys: { select: '選択', open: '開く', openInTab: '新しいタブで開く', close: '閉じる' },
  count: (count) => `${number(count)} 件の結果`,
} satisfies typeof english;
