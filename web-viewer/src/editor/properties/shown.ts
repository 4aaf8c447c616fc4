// Whether front matter is shown as a form or as YAML. As a form, its text is hidden, and nothing that is typed or deleted in the
// text below changes it.
//
// **Invariants**
// - Broken YAML is always shown as YAML, with its message at its line (`viewer/properties`, "broken YAML").
import { getChunks } from '@codemirror/merge';
import { EditorSelection, EditorState, StateEffect, StateField, Transaction, type ChangeSpec, type Extension, type TransactionSpec } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import { frontMatterOf } from '../front-matter';
import { isBroken, read, type Broken, type Model } from './model';

/** The user event of a change that was made in the form. */
export const FORM_EVENT = 'input.properties';

/** Shows front matter as YAML or as a form. */
export const showYaml = StateEffect.define<boolean>();
/** Shows an empty form for a page without front matter, or hides it. */
export const showEmpty = StateEffect.define<boolean>();

export interface Shown {
  /** The lines of front matter, both fences included, without the last line break. */
  matter: { from: number; to: number } | null;
  /** The YAML between the fences, and its offset in the text. */
  source: string;
  at: number;
  read: Model | Broken;
  isYaml: boolean;
  /** Whether an empty form is asked for. */
  isEmptyAsked: boolean;
  /** Whether two versions of the page are being compared. */
  isConflict: boolean;
  decorations: DecorationSet;
}

type Read = Pick<Shown, 'matter' | 'source' | 'at' | 'read'>;

/** Whether the form stands for the text of front matter. */
export const isForm = ({ matter, isYaml, isConflict }: Shown): boolean => matter !== null && !isYaml && !isConflict;

class Message extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq(other: Message): boolean {
    return other.text === this.text;
  }

  toDOM(): HTMLElement {
    const message = document.createElement('span');
    message.className = 'cm-yaml-message';
    message.textContent = this.text;
    return message;
  }
}

function readFrom(state: EditorState): Read {
  const matter = frontMatterOf(state);
  if (!matter) return { matter, source: '', at: 0, read: { properties: [], isExtensible: true, listForm: 'flow', indent: '' } };
  const at = Math.min(state.doc.line(1).to + 1, matter.to);
  const source = state.sliceDoc(at, state.doc.lineAt(matter.to).from);
  return { matter, source, at, read: read(source) };
}

/** The line of a problem in the text, from 1. */
export const lineOf = ({ read }: Read): number => (isBroken(read) ? read.line + 1 : 1);

/** Where the text below front matter begins. */
const bodyOf = (state: EditorState, to: number): number => Math.min(to + 1, state.doc.length);

function decorate(state: EditorState, shown: Omit<Shown, 'decorations'>): Shown {
  let decorations = Decoration.none;
  if (shown.matter && isForm({ ...shown, decorations })) {
    // If there is no line below, the hidden lines become the line to write on.
    const block = shown.matter.to < state.doc.length;
    decorations = Decoration.set(Decoration.replace({ block }).range(shown.matter.from, shown.matter.to));
  } else if (shown.matter && isBroken(shown.read)) {
    const line = state.doc.line(Math.min(lineOf(shown), state.doc.lines));
    decorations = Decoration.set([Decoration.line({ class: 'cm-yaml-broken' }).range(line.from), Decoration.widget({ widget: new Message(shown.read.message), side: 1 }).range(line.to)]);
  }
  return { ...shown, decorations };
}

function update(before: Shown, transaction: Transaction): Shown {
  const { state, docChanged, changes, effects } = transaction;
  const isTouched = docChanged && (before.matter === null || changes.touchesRange(0, before.matter.to) !== false);
  const now: Read = isTouched ? readFrom(state) : before;
  let { isYaml, isEmptyAsked } = before;
  if (isTouched && now.matter && !before.matter) {
    isEmptyAsked = false;
    // Somebody who types the fences goes on typing.
    isYaml = transaction.isUserEvent('input') && !transaction.isUserEvent(FORM_EVENT) && state.selection.main.head <= now.matter.to;
  }
  for (const effect of effects) {
    if (effect.is(showYaml)) isYaml = effect.value;
    if (effect.is(showEmpty)) isEmptyAsked = effect.value;
  }
  if (!now.matter) isYaml = false;
  if (isBroken(now.read)) isYaml = true;
  const isConflict = getChunks(state) !== null;
  const isSame = !isTouched && isYaml === before.isYaml && isEmptyAsked === before.isEmptyAsked && isConflict === before.isConflict;
  return isSame ? before : decorate(state, { ...now, isYaml, isEmptyAsked, isConflict });
}

