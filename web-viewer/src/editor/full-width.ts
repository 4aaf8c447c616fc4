// `［［`, as Japanese keyboards type it, starts a link like `[[`. Never during a composition; one undo brings it back.
import { startCompletion } from '@codemirror/autocomplete';
import { isolateHistory } from '@codemirror/commands';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { isText } from './smart-linking';

const WIDE = '［［';

function link(view: EditorView): void {
  const { state } = view;
  const { main } = state.selection;
  const from = main.head - WIDE.length;
  if (!main.empty || from < 0 || state.readOnly || view.compositionStarted) return;
  if (state.sliceDoc(from, main.head) !== WIDE || !isText(state, main.head)) return;
  view.dispatch({
    changes: { from, to: main.head, insert: '[[]]' },
    selection: { anchor: from + 2 },
    annotations: isolateHistory.of('full'),
    userEvent: 'input.type',
  });
  startCompletion(view);
}

// After the event: the composition has then ended, and its text is in the document.
const soon = (view: EditorView) => void setTimeout(() => link(view));

export const fullWidth: Extension = [
  EditorView.updateListener.of(({ view, transactions }) => {
    if (transactions.some((transaction) => transaction.docChanged && transaction.isUserEvent('input.type'))) soon(view);
  }),
  EditorView.domEventHandlers({ compositionend: (_, view) => soon(view) }),
];
