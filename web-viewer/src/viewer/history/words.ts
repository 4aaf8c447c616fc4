// What the history of a page says about a version.
import type { PageVersion } from '#contract';

const CHANGES: Record<string, string> = {
  accept: 'a link was added',
  delete_page: 'the page was deleted',
  replace: 'find and replace',
  rename_page: 'a page was renamed',
  undo: 'an undo',
};

/** One line about a version. */
export function labelOf({ moment, subject, author, caller, is_boundary }: PageVersion): string {
  if (is_boundary) return 'Oldest version in this clone';
  if (moment === 'commit') return subject || 'Commit without a message';
  const what = CHANGES[subject] ?? 'an edit';
  const who = caller === 'agent' ? ` by ${author ? `agent ${author}` : 'an agent'}` : '';
  return `${moment === 'before' ? 'Before' : 'After'} ${what}${who}`;
}

export function timeOf(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** When and by whom, below the label. */
export function aboutOf(version: PageVersion): string {
  const author = version.moment === 'commit' && !version.is_boundary ? version.author : null;
  return [timeOf(version.time), author].filter(Boolean).join(' · ');
}

const counted = (count: number) => `${count.toLocaleString()} ${count === 1 ? 'line' : 'lines'}`;

/** How much changed since a version. */
export function sizeOf({ added, removed }: { added: number; removed: number }): string {
  if (added === 0 && removed === 0) return 'The text is the same now.';
  const parts = [...(added > 0 ? [`${counted(added)} added (+)`] : []), ...(removed > 0 ? [`${counted(removed)} removed (-)`] : [])];
  return `Since this version: ${parts.join(', ')}.`;
}
