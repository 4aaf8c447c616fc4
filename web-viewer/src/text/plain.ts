// Removes Markdown markup from snippets, but no other text, and keeps the highlighted ranges. For one line of a list; the
// engine renders pages.
import type { Range } from './match';

export interface Plain {
  text: string;
  ranges: Range[];
}

/** Markup, each with the part to keep (the first group), if any. */
const SIGNS: readonly RegExp[] = [
  /!?\[\[(?:[^\]|#\n]*#)?([^\]|\n]+)(?:\|[^\]\n]*)?\]\]/g,
  /!?\[([^\]\n]*)\]\([^()\s]*(?: "[^"\n]*")?\)/g,
  /(?:^|(?<=\n))\s*(?:#{1,6}|>+|[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/g,
  /(?<![\w*])(?:\*{1,3}|_{2,3})(?=\S)|(?<=\S)(?:\*{1,3}|_{2,3})(?![\w*])/g,
  /`+|~~|==/g,
];

/** Removes markup from `text` and moves `ranges`, sorted UTF-16 `[start, end)`, accordingly. */
export function plain(text: string, ranges: readonly (readonly [number, number])[]): Plain {
  const gone = new Uint8Array(text.length);
  for (const sign of SIGNS) {
    for (const match of text.matchAll(new RegExp(sign, 'gd'))) {
      const [start, end] = match.indices?.[0] ?? [0, 0];
      const [keptFrom, keptTo] = match.indices?.[1] ?? [end, end];
      gone.fill(1, start, keptFrom);
      gone.fill(1, keptTo, end);
    }
  }
  const before = new Uint32Array(text.length + 1);
  let kept = '';
  for (let at = 0; at < text.length; at++) {
    before[at] = kept.length;
    if (!gone[at]) kept += text[at];
  }
  before[text.length] = kept.length;
  const place = (at: number) => before[Math.min(Math.max(at, 0), text.length)] ?? kept.length;
  const moved = ranges.map(([start, end]): Range => [place(start), place(end)]).filter(([start, end]) => end > start);
  return { text: kept, ranges: moved };
}
