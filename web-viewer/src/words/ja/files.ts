// Files of the project.
import { number } from '../format';
import type { files as english } from '../en/files';

export const files = {
  textOf: (path) => `${path} のテキスト`,
  bytes: (count) => `${number(count)} バイト`,
  lineRange: (first, last) => (first === last ? `${first} 行目` : `${first}～${last} 行目`),
  lines: (count) => `${number(count)} 行`,
  back: 'ページに戻る',
  describedBy: '説明しているページ: {pages}',
  comma: '、',
  open: 'ファイルを開く',
  sources: 'ソース',
  noFile: '一致するファイルがプロジェクトにありません',
  matchesNone: '、一致するファイルなし',
  fewer: '表示を減らす',
  all: (count) => `${number(count)} 件すべてを表示`,
} satisfies typeof english;
