// Finds the typed letters in a name, to highlight them. The engine selects and orders the names (`complete`).
import { fold, foldWithOrigins } from './fold';

/** `[start, end)` in UTF-16 units. */
export type Range = [number, number];

/** The ranges of the typed letters in `name`: as one range if they are adjacent, otherwise one after the other. */
export function typedLetters(typed: string, name: string): Range[] {
  const letters = fold(typed).trim();
  if (!letters) return [];
  const { text, origins } = foldWithOrigins(name);
  const origin = (at: number) => origins[at] ?? name.length;
  const together = text.indexOf(letters);
  if (together >= 0) return [[origin(together), endOf(origins, together + letters.length - 1, name)]];
  const found: Range[] = [];
  let from = 0;
  for (const letter of letters.replace(/\s+/g, '')) {
    const at = text.indexOf(letter, from);
    if (at < 0) return [];
    from = at + letter.length;
    const range: Range = [origin(at), endOf(origins, from - 1, name)];
    const last = found.at(-1);
    if (last && last[1] >= range[0]) last[1] = range[1];
    else found.push(range);
  }
  return found;
}

/** The end of the cluster that contains the folded unit at `at`. */
function endOf(origins: number[], at: number, name: string): number {
  const start = origins[at];
  return origins.find((origin, index) => index > at && origin !== start) ?? name.length;
}

/** Whether the text contains every typed word; for lists filtered during typing. */
export function wordsOf(typed: string): string[] {
  return fold(typed).split(/\s+/).filter(Boolean);
}

export interface Piece {
  text: string;
  marked: boolean;
}

/** Splits the text at the borders of sorted ranges. Fixes overlapping ranges and ranges outside of the text. */
export function pieces(text: string, ranges: readonly (readonly [number, number])[]): Piece[] {
  const cut: Piece[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    const from = Math.max(at, start);
    const to = Math.min(text.length, end);
    if (to <= from) continue;
    if (from > at) cut.push({ text: text.slice(at, from), marked: false });
    cut.push({ text: text.slice(from, to), marked: true });
    at = to;
  }
  if (at < text.length) cut.push({ text: text.slice(at), marked: false });
  return cut;
}
