// Computes the smallest change between two texts, so that cursor, selection and undo history are kept.
import { diff } from '@codemirror/merge';
import type { ChangeSpec } from '@codemirror/state';

/** The changes that turn `from` into `to`. Insertions use `\n` as line break. */
export function leastChange(from: string, to: string): ChangeSpec[] {
  const shortest = Math.min(from.length, to.length);
  let head = 0;
  while (head < shortest && from.charCodeAt(head) === to.charCodeAt(head)) head++;
  let tail = 0;
  while (tail < shortest - head && from.charCodeAt(from.length - 1 - tail) === to.charCodeAt(to.length - 1 - tail)) tail++;
  // Do not split a surrogate pair.
  if (isLowSurrogate(from, head) || isLowSurrogate(to, head)) head--;
  if (tail > 0 && (isLowSurrogate(from, from.length - tail) || isLowSurrogate(to, to.length - tail))) tail--;
  const [before, after] = [from.slice(head, from.length - tail), to.slice(head, to.length - tail)];
  return diff(before, after, { scanLimit: 400, timeout: 100 }).map(({ fromA, toA, fromB, toB }) => {
    // The halves beside a change are the same on both sides.
    const first = Number(isLowSurrogate(before, fromA) || isLowSurrogate(after, fromB));
    const last = Number(isLowSurrogate(before, toA) || isLowSurrogate(after, toB));
    return { from: head + fromA - first, to: head + toA + last, insert: after.slice(fromB - first, toB + last) };
  });
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
