// The cursors and selections of others, in their colours.
import { StateEffect, StateField, type Range } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import { look } from './look';

export interface Cursor {
  id: number;
  name: string;
  colour: number;
  anchor: number;
  head: number;
  /** Differs after each move, which shows the name again. */
  turn: number;
}

/** Number of colours; they are used again after that. */
export const COLOURS = 8;

export const putCursor = StateEffect.define<Cursor>({
  map: (cursor, changes) => ({ ...cursor, anchor: changes.mapPos(cursor.anchor, -1), head: changes.mapPos(cursor.head, -1) }),
});
/** The colour of agents. */
export const AGENT_COLOUR = COLOURS;

/** Removes a cursor, unless it has moved since. */
export const dropCursor = StateEffect.define<{ id: number; turn: number }>();
/** Removes the cursors of everybody else. */
export const keepCursors = StateEffect.define<ReadonlyMap<number, { name: string; colour: number }>>();

class Caret extends WidgetType {
  constructor(readonly cursor: Cursor) {
    super();
  }

  override eq({ cursor: { id, turn, name, colour } }: Caret): boolean {
    return id === this.cursor.id && turn === this.cursor.turn && name === this.cursor.name && colour === this.cursor.colour;
  }

  override toDOM(): HTMLElement {
    const { name, colour } = this.cursor;
    const caret = document.createElement('span');
    caret.className = `cm-guest cm-guest-${colour}`;
    caret.setAttribute('aria-hidden', 'true');
    const label = document.createElement('span');
    label.className = 'cm-guest-name';
    label.textContent = name;
    // Zero-width, so that lines keep their height.
    caret.append('\u2060', label);
    return caret;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

function decorations(cursors: readonly Cursor[]): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const cursor of cursors) {
    const [from, to] = [Math.min(cursor.anchor, cursor.head), Math.max(cursor.anchor, cursor.head)];
    if (from < to) ranges.push(Decoration.mark({ class: `cm-guest-selection cm-guest-${cursor.colour}` }).range(from, to));
    ranges.push(Decoration.widget({ widget: new Caret(cursor), side: 1 }).range(cursor.head));
  }
  return Decoration.set(ranges, true);
}

const cursors = StateField.define<readonly Cursor[]>({
  create: () => [],
  update(cursors, transaction) {
    const { changes, effects } = transaction;
    let now = cursors;
    if (transaction.docChanged) now = now.map((cursor) => ({ ...cursor, anchor: changes.mapPos(cursor.anchor, -1), head: changes.mapPos(cursor.head, -1) }));
    for (const effect of effects) {
      if (effect.is(putCursor)) now = [...now.filter(({ id }) => id !== effect.value.id), effect.value];
      if (effect.is(dropCursor)) now = now.filter(({ id, turn }) => id !== effect.value.id || turn !== effect.value.turn);
      if (effect.is(keepCursors)) now = now.filter(({ id }) => id < 0 || effect.value.has(id)).map((cursor) => ({ ...cursor, ...effect.value.get(cursor.id) }));
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field, decorations),
});

export function cursorOf(view: EditorView, id: number): number | null {
  return view.state.field(cursors, false)?.find((cursor) => cursor.id === id)?.head ?? null;
}

export const guests = [cursors, look];
