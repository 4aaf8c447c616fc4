// Tabs of pages.
import type { tabs as english } from '../en/tabs';

export const tabs = {
  title: 'タブ',
  list: '開いているページ',
  count: (count) => `タブ: ${count}`,
  tab: (name) => `タブ: ${name}`,
  unsaved: '、未保存',
  topFolder: '最上位のフォルダー',
  new: '新しいタブ',
  newKeys: (keys) => `新しいタブ (${keys})`,
  close: 'タブを閉じる',
  closeKeys: (keys) => `タブを閉じる (${keys})`,
  closeOthers: 'ほかのタブを閉じる',
  moveLeft: '左へ移動',
  moveRight: '右へ移動',
} satisfies typeof english;
