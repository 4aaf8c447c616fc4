// The page that is shown when an address cannot be reached.
import type { offline as english } from '../en/offline';

export const offline: typeof english = {
  title: 'オフラインです',
  notKept: 'このページはこの端末にありません。以前に開いたページは、接続がなくても読めます。',
  kept: 'この端末にあるページ',
  notRunning: 'サーバーが動いていません',
  start: '`ubp viewer` をもう一度起動してください。このページはそのあと自動的に開きます。',
  again: 'もう一度試す',
};
