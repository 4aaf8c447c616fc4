// Front matter as properties: for each key its kind, its value, and where they are written. Every position is an offset in the
// YAML, so that a change replaces only what it is about.
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Pair, type Scalar, type YAMLMap } from 'yaml';
import { writing } from '../../words/writing';

export interface Span {
  from: number;
  to: number;
}

export type Style = 'PLAIN' | 'QUOTE_SINGLE' | 'QUOTE_DOUBLE';

/** The kinds that a person can choose. */
export const KINDS = ['text', 'number', 'checkbox', 'date', 'time', 'list'] as const;
export type Kind = (typeof KINDS)[number];

/** A value on one line. Where nothing is written, its span is empty and directly behind the colon. */
export interface Written extends Span {
  text: string;
  style: Style;
}

export interface Item extends Written {
  /** In a list with one item a line: the line, with its line break. */
  line: Span;
}

interface Named {
  key: string;
  /** Offset behind the colon. */
  colon: number;
}

export interface ScalarProperty extends Named {
  kind: Exclude<Kind, 'list'>;
  name: Written;
  /** Its lines, with line breaks. */
  lines: Span;
  value: Written;
}

export interface ListProperty extends Named {
  kind: 'list';
  name: Written;
  lines: Span;
  /** `flow`: `[a, b]`. `block`: one item a line. */
  form: 'flow' | 'block';
  /** In brackets, with them; otherwise from the first line of an item to the end of the last one. */
  value: Span;
  items: readonly Item[];
}

/** What a form cannot represent: nested values, anchors, tags, values on several lines. */
export interface OtherProperty extends Named {
  kind: 'other';
  /** The value as written. */
  source: string;
}

export type Property = ScalarProperty | ListProperty | OtherProperty;

export interface Model {
  properties: readonly Property[];
  /** Whether a line with another key can be added at the end. */
  isExtensible: boolean;
  /** How lists are written here. */
  listForm: 'flow' | 'block';
  /** The spaces before each key. */
  indent: string;
}

export interface Broken {
  /** Line of the YAML, from 1. */
  line: number;
  message: string;
}

