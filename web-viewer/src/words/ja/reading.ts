// A page and what is around it.
import { number } from '../format';
import type { reading as english } from '../en/reading';

export const reading = {
  diagrams: '図',
  diagram: '図',
  lateDrawing: '図の描画に時間がかかりすぎています。',
  noDiagrams: '図を読み込めませんでした。',
  noMermaid: 'Mermaid を読み込めませんでした。',
  noDrawing: '図ではありません。',
  preview: 'プレビュー',
  nothing: '見出し、リンク、バックリンクはありません。',
  freshnessTitle: '鮮度',
  onThisPage: 'このページの内容',
  backlinks: 'バックリンク',
  noBacklinks: 'バックリンクはまだありません。',
  showAll: (count) => `${number(count)} 件すべてを表示`,
  broken: 'リンク切れ',
  createPage: 'このページを作成',
  sourceIs: (reason) => `{file}: ${reason}。`,
  code: 'コード',
  table: '表',
  withTag: (tag) => `タグ #${tag} のページ`,
  updated: (date) => `${date} 更新`,
  freshness: {
    fresh: { label: '最新', meaning: '最後の編集または確認の後、このページが説明するコードは変更されていません。' },
    possibly_stale: { label: '古い可能性あり', meaning: 'このページが説明するコードが最近変更されました。' },
    stale: { label: '要更新', meaning: '最後の編集または確認の後、このページが説明するコードが変更されました。' },
    untracked: { label: '追跡なし', meaning: 'このページにはソースファイルの指定がありません。' },
  },
  reasons: {
    changed: 'ページより後に変更されました',
    body_changed: '変更されましたが、契約（シグネチャ）は同じです',
    contract_changed: '契約（シグネチャ）が変わりました',
    missing: 'もう存在しません',
    unknown_shallow_clone: '履歴が不完全なため比較できません',
    page_edited_after_source: '変更されました。その後ページは編集されましたが、確認されていません',
    suspect: '更新が必要なページで、このページの前提になっています',
    expired: '自身の stale_after により期限切れです',
  },
  nowAt: (path) => `。現在は ${path} です`,
} satisfies typeof english;
