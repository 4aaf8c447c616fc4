// The projects of a hub.
import type { hub as english } from '../en/hub';
import { number } from '../format';

export const hub = {
  projects: 'プロジェクト',
  all: 'すべてのプロジェクト',
  switch: '、プロジェクトを切り替え',
  filter: 'プロジェクトを絞り込む',
  search: 'すべてのプロジェクトを検索',
  none: 'その名前やタグのプロジェクトはありません。',
  loading: 'プロジェクトを読み込み中…',
  pages: (count) => `${number(count)} ページ`,
  stale: (count) => `要更新 ${number(count)} 件`,
  unsure: (count) => `古い可能性あり ${number(count)} 件`,
  readOnly: '読み取り専用',
  here: '表示中',
  unreadable: '読み取れません:',
  sick: '問題:',
  listProblem: 'プロジェクトの一覧を読み取れないため、以前のまま表示しています:',
  failed: (names) => `検索していないプロジェクト: ${names}`,
  elsewhere: (project) => `プロジェクト ${project} のページ`,
  commands: {
    projects: { label: 'プロジェクトを切り替え…', words: 'ハブ リポジトリー 他 開く' },
    all: { label: 'すべてのプロジェクト', words: 'ハブ ホーム 一覧' },
  },
} satisfies typeof english;
