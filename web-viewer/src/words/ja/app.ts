// Errors and buttons of all parts.
import type { app as english } from '../en/app';

export const app = {
  noAnswer: 'サーバーが応答しません。',
  stillRunning: '`ubp viewer` は動いていますか？',
  status: (status) => `サーバーがステータス ${status} を返しました。`,
  notForGuests: 'このリンクではこの操作はできません。',
  linkOver: 'リンクの期限が切れたか、取り消されました。',
  askForLink: 'ページを共有している人に新しいリンクを頼んでください。',
  notLoaded: (what, status) => `${what} を読み込めませんでした${status ? ` (${status})` : ''}。`,
  checkConnection: '接続を確認して、もう一度お試しください。',
  offline: 'オフラインです。以前に開いたページは読めます。',
  notKept: 'オフラインのため、この端末にないものは表示できません。',
  closed: 'プロジェクトは閉じられました。',
  noEngine: 'このビルドにはブラウザー用のエンジンがありません。`ubp viewer` でのみ動作します。',
  noStart: 'エンジンを起動できませんでした。',
  crashed: 'エンジンが異常終了したため、再起動しました。',
  problem: '問題',
  partNotLoaded: 'アプリの一部を読み込めませんでした。',
  again: '再試行',
  dismiss: '閉じる',
  close: '閉じる',
  noPages: (folder) => `「${folder}」に Markdown ファイルがありません。`,
  pagesEnd: 'ページは、名前が .md または .markdown で終わるファイルです。',
  notOpen: 'プロジェクトはまだ開かれていません。',
} satisfies typeof english;
