// What is shown of a link with double brackets: the part of its source that readers see.
import type { ResolvedLink } from '#contract';

export interface Part {
  from: number;
  to: number;
}

export interface ShownPart extends Part {
  /** Whether it is the target, whose `#` is shown as an arrow. */
  isTarget: boolean;
}

function trimmed(text: string, from: number, to: number): Part {
  const part = text.slice(from, to);
  if (!part.trim()) return { from, to: from };
  return { from: from + part.length - part.trimStart().length, to: to - (part.length - part.trimEnd().length) };
}

/** The parts between the brackets and pipes of a link as written. In tables, pipes are written `\|`. */
function partsOf(written: string): Part[] {
  const [start, end] = [written.startsWith('!') ? 3 : 2, written.length - 2];
  const parts: Part[] = [];
  let from = start;
  for (let at = start; at <= end; at++) {
    if (at < end && written[at] !== '|') continue;
    parts.push(trimmed(written, from, at < end && written[at - 1] === '\\' ? at - 1 : at));
    from = at + 1;
  }
  return parts;
}

/**
 * The shown part of a link as written. Until the engine answers, `linkTypes` and `isLabelFirst` of the project decide, so that
 * the text does not change when it does.
 */
export function shownPart(written: string, answer: ResolvedLink | null | undefined, linkTypes: readonly string[], isLabelFirst: boolean): ShownPart {
  const parts = partsOf(written);
  const text = ({ from, to }: Part) => written.slice(from, to);
  const target = (isLabelFirst && parts.length > 1 ? parts[1] : parts[0]) ?? { from: 0, to: written.length };
  const others = parts.filter((part) => part !== target && part.to > part.from);
  const label = answer ? others.find((part) => answer.text !== null && text(part) === answer.text.trim()) : others.find((part) => !linkTypes.includes(text(part)));
  if (label) return { ...label, isTarget: false };
  // A link to a heading of the same page is written `#Heading`.
  const own = /^#\^?/.exec(text(target))?.[0].length ?? 0;
  return target.to - target.from > own ? { from: target.from + own, to: target.to, isTarget: true } : { ...target, isTarget: true };
}

/** The size in pixels after the last pipe of a picture: `300` or `300x200`. */
export function sizeIn(written: string): { width: number; height: number | null } | null {
  const [, width, height] = /\|\s*(\d{1,5})(?:x(\d{1,5}))?\s*(?:\]|$)/.exec(written) ?? [];
  return width ? { width: Number(width), height: height ? Number(height) : null } : null;
}
