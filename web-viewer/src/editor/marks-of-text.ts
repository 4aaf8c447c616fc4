// Markup that Markdown itself does not have, but Obsidian, GitHub and our renderer do: maths (`$…$`, `$$…$$`) and highlights
// (`==…==`).
import { Tag, tags } from '@lezer/highlight';
import type { DelimiterType, InlineContext, MarkdownConfig } from '@lezer/markdown';

export const textTags = { highlight: Tag.define(), maths: Tag.define(tags.monospace) };

const [DOLLAR, EQUALS, BACKSLASH, BACKTICK] = [36, 61, 92, 96];
const isSpace = (code: number) => code === 32 || code === 9 || code === 10 || code === -1;
const isDigit = (code: number) => code >= 48 && code <= 57;

const highlight: DelimiterType = { resolve: 'Highlight', mark: 'HighlightMark' };

/** The position of the dollars that close maths, or -1. */
function closing(cx: InlineContext, from: number, isDisplay: boolean): number {
  for (let at = from; at < cx.end; at++) {
    const here = cx.char(at);
    if (here === BACKSLASH) at++;
    // Code comes first.
    else if (here === BACKTICK) return -1;
    else if (here !== DOLLAR) continue;
    else if (isDisplay && cx.char(at + 1) === DOLLAR) return at;
    else if (!isDisplay && !isSpace(cx.char(at - 1)) && !isDigit(cx.char(at + 1))) return at;
  }
  return -1;
}

export const marksOfText: MarkdownConfig = {
  defineNodes: [
    { name: 'Highlight', style: { 'Highlight/...': textTags.highlight } },
    { name: 'HighlightMark', style: tags.processingInstruction },
    { name: 'InlineMath', style: { 'InlineMath/...': textTags.maths } },
    { name: 'DisplayMath', style: { 'DisplayMath/...': textTags.maths } },
    { name: 'MathMark', style: tags.processingInstruction },
  ],
  parseInline: [
    {
      name: 'Maths',
      before: 'Emphasis',
      parse(cx, next, pos) {
        if (next !== DOLLAR) return -1;
        const isDisplay = cx.char(pos + 1) === DOLLAR;
        const size = isDisplay ? 2 : 1;
        if (!isDisplay && isSpace(cx.char(pos + 1))) return -1;
        const end = closing(cx, pos + size, isDisplay);
        if (end <= pos + size) return -1;
        const marks = [cx.elt('MathMark', pos, pos + size), cx.elt('MathMark', end, end + size)];
        return cx.addElement(cx.elt(isDisplay ? 'DisplayMath' : 'InlineMath', pos, end + size, marks));
      },
    },
    {
      name: 'Highlight',
      after: 'Emphasis',
      parse(cx, next, pos) {
        if (next !== EQUALS || cx.char(pos + 1) !== EQUALS || cx.char(pos + 2) === EQUALS || cx.char(pos - 1) === EQUALS) return -1;
        const [before, after] = [cx.char(pos - 1), cx.char(pos + 2)];
        return cx.addDelimiter(highlight, pos, pos + 2, !isSpace(after), !isSpace(before) && pos > cx.offset);
      },
    },
  ],
};
