// Selects and sorts the pages of the list.
import type { ListedPage, Staleness } from '#contract';
import { fold } from '../text/fold';
import { wordsOf } from '../text/match';
import { folderOf } from '../text/paths';

export type Order = 'title' | 'updated' | 'links';

export interface Choice {
  typed: string;
  order: Order;
  type: string;
  tag: string;
  staleness: Staleness | '';
}

export const EVERYTHING: Choice = { typed: '', order: 'title', type: '', tag: '', staleness: '' };

/** A page with its folded search text. */
export interface Entry {
  page: ListedPage;
  folder: string;
  key: string;
}

/** Folding ten thousand names is slow, so unchanged pages keep their entry. */
const known = new WeakMap<ListedPage, Entry>();

export function entriesOf(pages: readonly ListedPage[]): Entry[] {
  return pages.map((page) => {
    const there = known.get(page);
    if (there?.page === page) return there;
    const entry = { page, folder: folderOf(page.filepath), key: fold(`${page.title} ${page.filepath}`) };
    known.set(page, entry);
    return entry;
  });
}

const byTitle = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

const ORDERS: Record<Order, (a: Entry, b: Entry) => number> = {
  title: (a, b) => byTitle.compare(a.page.title, b.page.title),
  updated: (a, b) => (a.page.updated_at < b.page.updated_at ? 1 : a.page.updated_at > b.page.updated_at ? -1 : 0),
  links: (a, b) => linksOf(b.page) - linksOf(a.page),
};

export function linksOf(page: ListedPage): number {
  return page.link_count + page.backlink_count;
}

function compare(a: Entry, b: Entry, order: Order): number {
  return ORDERS[order](a, b) || byTitle.compare(a.page.title, b.page.title) || (a.page.filepath < b.page.filepath ? -1 : 1);
}

export function sorted(entries: readonly Entry[], order: Order): Entry[] {
  return [...entries].sort((a, b) => compare(a, b, order));
}

/** Sorted entries, and the list that they come from. */
export interface InOrder {
  order: Order;
  pages: readonly ListedPage[];
  entries: readonly Entry[];
}

/** With more differences than this, sorting again is as fast. */
const FEW = 100;

/**
 * Sorts `pages`, incrementally if `before` is almost the same. If a page changed in nothing that affects its position, its
 * group or the search, its entry is updated in place and `entries` stays the same array, so that nothing has to be derived
 * from it again.
 */
export function inOrder(before: InOrder | null, pages: readonly ListedPage[], order: Order): InOrder {
  if (before?.pages === pages && before.order === order) return before;
  const differences = before?.order === order ? differ(before.pages, pages) : null;
  if (!before || !differences) return { order, pages, entries: sorted(entriesOf(pages), order) };
  let entries: Entry[] | null = null;
  const { gone, come } = differences;
  for (const page of gone) {
    const old = known.get(page);
    const at = old ? (entries ?? before.entries).indexOf(old) : -1;
    if (!old || at < 0) return { order, pages, entries: sorted(entriesOf(pages), order) };
    const next = come.get(page.filepath);
    if (next && staysAt(entries ?? before.entries, at, next, order)) {
      come.delete(page.filepath);
      known.set(next, old);
      old.page = next;
    } else {
      entries ??= [...before.entries];
      entries.splice(at, 1);
    }
  }
  for (const entry of entriesOf([...come.values()])) {
    entries ??= [...before.entries];
    entries.splice(placeOf(entries, entry, order), 0, entry);
  }
  return { order, pages, entries: entries ?? before.entries };
}

/** Pages removed from a list and pages added to it, by path; null if there are many. */
function differ(before: readonly ListedPage[], now: readonly ListedPage[]): { gone: ListedPage[]; come: Map<string, ListedPage> } | null {
  const gone: ListedPage[] = [];
  const come = new Map<string, ListedPage>();
  let [old, at] = [0, 0];
  while (old < before.length || at < now.length) {
    const [was, is] = [before[old], now[at]];
    if (was === is) {
      old++;
      at++;
      continue;
    }
    if (gone.length + come.size > FEW) return null;
    const isAdded = was === undefined || was === now[at + 1];
    const isRemoved = !isAdded && (is === undefined || is === before[old + 1]);
    if (was && !isAdded) {
      gone.push(was);
      old++;
    }
    if (is && !isRemoved) {
      come.set(is.filepath, is);
      at++;
    }
  }
  return { gone, come };
}

/** Whether `page` can replace the entry at `at` without rebuilding the list. */
function staysAt(entries: readonly Entry[], at: number, page: ListedPage, order: Order): boolean {
  const old = (entries[at] as Entry).page;
  const isAlike = old.title === page.title && old.doc_type === page.doc_type && old.staleness === page.staleness && old.tags.join('\n') === page.tags.join('\n');
  if (!isAlike) return false;
  const now = { page, folder: '', key: '' };
  const [above, below] = [entries[at - 1], entries[at + 1]];
  return (!above || compare(above, now, order) < 0) && (!below || compare(now, below, order) < 0);
}

function placeOf(entries: readonly Entry[], entry: Entry, order: Order): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(entries[middle] as Entry, entry, order) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the same array if nothing is filtered. */
export function narrowed(entries: readonly Entry[], { typed, type, tag, staleness }: Choice): readonly Entry[] {
  const words = wordsOf(typed);
  if (words.length === 0 && !type && !tag && !staleness) return entries;
  return entries.filter(
    ({ page, key }) =>
      (!type || page.doc_type === type) &&
      (!tag || page.tags.includes(tag)) &&
      (!staleness || page.staleness === staleness) &&
      words.every((word) => key.includes(word)),
  );
}

/** The values to filter by, the most frequent first; empty if all pages are alike. */
export function values(pages: readonly ListedPage[], of: (page: ListedPage) => readonly string[]): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const value of pages.flatMap((page) => of(page))) counts.set(value, (counts.get(value) ?? 0) + 1);
  const found = [...counts].map(([value, count]) => ({ value, count }));
  if (found.length === 1 && found[0]?.count === pages.length) return [];
  return found.sort((a, b) => b.count - a.count || byTitle.compare(a.value, b.value));
}
