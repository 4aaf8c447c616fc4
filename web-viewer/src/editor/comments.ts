// Marks the texts of comments, which move with the text.
import { StateEffect, StateField, type EditorState, type Extension, type Range } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';
import type { CommentMark } from './mount';

export const putComments = StateEffect.define<readonly CommentMark[]>();

function decorations(marks: readonly CommentMark[], length: number): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const { id, from, to } of marks) {
    if (from < to && to <= length) ranges.push(Decoration.mark({ class: 'cm-comment', attributes: { 'data-comment': id }, id }).range(from, to));
  }
  return Decoration.set(ranges, true);
}

const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(now, { changes, effects, state }) {
    let next = now.map(changes);
    for (const effect of effects) if (effect.is(putComments)) next = decorations(effect.value, state.doc.length);
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Where the text of a comment is. */
export function placeOfComment(state: EditorState, id: string): { from: number; to: number } | null {
  let found: { from: number; to: number } | null = null;
  state.field(marked, false)?.between(0, state.doc.length, (from, to, { spec }) => {
    if ((spec as { id?: string }).id !== id) return;
    found = { from, to };
    return false;
  });
  return found;
}

export function comments(onChoose: (id: string) => void): Extension {
  return [
    marked,
    EditorView.domEventHandlers({
      click: (event, view) => {
        const mark = event.target instanceof Element ? event.target.closest<HTMLElement>('.cm-comment') : null;
        const id = mark?.dataset['comment'];
        if (id && view.state.selection.main.empty) onChoose(id);
      },
    }),
  ];
}
