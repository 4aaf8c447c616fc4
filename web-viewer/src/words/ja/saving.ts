// Saving.
import type { saving as english } from '../en/saving';

export const saving = {
  movedTo: (asked, found) => `${asked} は移動または削除されました。${found} が同じ名前です。`,
  slow: 'サーバーの応答に時間がかかりすぎています。',
  restored: '保存されていなかった編集を復元しました。',
  merged: 'ファイルがディスク上でも変更されました。両方の編集を統合しました。',
  mergedAgain: 'ファイルがディスク上で再び変更されました。両方の編集を統合しました。',
  conflict: 'ファイルの同じ箇所がディスク上でも変更されました。どちらを残すか選んでください。',
} satisfies typeof english;
