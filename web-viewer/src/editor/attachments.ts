// Files that are pasted or dropped on the text. They are stored in the project, and links to them inserted in one step that
// can be undone. Until then only a placeholder is shown, so that the text is whole at any time and typing can go on.
import { invertedEffects, isolateHistory } from '@codemirror/commands';
import { StateEffect, StateField, type ChangeDesc, type EditorState, type Extension } from '@codemirror/state';
import { Decoration, dropCursor, EditorView, ViewPlugin, WidgetType } from '@codemirror/view';
import { ClientError, type Output } from '../client/client';
import { pageContext, type PageContext } from './page-context';
import { writing } from '../words/writing';

/** Maximum size of a file. The engine refuses larger files as well, but they would be read and sent first. */
const MOST_MB = 20;

/** Where files are being added, or where a link to them was inserted. */
interface Place {
  id: number;
  from: number;
  to: number;
  /** What the placeholder says; null once the link is in the text. */
  label: string | null;
}

const begin = StateEffect.define<Place>();
const inserted = StateEffect.define<{ id: number; from: number; to: number }>({
  map: ({ id, from, to }, changes) => ({ id, from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) }),
});
const end = StateEffect.define<number>();

function moved(place: Place, changes: ChangeDesc): Place {
  // Text that is typed at the cursor goes behind an empty place.
  const from = changes.mapPos(place.from, place.from === place.to ? -1 : 1);
  return { ...place, from, to: Math.max(from, changes.mapPos(place.to, -1)) };
}

class Placeholder extends WidgetType {
  constructor(readonly label: string) {
    super();
  }
  override eq(other: Placeholder): boolean {
    return other.label === this.label;
  }
  toDOM(): HTMLElement {
    const made = document.createElement('span');
    made.className = 'cm-adding';
    made.textContent = this.label;
    return made;
  }
}

const places = StateField.define<readonly Place[]>({
  create: () => [],
  update(before, { changes, docChanged, effects }) {
    let now = docChanged ? before.map((place) => moved(place, changes)) : before;
    for (const effect of effects) {
      if (effect.is(begin)) now = [...now, effect.value];
      else if (effect.is(end)) now = now.filter(({ id }) => id !== effect.value);
      else if (effect.is(inserted)) now = [...now.filter(({ id }) => id !== effect.value.id), { ...effect.value, label: null }];
    }
    // A link that was deleted is not followed any more.
    return now.some(isGone) ? now.filter((place) => !isGone(place)) : now;
  },
  provide: (field) =>
    EditorView.decorations.from(field, (all) =>
      Decoration.set(
        all.flatMap(({ label, to }) => (label === null ? [] : [Decoration.widget({ widget: new Placeholder(label), side: -1 }).range(to)])),
        true,
      ),
    ),
});

const isGone = ({ label, from, to }: Place) => label === null && from === to;
const placeOf = (state: EditorState, id: number) => state.field(places).find((place) => place.id === id);

/** Follows links that are undone and redone. */
const undone = invertedEffects.of(({ startState, effects }) =>
  effects.flatMap((effect): StateEffect<unknown>[] => {
    if (effect.is(inserted)) return [end.of(effect.value.id)];
    const place = effect.is(end) ? placeOf(startState, effect.value) : undefined;
    return place?.label === null ? [inserted.of(place)] : [];
  }),
);

/** The bytes of a file in base64. */
function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(new ClientError('unreadable', writing.editor.unreadable)));
    reader.readAsDataURL(file);
  });
}

/** The name of a file. Browsers give all copied pictures the same one, which says nothing. */
function nameOf({ name }: File, isPasted: boolean): string {
  const ending = /^image(\.\w+)$/i.exec(name)?.[1];
  if (!isPasted || !ending) return name;
  const two = (number: number) => String(number).padStart(2, '0');
  const now = new Date();
  return `pasted ${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())} ${two(now.getHours())}.${two(now.getMinutes())}${ending}`;
}

async function stored(file: File, name: string, { host, filepath }: PageContext): Promise<Output<'add_attachment'>> {
  if (file.size > MOST_MB * 1024 * 1024) throw new ClientError('invalid_params', writing.editor.tooLarge(name, MOST_MB));
  return host.client.call('add_attachment', { page: filepath, name, base64: await base64Of(file) });
}

