// Conflicts: where the file and the text differ in the same place, both versions are shown in the text, with buttons to
// choose.
import { acceptChunk, getChunks, goToNextChunk, rejectChunk, unifiedMergeView } from '@codemirror/merge';
import { Compartment, Prec, type Extension } from '@codemirror/state';
import { EditorView, keymap, showPanel, type Panel } from '@codemirror/view';
import { writing } from '../words/writing';

const place = new Compartment();

function button(text: string, className: string, run: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = className;
  made.textContent = text;
  made.addEventListener('click', run);
  return made;
}

function panel(view: EditorView): Panel {
  const dom = document.createElement('div');
  dom.className = 'cm-conflict-panel';
  dom.setAttribute('role', 'region');
  dom.setAttribute('aria-label', writing.editor.conflicts);
  const text = document.createElement('p');
  text.setAttribute('role', 'status');
  const count = () => getChunks(view.state)?.chunks.length ?? 0;
  const say = () => {
    const places = count();
    text.textContent = writing.editor.conflict(places);
  };
  const all = (choose: typeof acceptChunk) => () => {
    for (let left = count(); left > 0; left--) {
      const [first] = getChunks(view.state)?.chunks ?? [];
      if (!first || !choose(view, first.fromB)) break;
    }
    view.focus();
  };
  const next = button(writing.editor.nextConflict, 'button', () => {
    goToNextChunk(view);
    view.focus();
  });
  dom.append(text, next, button(writing.editor.keepAllMine, 'button', all(acceptChunk)), button(writing.editor.keepAllDisk, 'button', all(rejectChunk)));
  say();
  return { dom, top: true, update: say };
}

function controls(type: 'reject' | 'accept', action: (event: MouseEvent) => void): HTMLElement {
  if (type === 'accept') return withCaption(choice(type, action));
  return choice(type, action);
}

/** The first of the two buttons has a label that says whose version it is. */
function withCaption(first: HTMLElement): HTMLElement {
  const part = document.createElement('span');
  part.className = 'cm-choice-first';
  const caption = document.createElement('span');
  caption.className = 'cm-choice-of';
  caption.textContent = writing.editor.onDisk;
  part.append(caption, first);
  return part;
}

function choice(type: 'reject' | 'accept', action: (event: MouseEvent) => void): HTMLElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = `cm-choice cm-choice-${type}`;
  made.textContent = type === 'accept' ? writing.editor.keepMine : writing.editor.keepDisk;
  made.addEventListener('mousedown', (event) => event.preventDefault());
  made.addEventListener('click', action);
  return made;
}

// On Apple keyboards, Alt with a letter types a character.
export const conflictKeys = [
  { key: 'Alt-ArrowDown', run: goToNextChunk },
  { key: 'Alt-m', mac: 'Ctrl-Alt-m', run: (view: EditorView) => acceptChunk(view) },
  { key: 'Alt-t', mac: 'Ctrl-Alt-t', run: (view: EditorView) => rejectChunk(view) },
];

/** Shows `theirs` next to the text; calls `onDecided` once all conflicts are resolved. */
export function conflictWith(theirs: string, onDecided: () => void): Extension {
  let isDecided = false;
  return [
    unifiedMergeView({ original: theirs, mergeControls: controls, gutter: true, syntaxHighlightDeletions: false, diffConfig: { scanLimit: 500, timeout: 200 } }),
    showPanel.of(panel),
    EditorView.editorAttributes.of({ class: 'cm-conflict' }),
    Prec.high(keymap.of(conflictKeys)),
    EditorView.updateListener.of(({ state }) => {
      const chunks = getChunks(state)?.chunks;
      if (isDecided || !chunks || chunks.length > 0) return;
      isDecided = true;
      // The editor cannot be changed during an update.
      queueMicrotask(onDecided);
    }),
  ];
}

export const conflictPlace: Extension = place.of([]);

export function showConflict(extension: Extension) {
  return place.reconfigure(extension);
}
