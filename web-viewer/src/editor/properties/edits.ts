// Changes of properties as the smallest edits of the YAML.
//
// **Invariants**
// - An edit changes the lines of its key only (`edits.test.ts`, "an edit changes only the lines of its key").
// - An edit whose result would be broken, or would change another value, is refused.
import { Document, isMap, isSeq, Scalar } from 'yaml';
import { isBroken, read, valuesOf, type Kind, type ListProperty, type Model, type Property, type Style, type Written } from './model';

/** An insertion, a replacement or a deletion. */
export interface Change {
  from: number;
  to: number;
  insert: string;
}

export type Edit =
  /** Writes a value on one line, and adds the key if it is missing. */
  | { do: 'set'; key: string; kind: Exclude<Kind, 'list'>; text: string }
  /** Adds an item at the end of a list, and the key if it is missing. */
  | { do: 'add'; key: string; text: string }
  | { do: 'replace'; key: string; index: number; text: string }
  | { do: 'drop'; key: string; index: number }
  /** Writes a whole list. */
  | { do: 'list'; key: string; items: readonly string[] }
  | { do: 'rename'; key: string; to: string }
  | { do: 'remove'; key: string };

const oneLine = (text: string) => text.replace(/\s*[\r\n]+\s*/g, ' ');

/** A text as YAML, in a wanted style if that can represent it. `place`: in a list in brackets, or alone on a line. */
export function scalarText(text: string, place: 'flow' | 'line', style?: Style): string {
  const scalar = new Scalar(oneLine(text));
  if (style && style !== 'PLAIN') scalar.type = style;
  const document = place === 'flow' ? new Document([scalar], { compat: 'yaml-1.1' }) : new Document({ k: scalar }, { compat: 'yaml-1.1' });
  const { contents } = document;
  if (isSeq(contents)) contents.flow = true;
  const written = document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd();
  return isMap(contents) ? written.slice(2).trimStart() : written.slice(1, -1);
}

function keyText(key: string, style?: Style): string {
  const scalar = new Scalar(oneLine(key).trim());
  if (style && style !== 'PLAIN') scalar.type = style;
  const document = new Document({}, { compat: 'yaml-1.1' });
  document.set(scalar, 1);
  return document.toString({ lineWidth: 0 }).trimEnd().replace(/ ?: 1$/, '');
}

