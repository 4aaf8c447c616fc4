// Statistics of a text: its length, and the position of the cursor among the headings.
import type { EditorState } from '@codemirror/state';
import type { HeadingsAbove, PageStats } from './mount';
import { frontMatterOf } from './front-matter';
import { treeTo } from './tree';

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー';
/** A word, or a letter of scripts without spaces between words. */
const WORDS = new RegExp(`[${CJK}]|(?:(?![${CJK}])[\\p{L}\\p{N}'’_])+`, 'gu');

/** Counts, without front matter. */
export function statsOf(text: string): PageStats {
  let words = 0;
  for (const _ of text.matchAll(WORDS)) words++;
  let characters = 0;
  for (const letter of text) if (letter !== '\n') characters++;
  return { words, characters };
}

export function pageStats(state: EditorState): PageStats {
  const start = frontMatterOf(state)?.to ?? 0;
  return statsOf(state.sliceDoc(start).trim());
}

/** Milliseconds that parsing up to the cursor may take. */
const READING = 20;

/** Headings at or above the cursor, outside of quotes and lists, and the text of the first one. */
export function headingsAbove(state: EditorState): HeadingsAbove {
  const { to } = state.doc.lineAt(state.selection.main.head);
  const above: HeadingsAbove = { count: 0, first: '' };
  // The position that the cursor jumped to may not be parsed yet. The line below may make its line a heading.
  const below = state.doc.lineAt(Math.min(to + 1, state.doc.length)).to;
  treeTo(state, below, READING).iterate({
    to,
    enter({ type, from, to }) {
      if (/^(ATX|Setext)Heading/.test(type.name) && above.count++ === 0) {
        above.first = state.sliceDoc(from, to).replace(/^#+|#+$|\n.*/g, '').trim();
      }
      return !/^(Frontmatter|Paragraph|FencedCode|CodeBlock|HTMLBlock|Table|Blockquote|BulletList|OrderedList)$/.test(type.name);
    },
  });
  return above;
}

/** The initial cursor position in a page: below its front matter and its title. */
export function belowTitle(state: EditorState): number {
  const { doc } = state;
  const matter = frontMatterOf(state);
  let number = matter ? doc.lineAt(matter.to).number + 1 : 1;
  const isBlank = () => number <= doc.lines && !doc.line(number).text.trim();
  while (isBlank()) number++;
  if (number <= doc.lines && /^ {0,3}#{1,6}([ \t]|$)/.test(doc.line(number).text)) number++;
  else if (number < doc.lines && /^ {0,3}=+[ \t]*$/.test(doc.line(number + 1).text)) number += 2;
  while (isBlank()) number++;
  return number <= doc.lines ? doc.line(number).from : doc.length;
}

/** Whether the text begins with a heading. */
export function hasHeading(state: EditorState): boolean {
  const matter = frontMatterOf(state);
  const lines = state.sliceDoc(matter?.to ?? 0, (matter?.to ?? 0) + 4_000).split('\n');
  const first = lines.findIndex((line) => line.trim() && !/^\s*(<|\[?!\[|#[^\s#])/.test(line));
  return /^ {0,3}#[ \t]/.test(lines[first] ?? '') || (first >= 0 && /^ {0,3}=+[ \t]*$/.test(lines[first + 1] ?? ''));
}

/** The title at the top of the text: in front matter, or a heading below nothing but pictures, tags and HTML. */
export function titleIn(state: EditorState): string | null {
  const matter = frontMatterOf(state);
  const named = matter && /^title:[ \t]*(.+)$/m.exec(state.sliceDoc(0, matter.to))?.[1]?.trim();
  if (named) return named.replace(/^(["'])(.*)\1$/s, '$2');
  const beginning = state.sliceDoc(matter?.to ?? 0, (matter?.to ?? 0) + 4_000);
  const first = beginning.split('\n').find((line) => line.trim() && !/^\s*(<|\[?!\[|#[^\s#])/.test(line));
  return /^#[ \t]+(.+?)[ \t]*#*[ \t]*$/.exec(first ?? '')?.[1] ?? null;
}

/** Where text goes: to the end, below the title, or to a line (from 1) and a column. */
export type WritingPlace = 'end' | 'title' | { line: number; column: number };

export function placeIn(state: EditorState, place: WritingPlace): number {
  const { doc } = state;
  if (place === 'end') return doc.length;
  // The page may have been changed since, by somebody else.
  if (place === 'title' || place.line > doc.lines) return belowTitle(state);
  const { from, to } = doc.line(place.line);
  return Math.min(from + place.column, to);
}