export const isBroken = (read: Model | Broken): read is Broken => 'message' in read;

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const TIME = /^\d{4}-\d{2}-\d{2}[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;

/** The kind of a value by its text; quoted numbers and words are text. */
function kindOf(text: string, value: unknown): ScalarProperty['kind'] {
  if (typeof value === 'boolean') return 'checkbox';
  if (typeof value === 'number') return 'number';
  if (DATE.test(text)) return 'date';
  return TIME.test(text) ? 'time' : 'text';
}

class Reader {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** The offset behind the line that contains `at`. */
  #afterLine(at: number): number {
    const end = this.#source.indexOf('\n', at);
    return end < 0 ? this.#source.length : end + 1;
  }

  #lineStart(at: number): number {
    return this.#source.lastIndexOf('\n', at - 1) + 1;
  }

  /** A scalar on one line without anchor and tag. */
  #written(node: unknown): Written | null {
    if (!isScalar(node) || !node.range || node.anchor || node.tag) return null;
    const { type } = node as Scalar;
    if (type !== 'PLAIN' && type !== 'QUOTE_SINGLE' && type !== 'QUOTE_DOUBLE') return null;
    const [from, to] = node.range;
    const source = this.#source.slice(from, to);
    if (source.includes('\n')) return null;
    return { from, to, style: type, text: type === 'PLAIN' ? source : String(node.value) };
  }

  /** What is written there, without the indentation that all lines have. */
  #lines(from: number, to: number): string {
    const start = this.#lineStart(from);
    const isAlone = this.#source.slice(start, from).trim() === '';
    const lines = this.#source.slice(isAlone ? start : from, to).trimEnd().split('\n');
    const depths = lines.slice(isAlone ? 0 : 1).flatMap((line) => (line.trim() ? [/^ */.exec(line)?.[0].length ?? 0] : []));
    const depth = Math.min(...depths);
    return lines.map((line, index) => (index === 0 && !isAlone ? line : line.slice(depth))).join('\n');
  }

  #items(seq: { items: unknown[]; flow?: boolean | undefined }): Item[] | null {
    const items: Item[] = [];
    for (const node of seq.items) {
      const written = this.#written(node);
      if (!written || written.from === written.to) return null;
      const line = { from: this.#lineStart(written.from), to: this.#afterLine(written.to) };
      if (!seq.flow && !/^[ \t]*- +$/.test(this.#source.slice(line.from, written.from))) return null;
      items.push({ ...written, line });
    }
    return items;
  }

  property(pair: Pair): Property {
    const { key, value, srcToken } = pair as Pair & { srcToken?: { start?: { type: string }[]; sep?: { type: string; offset: number }[] } };
    const indicator = srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
    const colon = (indicator?.offset ?? -1) + 1;
    const name = this.#written(key);
    const range = (value as { range?: [number, number, number] } | null)?.range;
    const other = (): OtherProperty => {
      const written = (key as { range?: [number, number, number] } | null)?.range;
      const label = name?.text ?? (written ? this.#source.slice(written[0], written[1]) : '?');
      return { kind: 'other', key: label, colon, source: range ? this.#lines(range[0], range[1]) : '' };
    };
    const isPlain = name && indicator && name.text !== '<<' && !srcToken?.start?.some(({ type }) => type === 'explicit-key-ind');
    // Anchors and tags are between the colon and the value.
    if (!isPlain || srcToken?.sep?.some(({ type }) => type === 'anchor' || type === 'tag') || isAlias(value)) return other();
    const named = { key: name.text, name, colon };
    const start = this.#lineStart(name.from);
    if (isSeq(value) && value.range && !value.anchor && !value.tag) {
      const [from, to] = value.range;
      const items = this.#items(value);
      if (!items || (value.flow && this.#source.slice(from, to).includes('\n'))) return other();
      const last = items.at(-1)?.line.to ?? this.#afterLine(to);
      if (value.flow) return { ...named, kind: 'list', form: 'flow', items, value: { from, to }, lines: { from: start, to: this.#afterLine(to) } };
      return { ...named, kind: 'list', form: 'block', items, value: { from: items[0]?.line.from ?? from, to: last }, lines: { from: start, to: last } };
    }
    if (value !== null && !isScalar(value)) return other();
    const written = value === null ? { from: colon, to: colon, text: '', style: 'PLAIN' as const } : this.#written(value);
    // A value on the line below its key would need other edits.
    if (!written || this.#source.slice(colon, written.from).includes('\n')) return other();
    const isEmpty = written.from === written.to;
    const kind = isEmpty ? 'text' : kindOf(written.text, isScalar(value) ? value.value : null);
    const place = isEmpty ? { ...written, from: colon, to: colon, text: '' } : written;
    return { ...named, kind, value: place, lines: { from: start, to: this.#afterLine(place.to) } };
  }
}

/** Reads the YAML between the fences. */
export function read(source: string): Model | Broken {
  const lines = new LineCounter();
  const parsed = parseDocument(source, { keepSourceTokens: true, prettyErrors: false, lineCounter: lines });
  const [error] = parsed.errors;
  if (error) return { line: Math.max(1, lines.linePos(error.pos[0]).line), message: writing.properties.yaml(error.code, error.message) };
  const map = parsed.contents as YAMLMap | null;
  if (map === null || (isScalar(map) && map.value === null)) return { properties: [], isExtensible: true, listForm: 'flow', indent: '' };
  if (!isMap(map)) return { line: 1, message: writing.properties.notKeys };
  const reader = new Reader(source);
  const properties = map.items.map((pair) => reader.property(pair));
  const first = map.range?.[0] ?? 0;
  const indent = source.slice(source.lastIndexOf('\n', first - 1) + 1, first);
  const list = properties.find((property) => property.kind === 'list');
  const isBlock = !map.flow && !map.anchor && !map.tag && /^ *$/.test(indent);
  const flat = properties.map((property): Property => (property.kind === 'other' ? property : { kind: 'other', key: property.key, colon: property.colon, source: source.slice(property.value.from, property.value.to) }));
  return { properties: isBlock ? properties : flat, isExtensible: isBlock, listForm: list?.kind === 'list' ? list.form : 'flow', indent: isBlock ? indent : '' };
}

/** The values of all keys, to compare two texts. Null if they cannot be computed. */
export function valuesOf(source: string): Map<string, string> | null {
  try {
    const parsed = parseDocument(source, { prettyErrors: false, logLevel: 'silent' });
    if (parsed.errors.length > 0) return null;
    const found = new Map<string, string>();
    if (isMap(parsed.contents)) {
      for (const { key, value } of parsed.contents.items) {
        const plain = (node: unknown) => JSON.stringify((node as { toJS?: (of: unknown) => unknown } | null)?.toJS?.(parsed) ?? null);
        found.set(plain(key), plain(value));
      }
    }
    return found;
  } catch {
    // An alias may expand to more than the parser allows.
    return null;
  }
}
