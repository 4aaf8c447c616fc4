// Candidates after `## `: headings that the page's type demands and that the page lacks.
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { EditorState, Line } from '@codemirror/state';
import { fold } from '../text/fold';
import { pageContext, type PageContext } from './page-context';
import { rulesAt } from './page-rules';
import { isText, type Candidate } from './smart-linking';
import { writing } from '../words/writing';

const HEADING = /^ {0,3}#{1,6}[ \t]+/;

/** The headings of a text, without their marks, folded. Lines of code that look like headings count too: nothing is lost. */
function headingsIn(text: string): Set<string> {
  return new Set(text.split('\n').flatMap((line) => (HEADING.test(line) ? [fold(line.replace(HEADING, '').replace(/[ \t]+#+[ \t]*$/, '')).trim()] : [])));
}

/** Answers at once where nothing is offered, because every key asks. */
export function missingHeadings({ state, pos }: CompletionContext): Promise<CompletionResult | null> | null {
  const context = state.facet(pageContext);
  const line = state.doc.lineAt(pos);
  const mark = HEADING.exec(line.text)?.[0];
  if (!context || !mark || pos < line.from + mark.length || line.text.slice(pos - line.from).trim() !== '' || !isText(state, pos)) return null;
  return missingAt(context, state, line, line.from + mark.length, pos);
}

async function missingAt(context: PageContext, state: EditorState, line: Line, from: number, pos: number): Promise<CompletionResult | null> {
  const typed = fold(state.sliceDoc(from, pos)).trim();
  const { headings } = await rulesAt(context);
  if (headings.length === 0) return null;
  const others = headingsIn(`${state.sliceDoc(0, line.from)}\n${state.sliceDoc(line.to)}`);
  const missing = headings.filter((heading) => !others.has(fold(heading).trim()) && fold(heading).startsWith(typed));
  // What is typed completely needs no choice, so that Enter ends the line.
  if (missing.some((heading) => fold(heading).trim() === typed)) return null;
  return missing.length === 0 ? null : { from, options: missing.map((label): Candidate => ({ kind: 'property', label, where: writing.editor.missing })), filter: false };
}
