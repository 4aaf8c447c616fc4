// What editor extensions know about the current page.
import { Facet, type EditorState, type TransactionSpec } from '@codemirror/state';
import type { LinkAnswers } from './link-answers';
import type { EditorHost } from './mount';

export interface PageContext {
  host: EditorHost;
  /** Path of the page; changes if it is renamed. */
  readonly filepath: string;
  answers: LinkAnswers;
  /** The text and cursor now, also while another page is on screen. */
  state(): EditorState;
  /** Changes the text for the person, also while another page is on screen. */
  change(spec: TransactionSpec): void;
  /** Reports a problem or event to the user in a sentence. */
  tell(text: string): void;
  /** Tells the user why the text cannot be changed. */
  refuse(): void;
}

export const pageContext = Facet.define<PageContext, PageContext | null>({ combine: (values) => values[0] ?? null });
