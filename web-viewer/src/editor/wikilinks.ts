// Finds double brackets in the text, for styles and commands during typing. The engine decides what such a link means
// (`resolve_links`).
import { tags, Tag } from '@lezer/highlight';
import type { InlineContext, MarkdownConfig } from '@lezer/markdown';

export const linkTags = { bracket: Tag.define(tags.processingInstruction), target: Tag.define(tags.link), label: Tag.define(tags.labelName) };

const [OPEN, CLOSE, BANG, BREAK] = [91, 93, 33, 10];

/** The end of a link that starts with `[[` at `start`, or -1. */
function endOf(cx: InlineContext, start: number): number {
  for (let at = start + 2; at < cx.end; at++) {
    const here = cx.char(at);
    if (here === BREAK || (here === OPEN && cx.char(at + 1) === OPEN)) return -1;
    if (here === CLOSE && cx.char(at + 1) === CLOSE) return at > start + 2 ? at + 2 : -1;
  }
  return -1;
}

export const wikilinks: MarkdownConfig = {
  defineNodes: [
    { name: 'WikiLink' },
    { name: 'WikiEmbed' },
    { name: 'WikiBracket', style: linkTags.bracket },
    { name: 'WikiTarget', style: linkTags.target },
    { name: 'WikiLabel', style: linkTags.label },
  ],
  parseInline: [
    {
      name: 'WikiLink',
      before: 'Link',
      parse(cx, next, pos) {
        const embeds = next === BANG;
        const start = embeds ? pos + 1 : pos;
        if ((!embeds && next !== OPEN) || cx.char(start) !== OPEN || cx.char(start + 1) !== OPEN) return -1;
        const end = endOf(cx, start);
        if (end < 0) return -1;
        const inside = cx.slice(start + 2, end - 2);
        const pipe = inside.indexOf('|');
        // In tables, the pipe is written `\|`.
        const targetEnd = start + 2 + (pipe < 0 ? inside.length : pipe - Number(inside[pipe - 1] === '\\'));
        const children = [cx.elt('WikiBracket', pos, start + 2), cx.elt('WikiTarget', start + 2, targetEnd)];
        if (pipe >= 0) {
          children.push(cx.elt('WikiBracket', targetEnd, start + 3 + pipe));
          if (end - 2 > start + 3 + pipe) children.push(cx.elt('WikiLabel', start + 3 + pipe, end - 2));
        }
        children.push(cx.elt('WikiBracket', end - 2, end));
        return cx.addElement(cx.elt(embeds ? 'WikiEmbed' : 'WikiLink', pos, end, children));
      },
    },
  ],
};
