// What the engine says, in the reader's language: it asks for each of its English texts. A server has the catalogue itself.
import type { Words } from '#engine/base';
import type { Language } from '../words/language.svelte';

/** A catalogue, as `messages.ts` of the build reads it from the files of the command. */
export interface Catalogue {
  /** Texts of every kind, by the English ones. */
  texts: Record<string, string>;
  /** English templates of texts that are stored before they are told. */
  stored: string[];
  /** English templates of the words of libraries. */
  libraries: string[];
}

interface Template {
  pattern: RegExp;
  translated: string;
  isForeign: boolean;
  /** Length without placeholders. */
  length: number;
}

const PART = /\{\{|\}\}|\{([^}]*)\}/g;
/** Placeholders whose values are words of a library or a stored text again. */
const WORDS: readonly (string | undefined)[] = ['reason', 'expected'];

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function templateOf(english: string, translated: string, isForeign: boolean): Template {
  const names = new Set<string>();
  let [pattern, length, from] = ['', 0, 0];
  const add = (text: string) => {
    pattern += escaped(text);
    length += text.length;
  };
  for (const { 0: part, 1: name, index } of english.matchAll(PART)) {
    add(english.slice(from, index));
    from = index + part.length;
    if (name === undefined) add(part[0] ?? '');
    else pattern += names.has(name) ? '.+?' : `(?<${name}>.+?)`;
    if (name !== undefined) names.add(name);
  }
  add(english.slice(from));
  return { pattern: new RegExp(`^${pattern}$`, 's'), translated, isForeign, length };
}

const filled = (template: string, value: (name: string) => string) => template.replace(PART, (part: string, name: string | undefined) => (name === undefined ? part[0]! : value(name)));

/** The words of a language. They are found as `retelling.rs` of the command finds them; `retold.json` has cases for both. */
export function wordsOf({ texts, stored, libraries }: Catalogue): Words {
  const known = new Map(Object.entries(texts));
  const text = (english: string) => known.get(english) ?? english;
  const all = (templates: string[], isForeign: boolean) => templates.map((english) => templateOf(english, text(english), isForeign));
  const templates = [...all(stored, false), ...all(libraries, true)].sort((a, b) => b.length - a.length);
  /** The words in the language, and whether they are those of a library. */
  const found = (words: string): { translated: string; isForeign: boolean } => {
    for (const { pattern, translated, isForeign } of templates) {
      const match = pattern.exec(words);
      if (!match) continue;
      const value = (name: string) => match.groups?.[name] ?? '';
      const again = (words: string) => (isForeign ? found(words).translated : told(words));
      return { translated: filled(translated, (name) => (WORDS.includes(name) ? again(value(name)) : value(name))), isForeign };
    }
    // A single word is a name, such as that of a file.
    return { translated: known.get(words) ?? (/\s/.test(words) ? filled(text('“{words}”'), () => words) : words), isForeign: false };
  };
  const told = (words: string): string => {
    const { translated, isForeign } = found(words);
    return isForeign ? filled(text('{translated} ({words})'), (name) => (name === 'words' ? words : translated)) : translated;
  };
  return { translated: (english) => known.get(english), retold: told };
}

const ENGLISH: Words = { translated: () => undefined, retold: () => undefined };
const loaded = new Map<Language, Promise<Words>>();

/** The words of a language; English if they cannot be loaded. */
export function wordsIn(language: Language): Promise<Words> {
  if (language === 'en') return Promise.resolve(ENGLISH);
  const known = loaded.get(language) ?? import('#messages/ja').then(({ default: catalogue }) => wordsOf(catalogue));
  loaded.set(language, known);
  return known.catch(() => {
    loaded.delete(language);
    return ENGLISH;
  });
}
