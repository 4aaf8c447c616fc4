// A toolbar for the selection. Alt+F10 focuses it, Escape returns to the text; each of its buttons also has a shortcut.
import { searchPanelOpen } from '@codemirror/search';
import { Prec, StateField, type EditorState } from '@codemirror/state';
import { EditorView, keymap, showTooltip, ViewPlugin, type Command, type Tooltip } from '@codemirror/view';
import { formats } from './formatting';
import { pageContext } from './page-context';
import { writing } from '../words/writing';

const isMac = /Mac|iP/.test(globalThis.navigator?.platform ?? '');

export function keyName(key: string): string {
  const names: Record<string, string> = isMac ? { Mod: '⌘', Shift: '⇧', Alt: '⌥' } : { Mod: 'Ctrl', Shift: 'Shift', Alt: 'Alt' };
  const parts = key.split('-').map((part) => names[part] ?? part.toUpperCase());
  return parts.join(isMac ? '' : '+');
}

function create(view: EditorView): { dom: HTMLElement; offset: { x: number; y: number } } {
  const dom = document.createElement('div');
  dom.className = 'cm-format-bar';
  dom.setAttribute('role', 'toolbar');
  dom.setAttribute('aria-label', writing.editor.formatBar);
  const buttons = formats.map(({ name, face, key, run }, index) => {
    const label = writing.editor.formats[name];
    const button = document.createElement('button');
    button.type = 'button';
    button.className = `cm-format-${name}`;
    button.textContent = face;
    button.title = `${label} (${keyName(key)})`;
    button.setAttribute('aria-label', label);
    button.tabIndex = index === 0 ? 0 : -1;
    // Pressing a button must not clear the selection.
    button.addEventListener('mousedown', (event) => event.preventDefault());
    button.addEventListener('click', () => {
      run(view);
      view.focus();
    });
    dom.append(button);
    return button;
  });
  const host = view.state.facet(pageContext)?.host;
  if (host?.comment) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'cm-format-comment';
    button.textContent = writing.comments.comment;
    button.title = writing.comments.onSelection;
    button.tabIndex = -1;
    button.addEventListener('mousedown', (event) => event.preventDefault());
    button.addEventListener('click', () => host.comment?.());
    dom.append(button);
    buttons.push(button);
  }
  dom.addEventListener('keydown', (event) => {
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (event.key === 'Escape') view.focus();
    else if (next === undefined) return;
    else {
      const chosen = buttons[(next + buttons.length) % buttons.length];
      for (const button of buttons) button.tabIndex = button === chosen ? 0 : -1;
      chosen?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  });
  return { dom, offset: { x: 0, y: 6 } };
}

function bar(state: EditorState): Tooltip | null {
  const { main, ranges } = state.selection;
  if (main.empty || ranges.length > 1 || state.readOnly || searchPanelOpen(state) || !state.sliceDoc(main.from, Math.min(main.to, main.from + 200)).trim()) return null;
  return { pos: main.from, end: main.to, above: true, arrow: false, create };
}

const shown = StateField.define<Tooltip | null>({
  create: bar,
  update: (now, transaction) => (transaction.docChanged || transaction.selection ? bar(transaction.state) : now),
  provide: (field) => showTooltip.from(field),
});

const enterBar: Command = (view) => {
  const button = view.dom.ownerDocument.querySelector<HTMLElement>('.cm-format-bar button');
  button?.focus();
  return button !== null;
};

/** Hidden while the pointer is selecting, because it would be in the way. */
const whileSelecting = ViewPlugin.fromClass(
  class {
    readonly #done = () => this.view.dom.classList.remove('cm-selecting');
    constructor(readonly view: EditorView) {
      window.addEventListener('pointerup', this.#done);
      window.addEventListener('pointercancel', this.#done);
    }
    destroy(): void {
      window.removeEventListener('pointerup', this.#done);
      window.removeEventListener('pointercancel', this.#done);
    }
  },
  { eventHandlers: { pointerdown: (_, view) => void view.dom.classList.add('cm-selecting') } },
);

export const toolbar = [
  shown,
  whileSelecting,
  Prec.high(keymap.of([...formats.map(({ key, run }) => ({ key, run, preventDefault: true })), { key: 'Alt-F10', run: enterBar }])),
];
