// Removes Markdown markup from snippets, but no other text, and keeps the highlighted ranges. For one line of a list; the
// engine renders pages.
import { LINK_TYPES } from './link-types';
import type { Range } from './match';

export interface Plain {
  text: string;
  ranges: Range[];
}

/** Links to pages with all of their parts; a snippet may begin or end within one. */
const LINKS = /(?:!?\[\[|(?<=^…))([^[\]\n]+?)(?:\]\]|(?=…$))/g;

/** Other markup, each with the part to keep (the first group), if any. */
const SIGNS: readonly RegExp[] = [
  /!?\[([^\]\n]*)\]\([^()\s]*(?: "[^"\n]*")?\)/g,
  /(?<=^…)([^[\]\n]*)\]\([^()\s]*(?: "[^"\n]*")?\)/g,
  /!?\[([^[\]\n]*)\]\([^()\s]*(?=…$)/g,
  /(?:^|(?<=\n))\s*(?:#{1,6}|>+|[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/g,
  /(?<![\w*])(?:\*{1,3}|_{2,3})(?=\S)|(?<=\S)(?:\*{1,3}|_{2,3})(?![\w*])/g,
  // Elements that GitHub allows in Markdown, except in code.
  /(?<!`)<\/?(?:a|b|blockquote|br|code|dd|del|details|div|dl|dt|em|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|picture|pre|q|rp|rt|ruby|s|samp|small|source|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var)(?:\s+(?:[a-z-]+="[^"<>\n]*"|open))*\s*\/?>(?!`)/g,
  /`+|~~|==/g,
];

/** Removes markup from `text` and moves `ranges`, sorted UTF-16 `[start, end)`, accordingly. */
export function plain(text: string, ranges: readonly (readonly [number, number])[]): Plain {
  const gone = new Uint8Array(text.length);
  for (const { 0: whole, 1: parts = '', index } of text.matchAll(LINKS)) {
    // Words between two cuts are not a link.
    if (whole === parts) continue;
    const [from, to] = shownPart(parts);
    const start = index + whole.indexOf(parts);
    gone.fill(1, index, start + from);
    gone.fill(1, start + to, index + whole.length);
  }
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

/** The range of a link's label, or else of its page or heading. A part may also be the link's type or a picture's size. */
function shownPart(parts: string): [number, number] {
  const [target = '', ...others] = parts.split('|');
  const label = others.find((part) => part.trim() && !LINK_TYPES.includes(part.trim()) && !/^\d+(?:x\d+)?$/.test(part.trim()));
  if (label === undefined) return [target.endsWith('#') ? 0 : target.lastIndexOf('#') + 1, target.length];
  const from = parts.indexOf(`|${label}`, target.length) + 1;
  return [from, from + label.length];
}
