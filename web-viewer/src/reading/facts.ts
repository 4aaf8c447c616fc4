// The line of facts about a page: its type and its date.
import type { GetPageOutput, StaleRef } from '#contract';
import { shortDate } from '../words/format';
import { words } from '../words/words';

export interface Fact {
  kind: 'type' | 'date' | 'tag';
  text: string;
}

export function facts(page: Pick<GetPageOutput, 'doc_type' | 'updated_at' | 'tags' | 'front_matter'>): Fact[] {
  const found: Fact[] = [];
  // Show only types from front matter; every page has a default type.
  if ('type' in page.front_matter || 'doc_type' in page.front_matter) found.push({ kind: 'type', text: page.doc_type });
  const date = shortDate(page.updated_at);
  if (date) found.push({ kind: 'date', text: words.reading.updated(date) });
  for (const tag of page.tags) found.push({ kind: 'tag', text: tag.replace(/^#/, '') });
  return found;
}

export function reasonOf(ref: Pick<StaleRef, 'reason' | 'last_modified' | 'renamed_to'>): string {
  const moved = ref.renamed_to ? words.reading.nowAt(ref.renamed_to) : '';
  const when = ref.last_modified && ref.reason !== 'missing' ? ` (${shortDate(ref.last_modified)})` : '';
  return `${words.reading.reasons[ref.reason]}${when}${moved}`;
}
