// Styles the lines of code blocks, quotes and tables.
import { syntaxTree } from '@codemirror/language';
import type { Range } from '@codemirror/state';
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view';

const CLASSES: Record<string, string> = {
  FencedCode: 'cm-code-line',
  CodeBlock: 'cm-code-line',
  Blockquote: 'cm-quote-line',
  Table: 'cm-table-line',
  Frontmatter: 'cm-properties-line',
  HorizontalRule: 'cm-rule-line',
  ATXHeading1: 'cm-h1-line',
  ATXHeading2: 'cm-h2-line',
  ATXHeading3: 'cm-h3-line',
};

function blocks(view: EditorView): DecorationSet {
  const { state } = view;
  const found: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: (node) => {
        const name = CLASSES[node.name];
        if (!name) return;
        const [start, end] = [Math.max(node.from, from), Math.min(node.to, to)];
        for (let line = state.doc.lineAt(start); ; line = state.doc.line(line.number + 1)) {
          const edge = `${line.from <= node.from ? ' cm-first' : ''}${line.to + 1 >= node.to ? ' cm-last' : ''}`;
          found.push(Decoration.line({ class: name + edge }).range(line.from));
          // A node may end with a line break; the line after it does not belong to it.
          if (line.to + 1 >= end || line.number === state.doc.lines) break;
        }
      },
    });
  }
  return Decoration.set(found, true);
}

export const blockLines = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = blocks(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged || syntaxTree(update.startState) !== syntaxTree(update.state)) this.decorations = blocks(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
