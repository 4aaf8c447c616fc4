// Opening a folder in the browser.
import { number } from '../format';
import type { folder as english } from '../en/folder';

export const folder = {
  onlyFolders: 'ここで開けるのはフォルダーだけです。',
  drop: 'フォルダーをドロップして開く',
  noUpload: '何もアップロードされません。',
  isOpen: (name, pages) => `${name} を開きました: ${number(pages)} ページ。`,
  loading: '読み込み中…',
  reading: (done, total) => `ファイルを読み込み中… (${number(done)} / ${number(total)})`,
  scanning: (done) => `フォルダーを調べています: ${number(done)} ファイル…`,
  indexing: (total) => `${number(total)} ファイルのインデックスを作成中…`,
  open: 'フォルダーを開く',
  about: 'Markdown ファイルのフォルダーをどこかにドロップするか、選択してください。読み込みとインデックスの作成はブラウザーの中で行われます。アップロードは行われず、このページを閉じた後には何も残りません。',
  progress: '進行状況',
  choose: 'フォルダーを選択…',
  back: (site) => `${site} に戻る`,
} satisfies typeof english;
