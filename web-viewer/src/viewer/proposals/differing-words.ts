// A hunk as text with marks: words that go are struck, new words are underlined, inside the lines where they are.
import { diff, presentableDiff } from '@codemirror/merge';
import { linesOf } from '../review/diff';

export interface Part {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Lines that do not change, or that do. */
export interface Passage {
  kind: 'same' | 'changed';
  parts: Part[];
}

/** Scripts without spaces between words, where a change of a word is one of letters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** With less of a text in common, a mix of both cannot be read. */
const COMMON = 0.35;
/** Texts that are too different are compared roughly after this time, in milliseconds. */
const PATIENCE_MS = 100;

/** The words that differ between two texts, in one text. */
export function mixed(before: string, after: string): Part[] {
  if (before === '' || after === '') return [part('removed', before), part('added', after)].filter(({ text }) => text !== '');
  const compare = UNSPACED.test(before) || UNSPACED.test(after) ? diff : presentableDiff;
  const parts: Part[] = [];
  let [at, common] = [0, 0];
  for (const { fromA, toA, fromB, toB } of compare(before, after, { scanLimit: 1000, timeout: PATIENCE_MS })) {
    common += fromA - at;
    parts.push(part('same', before.slice(at, fromA)), part('removed', before.slice(fromA, toA)), part('added', after.slice(fromB, toB)));
    at = toA;
  }
  common += before.length - at;
  parts.push(part('same', before.slice(at)));
  if (common < COMMON * Math.min(before.length, after.length)) return [part('removed', `${before}\n`), part('added', after)];
  return parts.filter(({ text }) => text !== '');
}

/** The passages of a unified diff, in order. */
export function passagesOf(unified: string): Passage[] {
  const passages: Passage[] = [];
  let [removed, added]: [string[], string[]] = [[], []];
  const change = () => {
    if (removed.length + added.length > 0) passages.push({ kind: 'changed', parts: mixed(removed.join('\n'), added.join('\n')) });
    [removed, added] = [[], []];
  };
  let same: string[] = [];
  const rest = () => {
    if (same.length > 0) passages.push({ kind: 'same', parts: [part('same', same.join('\n'))] });
    same = [];
  };
  for (const { kind, text } of linesOf(unified)) {
    if (kind === 'place' || kind === 'file' || text.startsWith('\\')) continue;
    const line = text.slice(1);
    if (kind === 'same') {
      change();
      same.push(line);
      continue;
    }
    rest();
    (kind === 'removed' ? removed : added).push(line);
  }
  change();
  rest();
  return passages;
}

function part(kind: Part['kind'], text: string): Part {
  return { kind, text };
}
