// A page and what is around it.
import type { Staleness, StaleReason } from '#contract';
import { number } from '../format';

export const reading = {
  diagrams: 'Diagrams',
  diagram: 'Diagram',
  lateDrawing: 'Drawing takes too long.',
  noDiagrams: 'The diagrams could not be loaded.',
  noMermaid: 'Mermaid could not be loaded.',
  noDrawing: 'This is not a drawing.',
  preview: 'Preview',
  nothing: 'No headings, links or backlinks.',
  freshnessTitle: 'Freshness',
  onThisPage: 'On this page',
  backlinks: 'Backlinks',
  noBacklinks: 'No backlinks yet.',
  showAll: (count: number) => `Show all ${number(count)}`,
  broken: 'Broken links',
  createPage: 'Create this page',
  sourceIs: (reason: string) => `{file} ${reason}.`,
  code: 'Code',
  table: 'Table',
  withTag: (tag: string) => `Pages with the tag #${tag}`,
  updated: (date: string) => `Updated ${date}`,
  freshness: {
    fresh: { label: 'Up to date', meaning: 'The code that it describes has not changed since the page was last edited or reviewed.' },
    possibly_stale: { label: 'May be out of date', meaning: 'The code that it describes changed recently.' },
    stale: { label: 'Out of date', meaning: 'The code that it describes changed after the page was last edited or reviewed.' },
    untracked: { label: 'Not tracked', meaning: 'The page lists no source files.' },
  } satisfies Record<Staleness, { label: string; meaning: string }>,
  reasons: {
    changed: 'changed after the page',
    body_changed: 'changed, but not its contract',
    contract_changed: 'has another contract',
    missing: 'does not exist any more',
    unknown_shallow_clone: 'cannot be compared: the history is incomplete',
    page_edited_after_source: 'changed; the page was edited later, but has not been reviewed',
    suspect: 'is out of date, and this page builds on it',
    expired: 'says itself that it is out of date by now (stale_after)',
  } satisfies Record<StaleReason, string>,
  nowAt: (path: string) => `; it is now ${path}`,
};
