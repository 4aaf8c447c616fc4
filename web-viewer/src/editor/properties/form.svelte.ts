// The state of a form over front matter: its rows, what is being typed in them, and the changes that it makes to the text.
//
// **Invariants**
// - What is typed in a field stays until it is written or given up, whatever happens to the text (`viewer/properties`, "a change
//   from elsewhere").
// - Each change is one transaction, and one undo takes it back.
import { isolateHistory, redo, undo } from '@codemirror/commands';
import type { EditorView } from '@codemirror/view';
import { SvelteMap } from 'svelte/reactivity';
import { filesOf } from '../../state/project-files';
import type { PageContext } from '../page-context';
import { isUnclosed } from '../front-matter';
import { changesOf, itemsIn, type Edit } from './edits';
import { fieldOf, newField, type Field } from './keys';
import { isBroken, type Kind, type Property } from './model';
import { FORM_EVENT, isForm, lineOf, showEmpty, shownProperties, showYaml, type Shown } from './shown';
import { SourceMatches } from './sources';
import { isMissing, linkText, Suggestions } from './suggestions';
import { writing } from '../../words/writing';

export interface Row {
  key: string;
  field: Field;
  /** Null if it has no value yet, or was removed from the text while somebody types. */
  property: Property | null;
}

/** Text that is not written yet. */
interface Draft {
  text: string;
  write(text: string): void;
}

export class PropertiesForm {
  readonly #view: EditorView;
  readonly context: PageContext;
  readonly suggestions: Suggestions;
  readonly #sources: SourceMatches;
  shown: Shown = $state.raw({} as Shown);
  isReadOnly = $state(false);
  /** Whether an input method composes in a field. */
  isComposing = false;
  /** Rows that are not in the text yet. */
  #added = new SvelteMap<string, Kind>();
  #drafts = new SvelteMap<string, Draft>();
  /** The rows as they were shown last. */
  #before: readonly Row[] = [];
  /** Counts answers about links. */
  #news = $state(0);

  constructor(view: EditorView, context: PageContext) {
    this.#view = view;
    this.context = context;
    this.suggestions = new Suggestions(context);
    this.#sources = new SourceMatches(filesOf(context.host.client), () => this.#news++);
    this.take();
  }

  /** Follows the text. */
  take(): void {
    const shown = this.#view.state.field(shownProperties);
    if (shown !== this.shown) this.shown = shown;
    this.isReadOnly = this.#view.state.readOnly;
  }

  /** Links were resolved, or pages changed. */
  learn(isAboutPages: boolean): void {
    if (isAboutPages) {
      this.suggestions.forget();
      this.#sources.changed();
    }
    this.#news++;
  }

