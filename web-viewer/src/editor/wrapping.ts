// A mark typed over a selection goes around it, instead of replacing it. Never during a composition.
import { EditorSelection, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { around } from './tree';

const CLOSING: Record<string, string> = { '*': '*', _: '_', '`': '`', '[': ']', '(': ')', '"': '"' };
/** Marks of Markdown have no meaning in code. */
const ONLY_TEXT = new Set(['*', '_']);

export const wrapping: Extension = EditorView.inputHandler.of((view, from, to, text) => {
  const { state } = view;
  const close = CLOSING[text];
  const { main } = state.selection;
  if (!close || view.compositionStarted || state.readOnly || main.empty || from !== main.from || to !== main.to) return false;
  if (ONLY_TEXT.has(text) && around(state, from, 1, /^(FencedCode|CodeBlock|Frontmatter)$/)) return false;
  const change = state.changeByRange((range) => {
    if (range.empty) return { changes: { from: range.from, insert: text }, range: EditorSelection.cursor(range.from + text.length) };
    const changes = [
      { from: range.from, insert: text },
      { from: range.to, insert: close },
    ];
    return { changes, range: EditorSelection.range(range.anchor + 1, range.head + 1) };
  });
  view.dispatch(state.update(change, { userEvent: 'input.type', scrollIntoView: true }));
  return true;
});
