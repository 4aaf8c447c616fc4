// Tab and Shift+Tab in lists and code blocks. An item of a list is indented to the text of the item above, where Markdown
// expects it: two columns are too few below `3. `. Elsewhere, Tab leaves the text.
import type { ChangeSpec, EditorState, Line, StateCommand } from '@codemirror/state';
import type { SyntaxNode } from '@lezer/common';
import { around } from './tree';

function linesOf(state: EditorState, from: number, to: number): Line[] {
  const lines: Line[] = [];
  for (let line = state.doc.lineAt(from); ; line = state.doc.line(line.number + 1)) {
    lines.push(line);
    if (line.to >= to || line.number === state.doc.lines) return lines;
  }
}

function codeAt(state: EditorState, pos: number): SyntaxNode | null {
  for (const side of [-1, 1] as const) {
    const node = around(state, pos, side, /^(FencedCode|CodeBlock)$/);
    if (node) return node;
  }
  return null;
}

/** The indentation that the code uses. */
function unitOf(lines: readonly Line[]): string {
  const leads = lines.map(({ text }) => /^[ \t]*/.exec(text)?.[0] ?? '').filter(Boolean);
  if (leads.some((lead) => lead.includes('\t'))) return '\t';
  return leads.length > 0 && leads.every((lead) => lead.length % 4 === 0) ? '    ' : '  ';
}

function indentCode(direction: 1 | -1): StateCommand {
  return ({ state, dispatch }) => {
    const { main, ranges } = state.selection;
    const code = codeAt(state, main.head);
    if (!code || state.readOnly || ranges.length > 1) return false;
    const unit = unitOf(linesOf(state, code.from, code.to));
    // What is before the fence belongs to the list or quote around it.
    const outer = code.name === 'FencedCode' ? code.from - state.doc.lineAt(code.from).from : 4;
    if (direction > 0 && main.empty) {
      dispatch(state.update(state.replaceSelection(unit), { userEvent: 'input.indent', scrollIntoView: true }));
      return true;
    }
    const lines = linesOf(state, main.from, main.to).filter(({ from }) => main.empty || from < main.to);
    const changes = lines.flatMap(({ from, text }): ChangeSpec[] => {
      if (!text.trim()) return [];
      if (direction > 0) return [{ from: from + Math.min(outer, text.length), insert: unit }];
      const lead = new RegExp(`^(\\t| {1,${unit === '\t' ? 4 : unit.length}})`).exec(text.slice(outer))?.[0].length ?? 0;
      return [{ from: from + outer, to: from + outer + lead }];
    });
    dispatch(state.update({ changes, userEvent: direction > 0 ? 'input.indent' : 'delete.dedent', scrollIntoView: true }));
    return true;
  };
}

/** The items that the selection touches, without items of items. */
function items(state: EditorState): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (const { from, to } of state.selection.ranges) {
    for (const line of linesOf(state, from, to)) {
      const item = around(state, line.to, -1, /^ListItem$/);
      if (item && item.to >= line.from && !found.some((other) => other.from <= item.from && other.to >= item.to)) found.push(item);
    }
  }
  return found;
}

const columnOf = (state: EditorState, pos: number) => pos - state.doc.lineAt(pos).from;

/** The column of the text of an item. */
function textColumn(state: EditorState, item: SyntaxNode): number {
  const mark = item.getChild('ListMark');
  if (!mark) return columnOf(state, item.from) + 2;
  const space = /^ {1,4}(?=\S)/.exec(state.doc.lineAt(mark.to).text.slice(columnOf(state, mark.to)))?.[0].length ?? 1;
  return columnOf(state, mark.to) + space;
}

function numberOf(state: EditorState, item: SyntaxNode): number | null {
  const mark = item.getChild('ListMark');
  const digits = mark && /^\d+/.exec(state.sliceDoc(mark.from, mark.to))?.[0];
  return digits ? Number(digits) : null;
}

/** Gives an item of an ordered list its number in its new list. */
function renumber(state: EditorState, item: SyntaxNode, number: number): ChangeSpec[] {
  const mark = item.getChild('ListMark');
  const now = numberOf(state, item);
  return mark && now !== null && now !== number ? [{ from: mark.from, to: mark.from + String(now).length, insert: String(number) }] : [];
}

function lists(item: SyntaxNode | null): SyntaxNode[] {
  return item ? [...item.getChildren('BulletList'), ...item.getChildren('OrderedList')] : [];
}

function indentItem(state: EditorState, item: SyntaxNode, moved: readonly SyntaxNode[]): ChangeSpec[] {
  let above = item.prevSibling;
  let skipped = 0;
  while (above?.name === 'ListItem' && moved.some(({ from }) => from === above?.from)) {
    above = above.prevSibling;
    skipped++;
  }
  // The first item of a list has no item to belong to.
  if (above?.name !== 'ListItem') return [];
  const [inner] = lists(above);
  const last = inner?.getChildren('ListItem').at(-1);
  const start = columnOf(state, item.from);
  const by = (last ? columnOf(state, last.from) : textColumn(state, above)) - start;
  const usesTabs = state.doc.lineAt(item.from).text.startsWith('\t') || (last && state.doc.lineAt(last.from).text.startsWith('\t'));
  const insert = usesTabs ? '\t' : ' '.repeat(Math.max(1, by));
  const changes: ChangeSpec[] = linesOf(state, item.from, item.to).flatMap(({ from, text }) => (text.trim() ? [{ from: from + Math.min(usesTabs ? 0 : start, text.length), insert }] : []));
  return [...changes, ...renumber(state, item, ((last && numberOf(state, last)) ?? 0) + 1 + skipped)];
}

function outdentItem(state: EditorState, item: SyntaxNode): ChangeSpec[] {
  const outer = item.parent?.parent;
  if (outer?.name !== 'ListItem') return [];
  const [start, column] = [columnOf(state, item.from), columnOf(state, outer.from)];
  const changes: ChangeSpec[] = linesOf(state, item.from, item.to).flatMap(({ from, text }) => {
    const lead = /^[ \t]*/.exec(text.slice(column, Math.max(column, start)))?.[0].length ?? 0;
    return lead > 0 ? [{ from: from + column, to: from + column + lead }] : [];
  });
  return [...changes, ...renumber(state, item, (numberOf(state, outer) ?? 0) + 1)];
}

function indentItems(direction: 1 | -1): StateCommand {
  return ({ state, dispatch }) => {
    const moved = items(state);
    if (moved.length === 0 || state.readOnly) return false;
    const changes = moved.flatMap((item) => (direction > 0 ? indentItem(state, item, moved) : outdentItem(state, item)));
    if (changes.length > 0) dispatch(state.update({ changes, userEvent: direction > 0 ? 'input.indent' : 'delete.dedent', scrollIntoView: true }));
    return true;
  };
}

const either =
  (first: StateCommand, second: StateCommand): StateCommand =>
  (target) =>
    first(target) || second(target);

export const indent = either(indentCode(1), indentItems(1));
export const outdent = either(indentCode(-1), indentItems(-1));
