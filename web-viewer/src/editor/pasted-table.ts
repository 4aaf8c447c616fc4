// Cells that are copied from a spreadsheet or a web page become a Markdown table when they are pasted. They arrive as text with
// tabs between cells, and quotes around a cell with a line break in it. Undo brings back the text as it was copied.
import { isolateHistory } from '@codemirror/commands';
import type { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { around } from './tree';
import { writing } from '../words/writing';

/** Where a table would not be one, or would break another. */
const NOT_IN = /^(FencedCode|CodeBlock|InlineCode|Table|HTMLBlock|Frontmatter)$/;

/** The rows of copied cells: at least two, each with the same number of at least two cells. Null for all other text. */
export function cellsIn(text: string): string[][] | null {
  // Most texts have no tab.
  if (!text.includes('\t')) return null;
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/y;
  const whole = text.replace(/\r?\n$/, '');
  for (let end = false; !end; ) {
    const found = cell.exec(whole);
    if (!found) return null;
    const [, quoted, plain = '', after] = found;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (after === '') end = true;
    else if (after !== '\t') rows.push([]);
  }
  const columns = rows[0]?.length ?? 0;
  // Text that is indented with tabs is no table.
  const isIndented = rows.every(([first]) => !first?.trim());
  return rows.length > 1 && columns > 1 && !isIndented && rows.every(({ length }) => length === columns) ? rows : null;
}

/** A Markdown table; the first row is its head. */
export function tableOf(rows: readonly string[][]): string {
  const lines = rows.map((cells) => `| ${cells.map((cell) => cell.trim().replaceAll('|', '\\|').replace(/\r\n|\r|\n/g, '<br>')).join(' | ')} |`);
  lines.splice(1, 0, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`);
  return lines.join('\n');
}

/** The line breaks that are needed between a table and the text before it and behind it. */
function gaps(state: EditorState, from: number, to: number): { before: string; after: string } {
  const isBlank = (text: string | undefined) => !text?.trim();
  const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)];
  const above = first.number > 1 ? state.doc.line(first.number - 1).text : '';
  const below = last.number < state.doc.lines ? state.doc.line(last.number + 1).text : '';
  const lead = first.text.slice(0, from - first.from);
  const rest = last.text.slice(to - last.from);
  return {
    before: !isBlank(lead) ? '\n\n' : isBlank(above) ? '' : '\n',
    after: !isBlank(rest) ? '\n\n' : isBlank(below) ? '' : '\n',
  };
}

export const pastedTables = EditorView.domEventHandlers({
  paste({ clipboardData: data }, view) {
    const { state } = view;
    const { main, ranges } = state.selection;
    if (!data || state.readOnly || ranges.length > 1 || around(state, main.from, -1, NOT_IN)) return false;
    const text = data.getData('text/plain').replace(/\r\n?/g, '\n');
    const rows = cellsIn(text);
    if (!rows) return false;
    const { before, after } = gaps(state, main.from, main.to);
    // Two steps: undo first brings back what was copied.
    view.dispatch({ changes: { from: main.from, to: main.to, insert: text }, selection: { anchor: main.from + text.length }, annotations: isolateHistory.of('full'), userEvent: 'input.paste' });
    const table = before + tableOf(rows);
    view.dispatch({
      changes: { from: main.from, to: main.from + text.length, insert: table + after },
      selection: { anchor: main.from + table.length },
      annotations: isolateHistory.of('full'),
      effects: EditorView.announce.of(writing.editor.pastedTable(rows.length, rows[0]?.length ?? 0)),
      scrollIntoView: true,
      userEvent: 'input.paste',
    });
    return true;
  },
});
