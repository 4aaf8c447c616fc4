// What the engine knows about keys: how their values are shown, and what completes them.
import type { Kind } from './model';

export type Completes = 'types' | 'tags' | 'sources' | 'pages' | 'links' | 'none';

export interface Field {
  kind: Kind;
  /** Whether the kind is fixed by the meaning of the key. */
  isKnown: boolean;
  completes: Completes;
  /** Whether one text is a list of words. */
  isWords: boolean;
}

/** One spelling of each known key, as new pages should have it. */
export const KNOWN_KEYS = ['title', 'type', 'tags', 'aliases', 'source_refs', 'publish', 'lang', 'created_at', 'updated_at'];

export const KNOWN_TYPES = ['spec', 'design', 'db-schema', 'api', 'config', 'guide'];

const FIELDS: readonly [RegExp, Kind, Completes][] = [
  [/^(title|id|lang|language)$/, 'text', 'none'],
  [/^(type|doc_type|docType)$/, 'text', 'types'],
  [/^(tags|tag)$/, 'list', 'tags'],
  [/^(aliases|alias)$/, 'list', 'none'],
  [/^(source_refs|sourceRefs)$/, 'list', 'sources'],
  [/^publish$/, 'checkbox', 'none'],
  [/^(created|updated)(_at|At)?$/, 'date', 'none'],
];

const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The field of a key. `kind` is that of its value, for keys of the user. */
export function fieldOf(key: string, kind: Kind, linkTypes: readonly string[]): Field {
  if (linkTypes.includes(key) || linkTypes.includes(snake(key))) return { kind: 'list', isKnown: true, completes: 'links', isWords: false };
  const known = FIELDS.find(([names]) => names.test(key));
  if (!known) return { kind, isKnown: false, completes: 'pages', isWords: false };
  const [, own, completes] = known;
  // One name is a list of names, and a number is a text. Everything else is shown as it is written.
  const shown = own === 'list' || (own === 'text' && kind !== 'list') ? own : kind;
  return { kind: shown, isKnown: true, completes, isWords: /^tags?$/.test(key) };
}

/** The field of a key that has no value yet. */
export function newField(key: string, kind: Kind, linkTypes: readonly string[]): Field {
  const known = FIELDS.find(([names]) => names.test(key));
  return fieldOf(key, known ? known[1] : kind, linkTypes);
}
