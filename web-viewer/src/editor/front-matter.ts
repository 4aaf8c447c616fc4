// Where the front matter of a text is.
import type { EditorState } from '@codemirror/state';

const MOST_LINES = 2_000;

/** The lines of front matter, both fences included, without the last line break. */
export function frontMatterOf(state: EditorState): { from: number; to: number } | null {
  const { doc } = state;
  if (!isFence(doc.line(1).text)) return null;
  for (let number = 2; number <= Math.min(doc.lines, MOST_LINES); number++) {
    const line = doc.line(number);
    if (isFence(line.text)) return { from: 0, to: line.to };
  }
  return null;
}

const isFence = (line: string) => /^---[ \t]*$/.test(line);

/** Whether the text begins like front matter that does not end, so that none can be added. */
export function isUnclosed(state: EditorState): boolean {
  return isFence(state.doc.line(1).text) && frontMatterOf(state) === null;
}
