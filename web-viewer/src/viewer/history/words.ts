// What the history of a page says about a version.
import type { PageVersion } from '#contract';
import { dateAndTime } from '../../words/format';
import { writing } from '../../words/writing';

/** One line about a version. */
export function labelOf({ moment, subject, author, caller, is_boundary }: PageVersion): string {
  if (is_boundary) return writing.history.oldest;
  if (moment === 'commit') return subject || writing.history.noMessage;
  const what = writing.history.changesBy[subject] ?? writing.history.edit;
  return writing.history.moment(moment === 'before', what, caller === 'agent' ? (author ?? '') : null);
}

/** When and by whom, below the label. */
export function aboutOf(version: PageVersion): string {
  const author = version.moment === 'commit' && !version.is_boundary ? version.author : null;
  return [dateAndTime(version.time), author].filter(Boolean).join(' · ');
}

/** How much changed since a version. */
export function sizeOf({ added, removed }: { added: number; removed: number }): string {
  return added === 0 && removed === 0 ? writing.history.same : writing.history.size(added, removed);
}
