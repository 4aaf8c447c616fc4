// A table of Markdown as a table of HTML.
import { cellsOf } from '../tables';
import { partParser } from '../language';
import type { PageContext } from '../page-context';
import { inlineNodes } from './inline';

type Alignment = '' | 'center' | 'right';

function alignments(rule: string): Alignment[] {
  return cellsOf(rule).map(({ from, to }) => {
    const cell = rule.slice(from, to);
    if (!cell.endsWith(':')) return '';
    return cell.startsWith(':') ? 'center' : 'right';
  });
}

/** Each cell has the offset of its text in `data-at`, to open the table there. */
export function tableElement(source: string, context: PageContext): HTMLElement {
  const table = document.createElement('table');
  const tree = partParser.parse(source);
  const node = tree.topNode.getChild('Table');
  const rule = node?.getChild('TableDelimiter');
  const aligned = rule ? alignments(source.slice(rule.from, rule.to)) : [];
  const columns = aligned.length;
  const body = document.createElement('tbody');
  for (let row = node?.firstChild ?? null; row; row = row.nextSibling) {
    if (row.name !== 'TableHeader' && row.name !== 'TableRow') continue;
    const isHeader = row.name === 'TableHeader';
    const line = document.createElement('tr');
    const cells = cellsOf(source.slice(row.from, row.to), row.from);
    for (let column = 0; column < columns; column++) {
      const cell = cells[column];
      const made = document.createElement(isHeader ? 'th' : 'td');
      if (isHeader) made.scope = 'col';
      if (aligned[column]) made.className = `align-${aligned[column]}`;
      made.dataset['at'] = String(cell?.from ?? row.to);
      if (cell) made.append(...inlineNodes(row, cell.from, cell.to, source, context));
      line.append(made);
    }
    if (isHeader) {
      const head = document.createElement('thead');
      head.append(line);
      table.append(head);
    } else body.append(line);
  }
  table.append(body);
  const scroller = document.createElement('div');
  scroller.className = 'scroller';
  scroller.append(table);
  return scroller;
}