  readonly broken = $derived.by(() => (isBroken(this.shown.read) ? { line: lineOf(this.shown), message: this.shown.read.message } : null));
  readonly isForm = $derived.by(() => isForm(this.shown) || (!this.shown.matter && !this.shown.isConflict && (this.shown.isEmptyAsked || this.#added.size > 0 || this.#drafts.size > 0)));
  readonly isThere = $derived.by(() => this.shown.matter !== null || this.isForm);
  readonly isExtensible = $derived.by(() => !this.isReadOnly && !isBroken(this.shown.read) && this.shown.read.isExtensible);

  readonly rows: readonly Row[] = $derived.by(() => {
    void this.#news;
    const { linkTypes } = this.context.answers;
    const properties = isBroken(this.shown.read) ? [] : this.shown.read.properties;
    const rows = properties.map((property): Row => ({ key: property.key, property, field: fieldOf(property.key, this.#kindOf(property), linkTypes) }));
    const missing = new Set([...this.#added.keys(), ...[...this.#drafts.keys()].map((id) => id.replace(/\n.*$/s, ''))]);
    for (const { key } of rows) missing.delete(key);
    missing.delete('');
    for (const key of missing) {
      // A row that somebody types in stays at its place: moving its field would end the typing.
      const place = this.#before.findIndex((row) => row.key === key);
      const known = this.#added.has(key) ? undefined : this.#before[place];
      rows.splice(place < 0 ? rows.length : place, 0, { key, property: null, field: known?.field ?? newField(key, this.#added.get(key) ?? 'text', linkTypes) });
    }
    this.#before = rows;
    return rows;
  });

  /** A value that is not there yet has the kind that was chosen. */
  #kindOf(property: Property): Kind {
    if (property.kind === 'other') return 'text';
    const isEmpty = property.kind === 'text' && property.value.from === property.value.to;
    return (isEmpty && this.#added.get(property.key)) || property.kind;
  }

  items({ property, field }: Row): string[] {
    return property ? itemsIn(property, field.isWords) : [];
  }

  isMissing({ field }: Row, item: string): boolean {
    void this.#news;
    return isMissing(this.context, this.#sources, field.completes, item);
  }

  close(): void {
    this.#sources.close();
  }

  draft(id: string): string | undefined {
    return this.#drafts.get(id)?.text;
  }

  /** Keeps what is typed. `write` puts it into the text. */
  keep(id: string, text: string, write: (text: string) => void): void {
    this.#drafts.set(id, { text, write });
  }

  giveUp(id: string): void {
    this.#drafts.delete(id);
  }

  /** Writes what was typed in a field. */
  finish(id: string): void {
    const draft = this.#drafts.get(id);
    // Without valid YAML nothing can be written: what was typed waits.
    if (!draft || isBroken(this.#view.state.field(shownProperties).read)) return;
    this.#drafts.delete(id);
    draft.write(draft.text);
  }

  finishAll(): void {
    // The text of a composition is not decided yet.
    if (this.isComposing) return;
    for (const id of [...this.#drafts.keys()]) this.finish(id);
  }

  /** Makes a change. False if it cannot be made without changing more. */
  edit(edit: Edit, isWords = false): boolean {
    const { state } = this.#view;
    const { source, at, matter } = state.field(shownProperties);
    const changes = state.readOnly ? null : changesOf(source, edit, isWords);
    if (!changes || (!matter && isUnclosed(state))) {
      this.context.tell(writing.properties.unchanged(edit.key));
      return false;
    }
    if (changes.length === 0) return true;
    const placed = matter ? changes.map(({ from, to, insert }) => ({ from: at + from, to: at + to, insert })) : [{ from: 0, insert: `---\n${changes[0]?.insert ?? ''}---\n` }];
    const set = state.changes(placed);
    this.#view.dispatch({ changes: set, selection: state.selection.map(set, 1), annotations: isolateHistory.of('full'), userEvent: FORM_EVENT });
    this.#added.delete(edit.key);
    return true;
  }

  /** Adds a row, which is written with its first value. */
  async add(key: string): Promise<void> {
    const name = key.trim();
    if (!name || this.rows.some((row) => row.key === name)) return;
    this.#added.set(name, await this.suggestions.kindOf(name));
  }

  setKind({ key, property, field }: Row, kind: Kind): void {
    if (!property) {
      this.#added.set(key, kind);
      return;
    }
    if (property.kind === 'other' || kind === property.kind) return;
    const items = itemsIn(property, field.isWords);
    const text = items.join(', ');
    if (kind === 'list') this.edit({ do: 'list', key, items });
    else if (kind === 'checkbox') this.edit({ do: 'set', key, kind, text: /^(true|yes|on|1)$/i.test(text) ? 'true' : 'false' });
    else if (kind === 'number') this.edit({ do: 'set', key, kind, text: Number.isFinite(Number(text)) && text ? text : '0' });
    else if (kind === 'date' || kind === 'time') this.edit({ do: 'set', key, kind, text: dateFrom(text, kind) });
    else this.edit({ do: 'set', key, kind, text });
    this.#added.set(key, kind);
  }

  remove({ key, property }: Row): void {
    for (const id of [...this.#drafts.keys()]) if (id === key || id.startsWith(`${key}\n`)) this.#drafts.delete(id);
    if (property) this.edit({ do: 'remove', key });
    this.#added.delete(key);
  }

  rename(row: Row, to: string): void {
    const name = to.trim();
    if (!name || name === row.key) return;
    if (this.rows.some(({ key }) => key === name)) this.context.tell(writing.properties.taken(name));
    else if (row.property) this.edit({ do: 'rename', key: row.key, to: name });
    else {
      this.#added.set(name, row.field.kind);
      this.#added.delete(row.key);
    }
  }

  addItem({ key, field }: Row, text: string): void {
    const item = asItem(field, text);
    const row = this.rows.find((row) => row.key === key);
    if (item && !(row && this.items(row).includes(item))) this.edit({ do: 'add', key, text: item }, field.isWords);
  }

  /** `before` is the item when its editing began: the list may have changed since. */
  replaceItem(row: Row, index: number, before: string, text: string): void {
    const items = this.items(this.#now(row));
    const at = items[index] === before ? index : items.indexOf(before);
    const item = asItem(row.field, text);
    if (at < 0) this.addItem(row, text);
    else if (item) this.edit({ do: 'replace', key: row.key, index: at, text: item }, row.field.isWords);
    else this.dropItem(row, at);
  }

  dropItem({ key, field }: Row, index: number): void {
    this.edit({ do: 'drop', key, index }, field.isWords);
  }

  #now(row: Row): Row {
    return this.rows.find(({ key }) => key === row.key) ?? row;
  }

  /** Shows the page that an item leads to. */
  async follow(item: string): Promise<void> {
    const answer = await this.context.answers.now(item).catch(() => null);
    if (answer?.filepath) this.context.host.open({ page: answer.filepath });
    else if (answer?.source_path) this.openFile(answer.source_path);
    else this.context.tell(writing.properties.brokenLink);
  }

  openFile(path: string): void {
    this.context.host.openFile(path.trim().replace(/^\.\//, ''), '');
  }

  /** Shows the YAML, with the cursor at a key. */
  asYaml(key?: string): void {
    this.finishAll();
    const { state } = this.#view;
    const { at, read, matter } = state.field(shownProperties);
    if (!matter) return;
    const property = isBroken(read) ? undefined : read.properties.find((property) => property.key === key);
    const line = isBroken(read) ? state.doc.line(Math.min(read.line + 1, state.doc.lines)).to : at + Math.max(0, property?.colon ?? 0);
    this.#view.dispatch({ effects: showYaml.of(true) });
    this.#view.dispatch({ selection: { anchor: Math.min(line, matter.to) }, scrollIntoView: true });
    this.#view.focus();
  }

  /** Shows the form instead of the YAML, if it is valid. */
  asForm(): boolean {
    const { state } = this.#view;
    const { matter, read } = state.field(shownProperties);
    if (!matter || isBroken(read)) return false;
    const body = Math.min(matter.to + 1, state.doc.length);
    this.#view.dispatch({ effects: showYaml.of(false), ...(state.selection.main.from < body ? { selection: { anchor: body } } : {}) });
    return true;
  }

  toText(): void {
    if (!this.shown.matter) {
      this.#added.clear();
      this.#view.dispatch({ effects: showEmpty.of(false) });
    }
    this.#view.focus();
  }

  undo(): void {
    undo(this.#view);
  }

  redo(): void {
    redo(this.#view);
  }
}

function asItem({ completes }: Field, text: string): string {
  const item = text.trim();
  if (!item) return '';
  if (completes === 'links') return linkText(item);
  return completes === 'tags' ? item.replace(/^#+/, '') : item;
}

function dateFrom(text: string, kind: 'date' | 'time'): string {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?/.exec(text) ?? [];
  if (!day) return '';
  return kind === 'date' ? day : `${day}T${time ?? '00:00'}`;
}