function problemOf(error: unknown, name: string): string {
  const { code, message } = ClientError.from(error);
  return code === 'invalid_params' ? writing.editor.sentence(message) : writing.editor.notAdded(name, message);
}

let last = 0;

/** Stores the files, and then inserts links to them in place of the text from `from` to `to`. */
async function add(context: PageContext, files: readonly File[], { from, to }: { from: number; to: number }, isPasted: boolean): Promise<void> {
  const id = ++last;
  const named = files.map((file) => ({ file, name: nameOf(file, isPasted) }));
  const replaced = context.state().sliceDoc(from, to);
  const label = named.length === 1 ? writing.editor.adding(named[0]?.name ?? '') : writing.editor.addingFiles(named.length);
  context.change({ effects: [begin.of({ id, from, to, label }), EditorView.announce.of(label)] });
  const done: Output<'add_attachment'>[] = [];
  const problems: string[] = [];
  // One after the other, so that their names and links have the order of the files.
  for (const { file, name } of named) {
    try {
      done.push(await stored(file, name, context));
    } catch (error) {
      problems.push(problemOf(error, name));
    }
  }
  if (done.length > 0) insert(context, id, done.map(({ link }) => link).join('\n'), replaced);
  else context.change({ effects: end.of(id) });
  if (problems.length > 0) context.tell(problems.join(' '));
  if (done.length > 0) context.host.onAttached?.(done, () => takeBack(context, id));
}

function insert(context: PageContext, id: number, links: string, replaced: string): void {
  const state = context.state();
  const place = placeOf(state, id);
  if (!place) return;
  const { from } = place;
  // What was selected is replaced, unless it was edited in the meantime.
  const to = state.sliceDoc(from, place.to) === replaced ? place.to : from;
  const { main } = state.selection;
  const isHere = main.from === from && main.to === to;
  context.change({
    changes: { from, to, insert: links },
    ...(isHere ? { selection: { anchor: from + links.length } } : {}),
    effects: inserted.of({ id, from, to: from + links.length }),
    annotations: isolateHistory.of('full'),
    userEvent: 'input.paste',
  });
}

/** Removes the links, if they are still there. */
function takeBack(context: PageContext, id: number): void {
  const place = placeOf(context.state(), id);
  if (place) context.change({ changes: { from: place.from, to: place.to }, annotations: isolateHistory.of('full'), userEvent: 'delete' });
}

/** Whether the files were taken: an editor that cannot be written to takes none, but says so. */
function take(view: EditorView, files: readonly File[], place: { from: number; to: number }, isPasted: boolean): boolean {
  const context = view.state.facet(pageContext);
  if (!context) return false;
  if (view.state.readOnly) context.tell(writing.editor.noFilesHere);
  else void add(context, files, place, isPasted);
  return true;
}

/** Adds files that the user chose in a dialog, at the cursor. */
export function attachFiles(view: EditorView, files: readonly File[]): void {
  take(view, files, view.state.selection.main, false);
}

const taking = EditorView.domEventHandlers({
  paste({ clipboardData: data }, view) {
    if (!data || data.files.length === 0) return false;
    // Spreadsheets and word processors add a picture of the copied text.
    if (data.types.includes('text/plain') && data.types.includes('text/html')) return false;
    return take(view, [...data.files], view.state.selection.main, true);
  },
  drop(event, view) {
    const { dataTransfer: data, clientX: x, clientY: y } = event;
    if (!data || data.files.length === 0) return false;
    if ([...data.items].some((item) => item.webkitGetAsEntry()?.isDirectory)) {
      view.state.facet(pageContext)?.tell(writing.editor.noFolders);
      return true;
    }
    const at = view.posAtCoords({ x, y }, false);
    view.focus();
    return take(view, [...data.files], { from: at, to: at }, false);
  },
});

/** A file that misses the text would be opened by the browser in place of the app. */
const missing = ViewPlugin.define((view) => {
  const over = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files') || view.contentDOM.contains(event.target as Node)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'none';
  };
  window.addEventListener('dragover', over);
  return { destroy: () => window.removeEventListener('dragover', over) };
});

export const attachments: Extension = [places, undone, taking, missing, dropCursor()];
