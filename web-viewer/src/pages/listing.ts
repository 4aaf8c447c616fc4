// Which pages the list shows, and in which order.
import type { ListedPage, Staleness } from '#contract';
import { fold } from '../text/fold';
import { wordsOf } from '../text/match';

export type Order = 'title' | 'updated' | 'links';

export interface Choice {
  typed: string;
  order: Order;
  type: string;
  tag: string;
  staleness: Staleness | '';
}

export const EVERYTHING: Choice = { typed: '', order: 'title', type: '', tag: '', staleness: '' };

/** A page with what it is found by, folded once. */
export interface Entry {
  page: ListedPage;
  folder: string;
  key: string;
}

/** Folding ten thousand names takes a while: each page that stays the same keeps its entry. */
const known = new WeakMap<ListedPage, Entry>();

export function entriesOf(pages: readonly ListedPage[]): Entry[] {
  return pages.map((page) => {
    const entry = known.get(page) ?? { page, folder: folderOf(page.filepath), key: fold(`${page.title} ${page.filepath}`) };
    known.set(page, entry);
    return entry;
  });
}

export function folderOf(path: string): string {
  return path.replace(/\/?[^/]*$/, '');
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

/** More new entries than this are sorted with all others. */
const FEW = 100;

function compare(a: Entry, b: Entry, order: Order): number {
  return ORDERS[order](a, b) || byTitle.compare(a.page.title, b.page.title) || (a.page.filepath < b.page.filepath ? -1 : 1);
}

export function sorted(entries: readonly Entry[], order: Order): Entry[] {
  return [...entries].sort((a, b) => compare(a, b, order));
}

/** As `sorted`, quickly where `before` has nearly the same entries in that order. */
export function resorted(before: readonly Entry[], entries: readonly Entry[], order: Order): Entry[] {
  const now = new Set(entries);
  const kept = before.filter((entry) => now.delete(entry));
  if (now.size > FEW) return sorted(entries, order);
  const added = sorted([...now], order);
  const merged: Entry[] = [];
  for (const entry of kept) {
    while (added[0] && compare(added[0], entry, order) < 0) merged.push(added.shift() as Entry);
    merged.push(entry);
  }
  return merged.concat(added);
}

export function narrowed(entries: readonly Entry[], { typed, type, tag, staleness }: Choice): Entry[] {
  const words = wordsOf(typed);
  return entries.filter(
    ({ page, key }) =>
      (!type || page.doc_type === type) &&
      (!tag || page.tags.includes(tag)) &&
      (!staleness || page.staleness === staleness) &&
      words.every((word) => key.includes(word)),
  );
}

/** What pages can be narrowed by, the most frequent first; nothing where all are alike. */
export function values(pages: readonly ListedPage[], of: (page: ListedPage) => readonly string[]): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const value of pages.flatMap((page) => of(page))) counts.set(value, (counts.get(value) ?? 0) + 1);
  const found = [...counts].map(([value, count]) => ({ value, count }));
  if (found.length === 1 && found[0]?.count === pages.length) return [];
  return found.sort((a, b) => b.count - a.count || byTitle.compare(a.value, b.value));
}
