// The bar, the layers, and commands of every project.
import type { shell as english } from '../en/shell';

export const shell = {
  pageList: 'ページ一覧',
  search: '検索',
  yourFolder: 'あなたのフォルダー',
  onlyHere: ' (このブラウザーのみ)',
  graph: 'グラフ',
  click: 'クリック',
  about: 'このページについて',
  settings: '設定',
  pages: 'ページ',
  nothing: '検索できるものがまだありません。',
  openFolder: 'フォルダーを開く',
  loadingSearch: '検索を読み込み中…',
  loadingGraph: 'グラフを読み込み中…',
  loadingProject: 'プロジェクトを読み込み中…',
  welcome: 'ページのフォルダーを開く',
  welcomeAbout: 'Markdown ファイルのフォルダーをこのウィンドウにドロップするか、選択してください。ページを読み、検索し、グラフをたどることができます。何もアップロードされません。',
  choose: 'フォルダーを選択…',
  loadingPage: 'ページを読み込み中',
  commands: {
    search: { label: 'ページ、本文、コマンドを検索', words: '' },
    sidebar: { label: 'サイドバーの表示を切り替え', words: 'ページ一覧 開く 閉じる' },
    graph: { label: 'グラフ', words: '地図 リンク' },
  },
  skip: 'ページ本文へ移動',
} satisfies typeof english;
