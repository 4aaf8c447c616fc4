// Merges two versions of a text, line by line.
import { diffIndices } from 'node-diff3';

export interface Merged {
  /** Both sides' edits; ours in conflicts. */
  ours: string;
  /** Both sides' edits; theirs in conflicts. Equal to `ours` if there are none. */
  theirs: string;
}

/** Lines `[from, to)` of the base that a side replaced by its lines `[start, end)`. */
interface Hunk {
  from: number;
  to: number;
  start: number;
  end: number;
}

/** Lines with their endings, so that a changed ending is a difference. */
function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The changes of `side`. Comparing repeated lines is quadratic, so equal lines at both ends are skipped. */
function hunks(base: readonly string[], side: readonly string[]): Hunk[] {
  const shortest = Math.min(base.length, side.length);
  let head = 0;
  while (head < shortest && base[head] === side[head]) head++;
  let tail = 0;
  while (tail < shortest - head && base[base.length - 1 - tail] === side[side.length - 1 - tail]) tail++;
  return diffIndices(base.slice(head, base.length - tail), side.slice(head, side.length - tail)).map(({ buffer1, buffer2 }) => ({
    from: head + buffer1[0],
    to: head + buffer1[0] + buffer1[1],
    start: head + buffer2[0],
    end: head + buffer2[0] + buffer2[1],
  }));
}

/** The lines that replace `[from, to)` of the base; lines around `own` come from the base. */
function replacement(side: readonly string[], own: readonly Hunk[], from: number, to: number): string {
  const [first, last] = [own[0] as Hunk, own.at(-1) as Hunk];
  return side.slice(first.start - (first.from - from), last.end + (to - last.to)).join('');
}

export function mergeTexts(base: string, ours: string, theirs: string): Merged {
  if (ours === theirs || theirs === base) return { ours, theirs: ours };
  if (ours === base) return { ours: theirs, theirs };
  const [o, a, b] = [lines(base), lines(ours), lines(theirs)];
  const [mine, yours] = [hunks(o, a), hunks(o, b)];
  const merged: Merged = { ours: '', theirs: '' };
  const put = (forUs: string, forThem: string) => {
    merged.ours += forUs;
    merged.theirs += forThem;
  };
  let at = 0;
  while (mine.length > 0 || yours.length > 0) {
    const from = Math.min(mine[0]?.from ?? Infinity, yours[0]?.from ?? Infinity);
    let to = from;
    const own: Hunk[] = [];
    const foreign: Hunk[] = [];
    // Adjacent changes conflict: a new line may refer to a line next to it that the other side deleted.
    for (let grows = true; grows; ) {
      grows = false;
      for (const [side, taken] of [[mine, own], [yours, foreign]] as const) {
        while (side[0] && side[0].from <= to) {
          const hunk = side.shift() as Hunk;
          to = Math.max(to, hunk.to);
          taken.push(hunk);
          grows = true;
        }
      }
    }
    const untouched = o.slice(at, from).join('');
    put(untouched, untouched);
    const forUs = own.length > 0 ? replacement(a, own, from, to) : replacement(b, foreign, from, to);
    put(forUs, foreign.length > 0 ? replacement(b, foreign, from, to) : forUs);
    at = to;
  }
  const rest = o.slice(at).join('');
  put(rest, rest);
  return merged;
}
