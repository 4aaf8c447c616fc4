// Lines of a file: how a link names them, and its language.
import { nameOf } from '../../text/paths';
import { writing } from '../../words/writing';

/** The first and last line that a fragment names, from 1. */
export function linesIn(fragment: string, count: number): { first: number; last: number } | null {
  const found = /^L(\d+)(?:-L?(\d+))?$/.exec(fragment);
  if (!found) return null;
  const [one, other] = [Number(found[1]), Number(found[2] ?? found[1])];
  const [first, last] = [Math.min(one, other), Math.min(Math.max(one, other), count)];
  return first >= 1 && first <= count ? { first, last } : null;
}

/** What the highlighter may know a file by: its ending, or its name. */
export function languageOf(path: string): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1) : name;
}

export function sizeInWords(bytes: number): string {
  if (bytes < 1000) return writing.files.bytes(bytes);
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
