// Why pages need a review: sorting and texts.
import type { CheckedPage, Staleness } from '#contract';
import { shortDate } from '../../words/format';
import { fold } from '../../text/fold';
import { wordsOf } from '../../text/match';
import { writing } from '../../words/writing';

export function needsReview(staleness: Staleness): staleness is 'stale' | 'possibly_stale' {
  return staleness === 'stale' || staleness === 'possibly_stale';
}

export type ReviewOrder = 'worst' | 'title' | 'changed' | 'written';

const byTitle = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** When the sources of a page last changed, RFC 3339; empty if unknown. */
export function overtakenAt(page: CheckedPage): string {
  return page.stale_ref_details.map(({ last_modified }) => last_modified ?? '').reduce((latest, time) => (time > latest ? time : latest), '');
}

const ORDERS: Record<ReviewOrder, (a: CheckedPage, b: CheckedPage) => number> = {
  // In the order of the engine: the stalest first.
  worst: () => 0,
  title: (a, b) => byTitle.compare(a.title, b.title),
  changed: (a, b) => (overtakenAt(a) < overtakenAt(b) ? 1 : -1),
  written: (a, b) => (a.updated_at < b.updated_at ? -1 : 1),
};

export function inReview(pages: readonly CheckedPage[], { typed, state, order }: { typed: string; state: Staleness | ''; order: ReviewOrder }): CheckedPage[] {
  const words = wordsOf(typed);
  return pages
    .filter((page) => !state || page.staleness === state)
    .filter((page) => {
      if (words.length === 0) return true;
      const text = fold([page.title, page.filepath, ...page.stale_refs].join(' '));
      return words.every((word) => text.includes(word));
    })
    .sort(ORDERS[order]);
}

/** One line about it. */
export function summary(page: CheckedPage): string {
  const [first, ...others] = page.stale_refs;
  const when = shortDate(overtakenAt(page));
  const what = first ? (others.length > 0 ? writing.review.andMore(first, others.length) : first) : page.suspect_path.length > 1 ? writing.review.builds(page.suspect_path.at(-1) ?? '') : '';
  return [what, when].filter(Boolean).join(' · ');
}
