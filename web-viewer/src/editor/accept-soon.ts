// Enter and Tab while candidates are loading. Fast typists press them before the list is shown and continue to type; the
// result must be the same as if the list had been shown at once.
import { acceptCompletion, completionStatus } from '@codemirror/autocomplete';
import { Prec, type Extension } from '@codemirror/state';
import { EditorView, ViewPlugin, keymap } from '@codemirror/view';

/** Maximum time in milliseconds that keys wait for candidates. */
const PATIENCE = 2_000;
const GLANCE = 10;

const TAB = '\t';

/** Whether the cursor is at a position for candidates. */
type Applies = (view: EditorView) => boolean;

class Waiting {
  readonly #view: EditorView;
  #applies: Applies = () => false;
  #isWaiting = false;
  #end = 0;
  /** Text typed while waiting. */
  #typed: string[] = [];

  constructor(view: EditorView) {
    this.#view = view;
  }

  /** Starts waiting if candidates are loading. */
  begin(applies: Applies): boolean {
    if (completionStatus(this.#view.state) !== 'pending' || !applies(this.#view)) return false;
    this.#applies = applies;
    this.#isWaiting = true;
    this.#end = performance.now() + PATIENCE;
    this.#look();
    return true;
  }

  #look(): void {
    if (!this.#isWaiting) return;
    const isOver = completionStatus(this.#view.state) === null || performance.now() > this.#end;
    if (!acceptCompletion(this.#view) && !isOver) return void setTimeout(() => this.#look(), GLANCE);
    this.#isWaiting = false;
    this.#goOn();
  }

  /** Types the queued text, up to the next key that has to wait. */
  #goOn(): void {
    for (let text = this.#typed.shift(); text !== undefined; text = this.#typed.shift()) {
      const accepts = text === TAB || text === this.#view.state.lineBreak;
      if (accepts && this.begin(this.#applies)) return;
      if (!(accepts && acceptCompletion(this.#view)) && text !== TAB) type(this.#view, text);
    }
  }

  /** Queues typed text while waiting. */
  take(text: string): boolean {
    if (this.#isWaiting) this.#typed.push(text);
    return this.#isWaiting;
  }

  /** Stops waiting and types the queued text. */
  finish(): void {
    this.#isWaiting = false;
    for (const text of this.#typed.splice(0)) if (text !== TAB) type(this.#view, text);
  }

  destroy(): void {
    this.#isWaiting = false;
  }
}

function type(view: EditorView, text: string): void {
  const { from, to } = view.state.selection.main;
  const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
  if (!view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, text, insert))) view.dispatch(insert());
}

const waiting = ViewPlugin.fromClass(Waiting);

/** Types queued text before another action uses the document. */
export function finishTyping(view: EditorView): void {
  view.plugin(waiting)?.finish();
}

function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return [...key].length === 1 && !ctrlKey && !metaKey && !altKey;
}

export function acceptSoon(applies: Applies): Extension {
  const begin = (view: EditorView, key: string) => {
    const plugin = view.plugin(waiting);
    return plugin !== null && !view.compositionStarted && (plugin.take(key) || plugin.begin(applies));
  };
  const finish = (_: Event, view: EditorView) => {
    finishTyping(view);
    return false;
  };
  return [
    waiting,
    Prec.highest([
      EditorView.inputHandler.of((view, _from, _to, text) => view.plugin(waiting)?.take(text) ?? false),
      EditorView.domEventHandlers({
        keydown: (event, view) => (isLetter(event) || event.key === 'Shift' || event.key === 'Enter' || event.key === 'Tab' ? false : finish(event, view)),
        mousedown: finish,
        blur: finish,
        compositionstart: finish,
        paste: finish,
        drop: finish,
      }),
    ]),
    Prec.highest(
      keymap.of([
        { key: 'Tab', run: acceptCompletion },
        { key: 'Tab', run: (view) => begin(view, TAB) },
        { key: 'Enter', run: (view) => begin(view, view.state.lineBreak) },
      ]),
    ),
  ];
}
