// Menus of pages and folders.
import type { menu as english } from '../en/menu';

export const menu = {
  openBeside: '横に開く',
  openInEditor: '外部エディターで開く',
  showFile: 'ファイルマネージャーで表示',
  copyLink: 'リンクをコピー',
  copyPath: 'パスをコピー',
  rename: '名前を変更…',
  move: '移動…',
  delete: '削除…',
  newHere: 'ここに新規ページ…',
  newTab: '新しいタブで開く',
} satisfies typeof english;
