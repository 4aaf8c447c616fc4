// What tabs are called.
import { folderOf, nameOf } from '../../text/paths';
import { words } from '../../words/words';
import { writing } from '../../words/writing';
import type { Tab } from './kept';

export interface Label {
  text: string;
  /** The folder of the page, if another open page has the same title. */
  where: string;
}

/** `titleOf` is the title of a page in the project, if it is there. */
export function labelsOf(tabs: readonly Tab[], titleOf: (page: string) => string | undefined): Map<string, Label> {
  const named = (page: string) => titleOf(page) ?? nameOf(page).replace(/\.(md|markdown)$/i, '');
  const views = { graph: words.shell.graph, review: writing.review.title, problems: writing.problems.title, queue: writing.queue.title, proposals: writing.proposals.title, sessions: writing.sessions.title };
  const texts = tabs.map(({ page, view }) => {
    if (view.kind === 'page') return named(page);
    if (view.kind === 'file') return nameOf(view.path);
    return view.kind === 'graph' && view.scope === 'local' ? `${views.graph}: ${named(page)}` : views[view.kind];
  });
  return new Map(
    tabs.map(({ id, page, view }, at) => {
      const text = texts[at] ?? '';
      const isShared = view.kind === 'page' && tabs.some((other, place) => texts[place] === text && other.page !== page && other.view.kind === 'page');
      return [id, { text, where: isShared ? folderOf(page) || writing.tabs.topFolder : '' }];
    }),
  );
}
