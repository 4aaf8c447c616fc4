// The line of facts about a page: its type and its date.
import type { GetPageOutput, Staleness, StaleReason, StaleRef } from '#contract';

export interface Fact {
  kind: 'type' | 'date' | 'tag';
  text: string;
}

export function facts(page: Pick<GetPageOutput, 'doc_type' | 'updated_at' | 'tags' | 'front_matter'>): Fact[] {
  const found: Fact[] = [];
  // Show only types from front matter; every page has a default type.
  if ('type' in page.front_matter || 'doc_type' in page.front_matter) found.push({ kind: 'type', text: page.doc_type });
  const date = shortDate(page.updated_at);
  if (date) found.push({ kind: 'date', text: `Updated ${date}` });
  for (const tag of page.tags) found.push({ kind: 'tag', text: tag.replace(/^#/, '') });
  return found;
}

export function shortDate(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleDateString(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
}

export const FRESHNESS: Record<Staleness, { label: string; meaning: string }> = {
  fresh: { label: 'Up to date', meaning: 'The code that it describes has not changed since the page was last edited or reviewed.' },
  possibly_stale: { label: 'May be out of date', meaning: 'The code that it describes changed recently.' },
  stale: { label: 'Out of date', meaning: 'The code that it describes changed after the page was last edited or reviewed.' },
  untracked: { label: 'Not tracked', meaning: 'The page lists no source files.' },
};

const REASONS: Record<StaleReason, string> = {
  changed: 'changed after the page',
  missing: 'does not exist any more',
  unknown_shallow_clone: 'cannot be compared: the history is incomplete',
  page_edited_after_source: 'changed; the page was edited later, but has not been reviewed',
  suspect: 'is out of date, and this page builds on it',
};

export function reasonOf(ref: Pick<StaleRef, 'reason' | 'last_modified' | 'renamed_to'>): string {
  const moved = ref.renamed_to ? `; it is now ${ref.renamed_to}` : '';
  const when = ref.last_modified && ref.reason !== 'missing' ? ` (${shortDate(ref.last_modified)})` : '';
  return `${REASONS[ref.reason]}${when}${moved}`;
}
