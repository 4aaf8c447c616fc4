// Marks the texts of comments, which move with the text.
import { ChangeSet, StateEffect, StateField, type EditorState, type Extension, type Range } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';
import { leastChange } from './least-change';
import type { CommentMark, Quote } from './mount';

/** Characters on each side of a text to comment on. */
const QUOTE_CONTEXT = 200;

const putComments = StateEffect.define<readonly CommentMark[]>();

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

/** Shows marks that are places in the text `of`, or in that of the editor with null. */
export function showComments(state: EditorState, marks: readonly CommentMark[], of: string | null): StateEffect<readonly CommentMark[]> {
  const text = state.doc.toString();
  if (of === null || of === text) return putComments.of(marks);
  const moved = ChangeSet.of(leastChange(of, text), of.length);
  const there = marks.filter(({ to }) => to <= moved.length);
  return putComments.of(there.map(({ id, from, to }) => ({ id, from: moved.mapPos(from, 1), to: moved.mapPos(to, -1) })));
}

/** The selected text, to comment on. */
export function quoteOf(state: EditorState): Quote | null {
  const { from, to } = state.selection.main;
  const quote = state.sliceDoc(from, to);
  if (!quote.trim()) return null;
  // Of a selection of whole lines, the line break belongs to no text.
  const end = to - (quote.length - quote.trimEnd().length);
  const start = from + (quote.length - quote.trimStart().length);
  const around = (a: number, b: number) => state.sliceDoc(Math.max(0, a), Math.min(state.doc.length, b));
  return { quote: quote.trim(), before: around(start - QUOTE_CONTEXT, start), after: around(end, end + QUOTE_CONTEXT), position: [...state.sliceDoc(0, start)].length };
}

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
