// undefined.
import type { shortcuts as english } from '../en/shortcuts';

export const shortcuts = {
  groups: { pages: 'ページ', navigation: '移動', view: '表示' },
  editor: {
    link: 'ページへのリンク (# で見出し、| でリンクの種類)',
    accept: '候補を確定',
    follow: 'リンクをたどる',
    tick: 'タスクの完了を切り替え',
    preview: 'リンクをプレビュー',
    bold: '太字',
    boldSelected: '選択した文字を太字にする',
    indent: 'リストとコードの字下げ・解除、表の次のセル',
    leave: '次の Tab で本文の外へ移動',
    italic: '斜体',
    code: 'コード',
    linkSelected: 'ページへのリンク',
    heading: '見出し',
    list: 'リスト',
    toolbar: '書式ツールバーへ移動',
    find: '検索と置換',
    undo: '元に戻す・やり直し',
  },
  lists: {
    move: '上下に移動',
    fold: 'フォルダーを閉じる・開く',
    favourite: 'お気に入りに追加・削除 (サイドバー)',
    actions: 'ページやフォルダーの操作 (サイドバー)',
    change: 'ページの名前変更・削除 (サイドバー)',
    select: 'ページを選択 (確認が必要なページ)',
    close: 'ダイアログやパネルを閉じる',
  },
  or: 'または',
  title: 'キーボードショートカット',
  inEditor: 'エディター内',
  inLists: '一覧内',
  about: (keys) => `1 文字のショートカットは、文字の入力中以外に使えます。ブラウザーが ${keys} を使っている場合は、もう一方のキーを使ってください。`,
} satisfies typeof english;
