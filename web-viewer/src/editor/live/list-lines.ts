// Lists: bullets, and lines that hang below the text of their item, however they are indented in the source.
import type { SyntaxNode } from '@lezer/common';
import type { Drawing } from './marks';

const DEEPEST = 6;
/** Blocks of an item that keep the layout of their source. */
const OWN_LAYOUT = /^(ListMark|BulletList|OrderedList|FencedCode|CodeBlock|Table|HTMLBlock|Blockquote)$/;

function depthOf(item: SyntaxNode): number {
  let depth = 0;
  for (let node: SyntaxNode | null = item; node; node = node.parent) if (node.name === 'ListItem') depth++;
  return Math.min(depth, DEEPEST);
}

export function listItem(item: SyntaxNode, drawing: Drawing): void {
  const { doc } = drawing.state;
  const mark = item.getChild('ListMark');
  const first = doc.lineAt(item.from);
  const lead = first.text.slice(0, item.from - first.from);
  if (!mark) return;
  const isBullet = !/\d/.test(doc.sliceString(mark.from, mark.to));
  if (isBullet && !drawing.isTouched(mark.from, mark.to)) drawing.mark(mark.from, mark.to, 'cm-bullet');
  const marker = item.getChild('Task')?.getChild('TaskMarker');
  const end = marker?.to ?? mark.to;
  const space = /^[ \t]*/.exec(first.text.slice(end - first.from))?.[0].length ?? 0;
  // The box of a task has this width itself.
  if (!marker || drawing.isTouched(mark.from, end)) drawing.mark(mark.from, Math.min(end + space, first.to), 'cm-list-mark');
  // In quotes, and for a list that starts in the line of another item, the line has its layout already.
  if (lead.trim()) return;
  const depth = depthOf(item);
  drawing.line(first.from, { class: `cm-list cm-list-${depth}` });
  drawing.mark(first.from, item.from, 'cm-list-lead');
  for (let block = item.firstChild; block; block = block.nextSibling) {
    if (OWN_LAYOUT.test(block.name)) continue;
    let line = doc.lineAt(block.from);
    if (line.from === first.from) {
      if (line.to >= block.to) continue;
      line = doc.line(line.number + 1);
    }
    for (; ; line = doc.line(line.number + 1)) {
      drawing.line(line.from, { class: `cm-list-text cm-list-${depth}` });
      drawing.mark(line.from, line.from + (/^[ \t]*/.exec(line.text)?.[0].length ?? 0), 'cm-list-lead');
      if (line.to >= block.to || line.number === doc.lines) break;
    }
  }
}
