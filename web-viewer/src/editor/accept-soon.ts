// Enter and Tab while candidates are loading. Fast typists press them before the list is shown and continue to type; the
// result must be the same as if the list had been shown at once.
import { acceptCompletion, closeCompletion, completionStatus } from '@codemirror/autocomplete';
import { insertNewlineAndIndent } from '@codemirror/commands';
import { insertNewlineContinueMarkup } from '@codemirror/lang-markdown';
import { Prec, type Extension } from '@codemirror/state';
import { EditorView, ViewPlugin, keymap } from '@codemirror/view';
import { indent } from './indenting';
import { nextCell } from './tables';

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
  /** The key that waits. */
  #key = '';
  /** Text typed and pasted while waiting. */
  #typed: (string | DataTransfer)[] = [];

  constructor(view: EditorView) {
    this.#view = view;
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Starts waiting if candidates are loading. */
  begin(applies: Applies, key: string): boolean {
    if (completionStatus(this.#view.state) !== 'pending' || !applies(this.#view)) return false;
    this.#applies = applies;
    this.#key = key;
    this.#isWaiting = true;
    this.#end = performance.now() + PATIENCE;
    this.#look();
    return true;
  }

  #look(): void {
    if (!this.#isWaiting) return;
    const isAccepted = acceptCompletion(this.#view);
    const isOver = completionStatus(this.#view.state) === null || performance.now() > this.#end;
    if (!isAccepted && !isOver) return void setTimeout(() => this.#look(), GLANCE);
    this.#isWaiting = false;
    if (!isAccepted) {
      // Otherwise the key would wait again.
      closeCompletion(this.#view);
      put(this.#view, this.#key);
    }
    this.#goOn();
  }

  /** Types the queued text, up to the next key that has to wait. */
  #goOn(): void {
    for (let text = this.#typed.shift(); text !== undefined; text = this.#typed.shift()) {
      if (text === TAB || text === this.#view.state.lineBreak) {
        if (this.begin(this.#applies, text)) return;
        if (acceptCompletion(this.#view)) continue;
      }
      put(this.#view, text);
    }
  }

  /** Queues typed or pasted text while waiting. */
  take(text: string | DataTransfer): boolean {
    if (this.#isWaiting) this.#typed.push(text);
    return this.#isWaiting;
  }

  /** Stops waiting and types the queued text. */
  finish(): void {
    if (this.#isWaiting) acceptCompletion(this.#view);
    this.#isWaiting = false;
    for (const text of this.#typed.splice(0)) put(this.#view, text);
  }

  destroy(): void {
    this.#isWaiting = false;
  }
}

/**
 * What the key, the text or the paste does where there are no candidates. Only that Tab leaves the text cannot be done: browsers
 * do it themselves, at the time of the key.
 */
function put(view: EditorView, text: string | DataTransfer): void {
  if (text === TAB) return void (nextCell(view) || indent(view));
  if (typeof text !== 'string') return void view.contentDOM.dispatchEvent(new ClipboardEvent('paste', { clipboardData: text, bubbles: true, cancelable: true }));
  if (text === view.state.lineBreak) void (insertNewlineContinueMarkup(view) || insertNewlineAndIndent(view));
  else type(view, text);
}

function type(view: EditorView, text: string): void {
  const { from, to } = view.state.selection.main;
  const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
  if (!view.state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, text, insert))) view.dispatch(insert());
}

const waiting = ViewPlugin.fromClass(Waiting);

/** The clipboard of an event is empty once the event is over. */
function copyOf(clipboard: DataTransfer): DataTransfer {
  const copy = new DataTransfer();
  for (const type of clipboard.types) if (type !== 'Files') copy.setData(type, clipboard.getData(type));
  for (const file of clipboard.files) copy.items.add(file);
  return copy;
}

/** Types queued text before another action uses the document. */
export function finishTyping(view: EditorView): void {
  view.plugin(waiting)?.finish();
}

/** Keys that do nothing by themselves. */
const MODIFIERS = new Set(['Shift', 'Control', 'Meta', 'Alt', 'AltGraph', 'CapsLock']);

/** Whether the key types a character. */
function types(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey } = event;
  return [...key].length === 1 && ((!ctrlKey && !metaKey && !altKey) || event.getModifierState('AltGraph'));
}

/** Whether typing goes on after the key. */
function goesOn(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey } = event;
  if (key === 'Enter' || key === 'Tab' || MODIFIERS.has(key)) return true;
  return types(event) || ((ctrlKey || metaKey) && key.toLowerCase() === 'v');
}

export function acceptSoon(applies: Applies): Extension {
  const begin = (view: EditorView, key: string) => {
    const plugin = view.plugin(waiting);
    return plugin !== null && !view.compositionStarted && (plugin.take(key) || plugin.begin(applies, key));
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
        keydown: (event, view) => {
          if (!goesOn(event)) return finish(event, view);
          // In the list of an older text, `#` or `|` would accept a candidate before the keys that wait.
          return types(event) && !event.isComposing && (view.plugin(waiting)?.take(event.key) ?? false);
        },
        mousedown: finish,
        blur: finish,
        compositionstart: finish,
        paste: ({ clipboardData }, view) => {
          const plugin = view.plugin(waiting);
          return clipboardData !== null && plugin?.isWaiting === true && plugin.take(copyOf(clipboardData));
        },
        drop: finish,
      }),
    ]),
    Prec.highest(
      keymap.of([
        { key: 'Tab', run: (view) => begin(view, TAB) },
        { key: 'Tab', run: acceptCompletion },
        { key: 'Enter', run: (view) => begin(view, view.state.lineBreak) },
      ]),
    ),
  ];
}
