// Commands that add Markdown markup to the selection, or remove it.
import { startCompletion } from '@codemirror/autocomplete';
import { EditorSelection, type ChangeSpec, type EditorState, type SelectionRange, type StateCommand } from '@codemirror/state';
import type { Command } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { treeTo } from './tree';
import { writing } from '../words/writing';

const INLINE = {
  bold: { node: 'StrongEmphasis', marks: 'EmphasisMark', text: '**' },
  italic: { node: 'Emphasis', marks: 'EmphasisMark', text: '*' },
  code: { node: 'InlineCode', marks: 'CodeMark', text: '`' },
} as const;

/** The innermost node called `name` that contains the whole range. */
function containing(state: EditorState, { from, to }: { from: number; to: number }, name: string): SyntaxNode | null {
  const tree = treeTo(state, to);
  for (const side of [1, -1] as const) {
    for (let node: SyntaxNode | null = tree.resolveInner(side > 0 ? from : to, side); node; node = node.parent) {
      if (node.name === name && node.from <= from && node.to >= to) return node;
    }
  }
  return null;
}

function trimmed(state: EditorState, range: SelectionRange): { from: number; to: number } {
  if (range.empty) return state.wordAt(range.head) ?? range;
  const text = state.sliceDoc(range.from, range.to);
  const lead = text.length - text.trimStart().length;
  return text.trim() ? { from: range.from + lead, to: range.to - (text.length - text.trimEnd().length) } : range;
}

export function toggleInline(kind: keyof typeof INLINE): StateCommand {
  const { node: name, marks, text } = INLINE[kind];
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const change = state.changeByRange((range) => {
      const part = trimmed(state, range);
      const node = containing(state, part, name);
      if (node) {
        const changes: ChangeSpec[] = node.getChildren(marks).map(({ from, to }) => ({ from, to }));
        const set = state.changes(changes);
        return { changes, range: EditorSelection.range(set.mapPos(range.anchor), set.mapPos(range.head)) };
      }
      // A single backtick would end at a backtick in the text.
      const inside = state.sliceDoc(part.from, part.to);
      const mark = kind === 'code' && inside.includes('`') ? '``' : text;
      const pad = mark === '``' ? ' ' : '';
      const changes = [
        { from: part.from, insert: mark + pad },
        { from: part.to, insert: pad + mark },
      ];
      const shift = mark.length + pad.length;
      return { changes, range: EditorSelection.range(part.from + shift, part.to + shift) };
    });
    dispatch(state.update(change, { userEvent: 'input.format', scrollIntoView: true }));
    return true;
  };
}

/** The lines of the selection. */
function lines(state: EditorState) {
  const found = new Map<number, string>();
  for (const { from, to } of state.selection.ranges) {
    for (let line = state.doc.lineAt(from); ; line = state.doc.line(line.number + 1)) {
      found.set(line.from, line.text);
      if (line.to >= to) break;
    }
  }
  return [...found].map(([from, text]) => ({ from, text }));
}

/** Cycles through heading level 2, heading level 3 and text. */
export const cycleHeading: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const [first] = lines(state);
  const level = /^(#{1,6})[ \t]/.exec(first?.text ?? '')?.[1]?.length ?? 0;
  const next = level === 0 || level === 1 ? '## ' : level === 2 ? '### ' : '';
  const changes = lines(state)
    .filter(({ text }) => text.trim())
    .map(({ from, text }) => ({ from, to: from + (/^#{1,6}[ \t]+/.exec(text)?.[0].length ?? 0), insert: next }));
  dispatch(state.update({ changes, userEvent: 'input.format', scrollIntoView: true }));
  return true;
};

export const toggleList: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const some = lines(state).filter(({ text }) => text.trim());
  const all = some.length > 0 ? some : lines(state);
  const bullet = /^(\s*)[-*+][ \t]+/;
  const isList = all.every(({ text }) => bullet.test(text));
  const changes = all.map(({ from, text }) => {
    const indent = /^\s*/.exec(text)?.[0].length ?? 0;
    const whole = bullet.exec(text)?.[0].length ?? indent;
    if (isList) return { from: from + indent, to: from + whole };
    return { from: from + indent, to: from + whole, insert: '- ' };
  });
  dispatch(state.update({ changes, userEvent: 'input.format', scrollIntoView: true }));
  return true;
};

/** Turns the selection into a link and shows candidate pages. */
export const linkSelection: Command = (view) => {
  const { state } = view;
  if (state.readOnly) return false;
  const inside = containing(state, state.selection.main, 'WikiLink');
  if (inside) {
    view.dispatch({ selection: { anchor: inside.to - 2 } });
    return startCompletion(view);
  }
  const change = state.changeByRange((range) => {
    const part = trimmed(state, range);
    const changes = [
      { from: part.from, insert: '[[' },
      { from: part.to, insert: ']]' },
    ];
    return { changes, range: EditorSelection.cursor(part.to + 2) };
  });
  view.dispatch(state.update(change, { userEvent: 'input.format', scrollIntoView: true }));
  view.focus();
  return startCompletion(view);
};

export const formats: readonly { name: keyof typeof writing.editor.formats; face: string; key: string; run: Command }[] = [
  { name: 'bold', face: 'B', key: 'Mod-Shift-b', run: toggleInline('bold') },
  { name: 'italic', face: 'I', key: 'Mod-i', run: toggleInline('italic') },
  { name: 'code', face: '‹›', key: 'Mod-Shift-e', run: toggleInline('code') },
  { name: 'link', face: '[[ ]]', key: 'Mod-Shift-k', run: linkSelection },
  { name: 'heading', face: 'H', key: 'Mod-Shift-h', run: cycleHeading },
  { name: 'list', face: '•—', key: 'Mod-Shift-l', run: toggleList },
];