/** Numbers, dates and checkboxes are written without quotes, texts so that they stay texts. */
function valueText(text: string, kind: Exclude<Kind, 'list'>, old?: Written): string {
  if (kind === 'text') return scalarText(text, 'line', old?.style);
  // A number typed as words becomes a text.
  if (kind === 'number' && !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return scalarText(text, 'line', old?.style);
  if (kind !== 'checkbox' && old && old.style !== 'PLAIN') return scalarText(text, 'line', old.style);
  const isUpper = kind === 'checkbox' && /^[TF]/.test(old?.text ?? '');
  return isUpper ? (old?.text === old?.text.toUpperCase() ? text.toUpperCase() : text.charAt(0).toUpperCase() + text.slice(1)) : text;
}

const inBrackets = (items: readonly string[]) => `[${items.map((item) => scalarText(item, 'flow')).join(', ')}]`;

/** The lines of a list with one item a line, behind the colon of its key. */
const inLines = (items: readonly string[], indent: string) => items.map((item) => `\n${indent}  - ${scalarText(item, 'line')}`).join('');

const listText = (items: readonly string[], { listForm, indent }: Pick<Model, 'listForm' | 'indent'>) => (listForm === 'block' && items.length > 0 ? inLines(items, indent) : ` ${inBrackets(items)}`);

const find = (model: Model, key: string): Property | undefined => model.properties.find((property) => property.key === key);

/** Puts a text, with the space before it, behind the colon. What follows on the line stays: a comment. */
function behindColon(property: Exclude<Property, { kind: 'other' }>, text: string): Change[] {
  if (property.kind !== 'list' || property.form === 'flow') return [{ from: property.colon, to: property.value.to, insert: text }];
  // The lines of the items go. A comment or a blank line between them would be lost, so each line is removed by itself.
  return [{ from: property.colon, to: property.colon, insert: text }, ...property.items.map(({ line }) => ({ from: line.from, to: line.to, insert: '' }))];
}

/** A new line at the end of the YAML. */
function newLine(source: string, model: Model, key: string, rest: string): Change[] {
  if (!model.isExtensible) return [];
  const isOpen = source !== '' && !source.endsWith('\n');
  return [{ from: source.length, to: source.length, insert: `${isOpen ? '\n' : ''}${model.indent}${keyText(key)}:${rest}\n` }];
}

function dropItem(list: ListProperty, index: number): Change[] {
  const item = list.items[index];
  if (!item) return [];
  const isLast = list.items.length === 1;
  if (list.form === 'block') return [...(isLast ? [{ from: list.colon, to: list.colon, insert: ' []' }] : []), { from: item.line.from, to: item.line.to, insert: '' }];
  const [before, after] = [list.items[index - 1], list.items[index + 1]];
  if (after) return [{ from: item.from, to: after.from, insert: '' }];
  return [{ from: before?.to ?? item.from, to: item.to, insert: '' }];
}

function addItem(list: ListProperty, text: string, source: string): Change[] {
  const last = list.items.at(-1);
  if (list.form === 'flow') {
    const at = last?.to ?? list.value.from + 1;
    return [{ from: at, to: at, insert: `${last ? ', ' : ''}${scalarText(text, 'flow', last?.style)}` }];
  }
  if (!last) return [];
  const lead = source.slice(last.line.from, last.from);
  const isOpen = !source.slice(last.line.from, last.line.to).endsWith('\n');
  const line = `${lead}${scalarText(text, 'line', last.style)}`;
  return [{ from: last.line.to, to: last.line.to, insert: isOpen ? `\n${line}` : `${line}\n` }];
}

/** What one name, or words in one text, are as items. */
export function itemsIn(property: Property, isWords: boolean): string[] {
  if (property.kind === 'list') return property.items.map(({ text }) => text);
  if (property.kind === 'other' || property.value.text.trim() === '') return [];
  const { text } = property.value;
  return isWords ? text.split(/[\s,]+/).filter(Boolean) : [text];
}

function changesFor(source: string, model: Model, edit: Edit, isWords: boolean): Change[] {
  const property = find(model, edit.key);
  if (property?.kind === 'other') return [];
  switch (edit.do) {
    case 'set': {
      if (!property) return newLine(source, model, edit.key, edit.text ? ` ${valueText(edit.text, edit.kind)}` : '');
      if (property.kind === 'list') return behindColon(property, edit.text ? ` ${valueText(edit.text, edit.kind)}` : '');
      const { value, colon } = property;
      const isWritten = value.from < value.to;
      if (edit.text === '' && value.style === 'PLAIN') return isWritten ? [{ from: colon, to: value.to, insert: '' }] : [];
      const text = valueText(edit.text, edit.kind, isWritten ? value : undefined);
      return isWritten ? [{ from: value.from, to: value.to, insert: text }] : [{ from: colon, to: colon, insert: ` ${text}` }];
    }
    case 'add': {
      if (!property) return newLine(source, model, edit.key, listText([edit.text], model));
      if (property.kind === 'list') return addItem(property, edit.text, source);
      return behindColon(property, listText([...itemsIn(property, isWords), edit.text], { ...model, listForm: property.value.text ? 'flow' : model.listForm }));
    }
    case 'replace': {
      if (!property) return [];
      if (property.kind === 'list') {
        const item = property.items[edit.index];
        return item ? [{ from: item.from, to: item.to, insert: scalarText(edit.text, property.form === 'flow' ? 'flow' : 'line', item.style) }] : [];
      }
      const items = itemsIn(property, isWords);
      if (edit.index >= items.length) return [];
      if (items.length === 1) return changesFor(source, model, { do: 'set', key: edit.key, kind: 'text', text: edit.text }, isWords);
      return behindColon(property, ` ${inBrackets(items.with(edit.index, edit.text))}`);
    }
    case 'drop': {
      if (!property) return [];
      if (property.kind === 'list') return dropItem(property, edit.index);
      const items = itemsIn(property, isWords);
      if (edit.index >= items.length) return [];
      items.splice(edit.index, 1);
      return behindColon(property, items.length > 0 ? ` ${inBrackets(items)}` : '');
    }
    case 'list':
      return property ? behindColon(property, ` ${inBrackets(edit.items)}`) : newLine(source, model, edit.key, listText(edit.items, model));
    case 'rename':
      return property && edit.to.trim() ? [{ from: property.name.from, to: property.name.to, insert: keyText(edit.to, property.name.style) }] : [];
    case 'remove':
      return property ? [{ from: property.lines.from, to: property.lines.to, insert: '' }] : [];
  }
}

export function applied(source: string, changes: readonly Change[]): string {
  let text = source;
  for (const { from, to, insert } of [...changes].sort((a, b) => b.from - a.from)) text = text.slice(0, from) + insert + text.slice(to);
  return text;
}

/** Whether every other key has the value that it had. */
function keepsOthers(before: string, after: string, edit: Edit): boolean {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  if (!old || !now) return false;
  const changed = JSON.stringify(edit.key);
  const added = edit.do === 'rename' ? JSON.stringify(edit.to.trim()) : changed;
  const isThere = edit.do !== 'remove';
  if (edit.do === 'rename' && (old.get(changed) !== now.get(added) || old.has(added))) return false;
  const others = (values: Map<string, string>) => [...values].filter(([key]) => key !== changed && key !== added);
  return now.has(added) === isThere && JSON.stringify(others(old)) === JSON.stringify(others(now));
}

/**
 * The changes of the YAML between the fences, in order; empty if there is nothing to change. Null if the edit cannot be made
 * without changing more than it should. `isWords`: a text with several words is a list of them, as for tags.
 */
export function changesOf(source: string, edit: Edit, isWords = false): Change[] | null {
  const model = read(source);
  if (isBroken(model)) return null;
  if (edit.do === 'rename' && edit.to.trim() === edit.key) return [];
  const changes = changesFor(source, model, edit, isWords).filter(({ from, to, insert }) => source.slice(from, to) !== insert);
  if (changes.length === 0) return find(model, edit.key)?.kind === 'other' || (!find(model, edit.key) && edit.do !== 'remove' && edit.do !== 'drop') ? null : [];
  return keepsOthers(source, applied(source, changes), edit) ? changes : null;
}
