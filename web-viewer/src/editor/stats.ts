// What the status bar says of a text.
import type { EditorState } from '@codemirror/state';
import type { PageStats } from './mount';
import { frontMatterOf } from './front-matter';

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー';
/** A word, or a letter of scripts that put no spaces between words. */
const WORDS = new RegExp(`[${CJK}]|(?:(?![${CJK}])[\\p{L}\\p{N}'’_])+`, 'gu');

/** Counts without front matter. */
export function statsOf(text: string): PageStats {
  let words = 0;
  for (const _ of text.matchAll(WORDS)) words++;
  let characters = 0;
  for (const letter of text) if (letter !== '\n') characters++;
  let links = 0;
  for (const _ of text.matchAll(/\[\[[^[\]\n]+\]\]/g)) links++;
  return { words, characters, links };
}

export function pageStats(state: EditorState): PageStats {
  const start = frontMatterOf(state)?.to ?? 0;
  return statsOf(state.sliceDoc(start).trim());
}

/** The title that the text gives itself near its beginning. */
export function titleIn(state: EditorState): string | null {
  const matter = frontMatterOf(state);
  const named = matter && /^title:[ \t]*(.+)$/m.exec(state.sliceDoc(0, matter.to))?.[1]?.trim();
  if (named) return named.replace(/^(["'])(.*)\1$/s, '$2');
  const beginning = state.sliceDoc(matter?.to ?? 0, (matter?.to ?? 0) + 4_000);
  return /^#[ \t]+(.+?)[ \t]*#*$/m.exec(beginning)?.[1] ?? null;
}
