// Folds front matter to one line with a summary.
import { codeFolding, foldEffect, foldService, unfoldEffect, foldedRanges } from '@codemirror/language';
import type { EditorState, Extension, StateEffect } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

const MOST_LINES = 400;

export function frontMatterOf(state: EditorState): { from: number; to: number } | null {
  const { doc } = state;
  if (!/^---[ \t]*$/.test(doc.line(1).text)) return null;
  for (let number = 2; number <= Math.min(doc.lines, MOST_LINES); number++) {
    const line = doc.line(number);
    if (/^(---|\.\.\.)[ \t]*$/.test(line.text)) return { from: 0, to: line.to };
  }
  return null;
}

export function foldFrontMatter(state: EditorState): StateEffect<unknown>[] {
  const range = frontMatterOf(state);
  return range ? [foldEffect.of(range)] : [];
}

export function unfoldFrontMatter(state: EditorState): StateEffect<unknown>[] {
  const range = frontMatterOf(state);
  return range ? [unfoldEffect.of(range)] : [];
}

/** The keys of front matter, for the line that stands for it. */
export function propertiesIn(source: string): string {
  const keys = [...source.slice(0, 20_000).matchAll(/^([\p{L}_][\p{L}\p{N}_-]*)[ \t]*:/gmu)].map(([, key]) => key);
  const shown = keys.slice(0, 5).join(', ');
  return keys.length === 0 ? 'Properties' : `Properties: ${shown}${keys.length > 5 ? ` and ${keys.length - 5} more` : ''}`;
}

/** Folds or unfolds it. In live preview, the cursor opens it. */
export function toggleFrontMatter(view: EditorView): boolean {
  const range = frontMatterOf(view.state);
  if (!range) return false;
  let isFolded = false;
  foldedRanges(view.state).between(0, 0, (from, to) => void (isFolded ||= from === range.from && to === range.to));
  const inside = view.state.selection.main.head <= range.to;
  view.dispatch({
    effects: (isFolded ? unfoldEffect : foldEffect).of(range),
    ...(inside && !isFolded ? { selection: { anchor: Math.min(range.to + 1, view.state.doc.length) } } : {}),
  });
  return true;
}

function summary(state: EditorState, range: { from: number; to: number }): string {
  return range.from > 0 ? '…' : propertiesIn(state.sliceDoc(range.from, range.to));
}

export const frontMatter: Extension = [
  foldService.of((state, start) => (start === 0 ? frontMatterOf(state) : null)),
  codeFolding({
    preparePlaceholder: summary,
    placeholderDOM(_, onclick, prepared: string) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = prepared === '…' ? 'cm-folded' : 'cm-folded cm-folded-properties';
      button.textContent = prepared;
      button.title = 'Show';
      button.setAttribute('aria-label', prepared === '…' ? 'Folded text. Show' : `${prepared}. Show`);
      button.addEventListener('click', onclick);
      return button;
    },
  }),
];
