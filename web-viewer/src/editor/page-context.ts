// What extensions of the editor know of the page that they are on.
import { Facet } from '@codemirror/state';
import type { LinkAnswers } from './link-answers';
import type { EditorHost } from './mount';

export interface PageContext {
  host: EditorHost;
  /** Path of the page; another one after it was renamed. */
  readonly filepath: string;
  answers: LinkAnswers;
  /** Something went wrong or happened that people should be told, in a sentence. */
  tell(text: string): void;
}

export const pageContext = Facet.define<PageContext, PageContext | null>({ combine: (values) => values[0] ?? null });
