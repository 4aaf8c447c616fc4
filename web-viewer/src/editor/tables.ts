// Moves through the cells of a table with Tab. Does not align columns, so that no other byte changes.
import type { EditorState, Line } from '@codemirror/state';
import type { Command } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { around } from './tree';

function tableAt(state: EditorState, pos: number): SyntaxNode | null {
  for (const side of [-1, 1] as const) {
    const table = around(state, pos, side, /^Table$/);
    if (table) return table;
  }
  return null;
}

export interface Cell {
  from: number;
  to: number;
}

/** The contents of the cells of a row, without surrounding spaces. */
export function cellsOf(text: string, offset = 0): Cell[] {
  const cells: Cell[] = [];
  let start = /^\s*\|/.exec(text)?.[0].length ?? 0;
  const close = (end: number) => {
    const inside = text.slice(start, end);
    const lead = inside.length - inside.trimStart().length;
    const from = inside.trim() ? start + lead : start + Math.min(1, inside.length);
    cells.push({ from: offset + from, to: offset + from + inside.trim().length });
    start = end + 1;
  };
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '|') close(at);
  }
  if (text.slice(start).trim()) close(text.length);
  return cells;
}

const isRule = (text: string) => /^[\s|:-]+$/.test(text) && text.includes('-');

function rows(state: EditorState, table: SyntaxNode): Line[] {
  const found: Line[] = [];
  for (let line = state.doc.lineAt(table.from); ; line = state.doc.line(line.number + 1)) {
    if (!isRule(line.text)) found.push(line);
    if (line.to >= table.to || line.number === state.doc.lines) return found;
  }
}

function move(direction: 1 | -1): Command {
  return (view) => {
    const { state } = view;
    const { head } = state.selection.main;
    const table = tableAt(state, head);
    if (!table) return false;
    const all = rows(state, table);
    const cells = all.flatMap((line) => cellsOf(line.text, line.from));
    const line = state.doc.lineAt(head);
    const here = cells.findIndex((cell, index) => head <= cell.to || (cells[index + 1]?.from ?? Infinity) > head);
    const at = here < 0 ? cells.length - 1 : here;
    const next = cells[isRule(line.text) && direction > 0 ? at : at + direction];
    if (next) {
      view.dispatch({ selection: { anchor: next.from, head: next.to }, scrollIntoView: true, userEvent: 'select' });
      return true;
    }
    if (direction < 0 || state.readOnly) return direction < 0;
    const last = all.at(-1);
    if (!last) return false;
    const columns = Math.max(1, cellsOf(all[0]?.text ?? '').length);
    const row = `\n|${'  |'.repeat(columns)}`;
    view.dispatch({ changes: { from: last.to, insert: row }, selection: { anchor: last.to + 3 }, scrollIntoView: true, userEvent: 'input' });
    return true;
  };
}

export const nextCell = move(1);
export const previousCell = move(-1);
