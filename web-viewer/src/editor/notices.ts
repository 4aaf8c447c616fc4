// A notice in one line above the text, until it is closed or times out.
import { getChunks } from '@codemirror/merge';
import { StateEffect, StateField } from '@codemirror/state';
import { EditorView, showPanel, type Panel } from '@codemirror/view';
import { writing } from '../words/writing';

export interface Notice {
  text: string;
  /** A way to undo, if there is one. */
  action?: { label: string; run: (view: EditorView) => void };
}

export const setNotice = StateEffect.define<Notice | null>();

const STAYS = 12_000;
/** Milliseconds for a notice with an action, which somebody may still want. */
const STAYS_WITH_ACTION = 60_000;

function panel(notice: Notice): (view: EditorView) => Panel {
  return (view) => {
    const dom = document.createElement('div');
    dom.className = 'cm-editor-notice';
    const text = document.createElement('p');
    text.setAttribute('role', 'status');
    text.textContent = notice.text;
    dom.append(text);
    const close = () => view.dispatch({ effects: setNotice.of(null) });
    const add = (label: string, run: () => void) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'button';
      button.textContent = label;
      button.addEventListener('click', run);
      dom.append(button);
    };
    const { action } = notice;
    if (action) {
      add(action.label, () => {
        close();
        action.run(view);
        view.focus();
      });
    }
    add(writing.editor.close, () => {
      close();
      view.focus();
    });
    const timer = setTimeout(close, action ? STAYS_WITH_ACTION : STAYS);
    return { dom, top: true, destroy: () => clearTimeout(timer) };
  };
}

export const notices = StateField.define<Notice | null>({
  create: () => null,
  update(notice, transaction) {
    for (const effect of transaction.effects) if (effect.is(setNotice)) return effect.value;
    // A conflict says what matters now.
    return getChunks(transaction.state) ? null : notice;
  },
  provide: (field) => showPanel.from(field, (notice) => notice && panel(notice)),
});

export function tell(view: EditorView, notice: Notice): void {
  view.dispatch({ effects: [setNotice.of(notice), EditorView.announce.of(notice.text)] });
}
