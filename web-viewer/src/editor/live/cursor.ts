// Where the source is shown: at the cursor. While the pointer is pressed or an input method composes, nothing opens or closes,
// because the text would move under the pointer, and the composition would break.
//
// **Invariants**
// - Decorations are only mapped during a composition (`viewer/live-preview`, "a composition beside hidden marks").
import { Facet, StateEffect, StateField, type EditorState, type Extension, type SelectionRange, type Transaction } from '@codemirror/state';
import { EditorView, ViewPlugin } from '@codemirror/view';
import { onRegistered } from './blocks';

/** Milliseconds after the end of a composition until its text is in the document. */
const AFTER_COMPOSITION = 80;

/** What the user is doing. Not part of the state, because it must be known within the event that changes it. */
class Hands {
  isComposing = false;
  isPressed = false;
}

const hands = Facet.define<Hands, Hands>({ combine: ([first]) => first ?? new Hands() });

/** A composition or a selection by pointer ended, or a renderer was registered: decorations have to be made again. */
export const settled = StateEffect.define<null>();
const focused = StateEffect.define<null>();

interface Cursor {
  /** Null until the text has had the focus: then nothing is open. */
  ranges: readonly SelectionRange[] | null;
}

/** A box of a task is clicked without a cursor. */
const isPlaced = (transaction: Transaction) =>
  transaction.effects.some((effect) => effect.is(focused)) || (['select', 'input', 'delete'].some((event) => transaction.isUserEvent(event)) && !transaction.isUserEvent('input.task'));

const cursor = StateField.define<Cursor>({
  create: () => ({ ranges: null }),
  update(value, transaction) {
    if (value.ranges === null && !isPlaced(transaction)) return value;
    const now = transaction.state.selection.ranges;
    if (!transaction.state.facet(hands).isPressed || value.ranges === null) return now === value.ranges ? value : { ranges: now };
    return transaction.docChanged ? { ranges: value.ranges.map((range) => range.map(transaction.changes)) } : value;
  },
});

export const isComposing = (state: EditorState): boolean => state.facet(hands).isComposing;

/** Whether a transaction may open or close something. */
export function movesCursor({ startState, state, effects }: Transaction): boolean {
  return startState.field(cursor, false) !== state.field(cursor) || effects.some((effect) => effect.is(settled));
}

/** Whether the cursor or a part of the selection is in the range or at its edge. */
export function isTouched(state: EditorState, from: number, to: number): boolean {
  return state.field(cursor).ranges?.some((range) => range.from <= to && range.to >= from) ?? false;
}

/** Whether an end of the selection is in the range or at its edge. A block that is selected as a whole stays rendered. */
export function isEntered(state: EditorState, from: number, to: number): boolean {
  const isIn = (pos: number) => pos >= from && pos <= to;
  return state.field(cursor).ranges?.some(({ anchor, head }) => isIn(anchor) || isIn(head)) ?? false;
}

const watch = ViewPlugin.fromClass(
  class {
    #timer: ReturnType<typeof setTimeout> | undefined;
    readonly #unlisten: () => void;
    readonly #release = () => {
      const { isPressed } = this.view.state.facet(hands);
      if (!isPressed) return;
      this.view.state.facet(hands).isPressed = false;
      this.#settle();
    };

    constructor(readonly view: EditorView) {
      window.addEventListener('pointerup', this.#release);
      window.addEventListener('pointercancel', this.#release);
      window.addEventListener('dragend', this.#release);
      const stop = onRegistered(() => this.#settle());
      this.#unlisten = () => {
        stop();
        window.removeEventListener('pointerup', this.#release);
        window.removeEventListener('pointercancel', this.#release);
        window.removeEventListener('dragend', this.#release);
      };
    }

    composes(isComposing: boolean): void {
      clearTimeout(this.#timer);
      const own = this.view.state.facet(hands);
      if (isComposing) own.isComposing = true;
      else {
        this.#timer = setTimeout(() => {
          own.isComposing = false;
          this.#settle();
        }, AFTER_COMPOSITION);
      }
    }

    #settle(): void {
      // After the event: the editor handles it too.
      setTimeout(() => this.view.dom.isConnected && this.view.dispatch({ effects: settled.of(null) }), 0);
    }

    destroy(): void {
      clearTimeout(this.#timer);
      this.view.state.facet(hands).isComposing = false;
      this.#unlisten();
    }
  },
  {
    eventObservers: {
      compositionstart() {
        this.composes(true);
      },
      compositionend() {
        this.composes(false);
      },
      blur(_, view) {
        // Closing or switching windows may end a composition without an event.
        if (!view.compositionStarted && isComposing(view.state)) this.composes(false);
      },
      pointerdown(event, view) {
        if (event.button === 0) view.state.facet(hands).isPressed = true;
      },
    },
  },
);

/** Each state of an editor needs its own. */
export function cursorOf(): Extension {
  return [hands.of(new Hands()), cursor, watch, EditorView.focusChangeEffect.of((_, isFocusing) => (isFocusing ? focused.of(null) : null))];
}
