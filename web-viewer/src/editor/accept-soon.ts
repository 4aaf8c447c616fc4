// Enter, Tab and clicks while candidates are loading. Fast typists press the keys before the list is shown and continue to type;
// the result must be the same as if the list had been shown at once. A click chooses from the list of the text before.
import { acceptCompletion, closeCompletion, completionStatus, setSelectedCompletion } from '@codemirror/autocomplete';
import { insertNewlineAndIndent } from '@codemirror/commands';
import { insertNewlineContinueMarkup } from '@codemirror/lang-markdown';
import { Prec, type Extension } from '@codemirror/state';
import { EditorView, ViewPlugin, keymap } from '@codemirror/view';
import { indent } from './indenting';
import { nextCell } from './tables';

/** Maximum time in milliseconds that keys wait for candidates. */
const PATIENCE = 2_000;
const GLANCE = 10;

/** The candidates in the list, all of which are rendered. */
const OPTION = '.cm-tooltip-autocomplete li[role="option"]';

const TAB = '\t';

/** Whether the cursor is at a position for candidates. */
type Applies = (view: EditorView) => boolean;

class Waiting {
  readonly #view: EditorView;
  #applies: Applies = () => false;
  #isWaiting = false;
  #end = 0;
  /** The key that waits. Empty if a click waits. */
  #key = '';
  /** What the list shows for the candidate that was clicked. */
  #clicked: string | null = null;
  /** Text typed and pasted while waiting. */
  #typed: (string | DataTransfer)[] = [];

  constructor(view: EditorView) {
    this.#view = view;
    // Before the list, which ignores clicks while it is outdated.
    view.dom.addEventListener('mousedown', this.#click, true);
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Starts waiting if candidates are loading. */
  begin(applies: Applies, key: string): boolean {
    if (completionStatus(this.#view.state) !== 'pending' || !applies(this.#view)) return false;
    this.#applies = applies;
    this.#wait(key, null);
    return true;
  }

  readonly #click = (event: MouseEvent): void => {
    const shown = event.target instanceof Element ? event.target.closest(OPTION) : null;
    if (shown === null || event.button !== 0 || completionStatus(this.#view.state) !== 'pending') return;
    event.preventDefault();
    event.stopPropagation();
    this.#wait('', shown.textContent);
  };

  #wait(key: string, clicked: string | null): void {
    this.#key = key;
    this.#clicked = clicked;
    this.#isWaiting = true;
    this.#end = performance.now() + PATIENCE;
    this.#look();
  }

  /** Accepts the selected candidate, or the one that was clicked if the list still has it. */
  #accept(): boolean {
    if (this.#clicked !== null) {
      if (completionStatus(this.#view.state) !== 'active') return false;
      const at = [...this.#view.dom.querySelectorAll(OPTION)].findIndex(({ textContent }) => textContent === this.#clicked);
      if (at < 0) return false;
      this.#view.dispatch({ effects: setSelectedCompletion(at) });
    }
    return acceptCompletion(this.#view);
  }

  #look(): void {
    if (!this.#isWaiting) return;
    const isAccepted = this.#accept();
    const status = completionStatus(this.#view.state);
    // A list that no longer has the clicked candidate stays, for another click.
    const isOver = status === null || (this.#clicked !== null && status === 'active') || performance.now() > this.#end;
    if (!isAccepted && !isOver) return void setTimeout(() => this.#look(), GLANCE);
    this.#isWaiting = false;
    if (!isAccepted && this.#clicked === null) {
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
    if (this.#isWaiting) this.#accept();
    this.#isWaiting = false;
    for (const text of this.#typed.splice(0)) put(this.#view, text);
  }

  destroy(): void {
    this.#isWaiting = false;
    this.#view.dom.removeEventListener('mousedown', this.#click, true);
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