export const shownProperties = StateField.define<Shown>({
  create(state) {
    const now = readFrom(state);
    return decorate(state, { ...now, isYaml: isBroken(now.read), isEmptyAsked: false, isConflict: false });
  },
  update,
  provide: (field) => [EditorView.decorations.from(field, ({ decorations }) => decorations), EditorView.atomicRanges.of((view) => hiddenIn(view.state))],
});

function hiddenIn(state: EditorState): DecorationSet {
  const shown = state.field(shownProperties);
  const body = shown.matter && isForm(shown) ? bodyOf(state, shown.matter.to) : 0;
  return body > 0 ? Decoration.set(Decoration.replace({}).range(0, body)) : Decoration.none;
}

/** The selection without the hidden text. */
function outside(selection: EditorSelection, body: number): EditorSelection {
  const ranges = selection.ranges.map(({ anchor, head }) => EditorSelection.range(Math.max(anchor, body), Math.max(head, body)));
  return EditorSelection.create(ranges, selection.mainIndex);
}

const isTyped = (transaction: Transaction) =>
  transaction.docChanged && ['input', 'delete', 'move'].some((event) => transaction.isUserEvent(event)) && !transaction.isUserEvent(FORM_EVENT) && !transaction.isUserEvent('input.replace');

/** The hidden text is changed by the form, by undo, by "Replace" and from the file, not by what is typed below. */
const protect = EditorState.changeFilter.of((transaction) => {
  const shown = transaction.startState.field(shownProperties);
  return !isTyped(transaction) || !shown.matter || !isForm(shown) || [0, bodyOf(transaction.startState, shown.matter.to)];
});

/** The cursor stays out of the hidden text. A selection within it shows the text, as for a match of the search. */
const keepOut = EditorState.transactionFilter.of((transaction): TransactionSpec | readonly TransactionSpec[] => {
  const { startState, docChanged, changes, selection } = transaction;
  const before = startState.field(shownProperties);
  if (docChanged) {
    if (before.matter && !changes.touchesRange(0, before.matter.to)) return transaction;
    const shown = transaction.state.field(shownProperties);
    if (!shown.matter || !isForm(shown)) return transaction;
    const { to } = shown.matter;
    const body = bodyOf(transaction.state, to);
    // What is typed where there is no line below front matter needs one.
    const old = before.matter?.to;
    if (isTyped(transaction) && old !== undefined && isForm(before) && old === startState.doc.length) return transaction;
    const isInside = transaction.newSelection.ranges.some(({ from }) => from < body);
    return isInside ? [transaction, { selection: outside(transaction.newSelection, body), sequential: true }] : transaction;
  }
  if (!selection || !before.matter || !isForm(before)) return transaction;
  const { to } = before.matter;
  const { from, to: end, empty } = selection.main;
  if (from > 0 && end <= to && !(empty && from === to)) return [transaction, { effects: showYaml.of(true) }];
  const body = bodyOf(startState, to);
  return selection.ranges.some((range) => range.from < body) ? [transaction, { selection: outside(selection, body), sequential: true }] : transaction;
});

/** What is typed behind front matter that ends the text begins a new line. */
const newLine = EditorState.transactionFilter.of((transaction): TransactionSpec | readonly TransactionSpec[] => {
  const { startState } = transaction;
  if (!isTyped(transaction)) return transaction;
  const shown = startState.field(shownProperties);
  const to = shown.matter?.to;
  if (to === undefined || !isForm(shown) || to !== startState.doc.length) return transaction;
  return [{ changes: { from: to, insert: startState.lineBreak } }, transaction];
});

/** What is dropped above the hidden text goes below it. */
const belowMatter = EditorState.transactionFilter.of((transaction): TransactionSpec | readonly TransactionSpec[] => {
  const { startState, changes } = transaction;
  if (!isTyped(transaction)) return transaction;
  const shown = startState.field(shownProperties);
  if (!shown.matter || !isForm(shown)) return transaction;
  const body = bodyOf(startState, shown.matter.to);
  let isAbove = false;
  const moved: ChangeSpec[] = [];
  changes.iterChanges((from, to, _from, _to, insert) => {
    const isFirst = from === 0 && to === 0;
    isAbove ||= isFirst;
    moved.push(isFirst ? { from: body, insert } : { from, to, insert });
  });
  return isAbove ? { changes: moved, userEvent: transaction.annotation(Transaction.userEvent) ?? 'input', scrollIntoView: true } : transaction;
});

export const hiding: Extension = [shownProperties, protect, newLine, keepOut, belowMatter];
