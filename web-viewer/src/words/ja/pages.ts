// The page list.
import { number } from '../format';
import type { pages as english } from '../en/pages';

export const pages = {
  freshness: '鮮度',
  any: 'すべて',
  type: '種類',
  allTypes: 'すべての種類',
  tag: 'タグ',
  allTags: 'すべてのタグ',
  sortBy: '並べ替え',
  title: 'タイトル',
  modified: '更新日',
  linksTitle: 'リンク数',
  views: { pages: 'ページ', folders: 'フォルダー', tags: 'タグ' },
  filter: 'ページを絞り込む',
  loading: 'ページを読み込み中…',
  noProject: 'プロジェクトが開かれていません。',
  openFolder: 'フォルダーを開く',
  showBy: '表示方法',
  sort: '並べ替え',
  andFilter: 'と絞り込み',
  all: 'すべてのページ',
  none: 'ページはまだありません。',
  noMatch: '一致するページがありません。',
  showAll: (count) => `${number(count)} 件すべてを表示`,
  pages: (count) => `${number(count)} ページ`,
  links: (count) => `${number(count)} リンク`,
  some: (shown, all) => `${number(all)} ページ中 ${number(shown)} ページ`,
  untagged: 'タグなし',
} satisfies typeof english;
