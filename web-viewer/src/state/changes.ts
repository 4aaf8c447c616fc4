// Updates the page list after changes of files. Unchanged pages stay the same objects, and an unchanged list the same array,
// so that nothing has to be derived from them again.
import type { GetPageOutput, LinkInfo, ListedPage } from '#contract';

/** If more pages changed, the whole list is requested. */
export const FEW = 12;

function isSame(a: ListedPage, b: ListedPage): boolean {
  return (
    a.title === b.title &&
    a.updated_at === b.updated_at &&
    a.staleness === b.staleness &&
    a.link_count === b.link_count &&
    a.backlink_count === b.backlink_count &&
    a.doc_type === b.doc_type &&
    a.doc_id === b.doc_id &&
    a.created_at === b.created_at &&
    a.tags.length === b.tags.length &&
    a.tags.every((tag, at) => tag === b.tags[at])
  );
}

/** `now`, with the objects of `before` where nothing changed. */
export function reconciled(before: readonly ListedPage[], known: ReadonlyMap<string, ListedPage>, now: readonly ListedPage[]): readonly ListedPage[] {
  const pages = now.map((page) => {
    const old = known.get(page.filepath);
    return old && isSame(old, page) ? old : page;
  });
  return pages.length === before.length && pages.every((page, at) => page === before[at]) ? before : pages;
}

/** A page as in the list. */
export function listed(page: GetPageOutput): ListedPage {
  const { doc_id, filepath, title, doc_type, created_at, updated_at, staleness, tags } = page;
  const link_count = page.outlinks.filter((link) => link.filepath !== null).length;
  return { doc_id, filepath, title, doc_type, created_at, updated_at, staleness, link_count, backlink_count: page.backlinks.length, tags };
}

/** The changes that are not known yet; null stands for a deleted page. */
export function newsOf(known: ReadonlyMap<string, ListedPage>, heard: ReadonlyMap<string, ListedPage | null>): Map<string, ListedPage | null> {
  return new Map(
    [...heard].filter(([path, page]) => {
      const old = known.get(path);
      return page === null ? old !== undefined : old === undefined || !isSame(old, page);
    }),
  );
}

/** The list after `news`. `known` are the pages of `before` by path. */
export function patched(before: readonly ListedPage[], known: ReadonlyMap<string, ListedPage>, news: ReadonlyMap<string, ListedPage | null>): readonly ListedPage[] {
  if (news.size === 0) return before;
  const pages = [...before];
  for (const [path, page] of news) {
    const old = known.get(path);
    if (old) pages.splice(pages.indexOf(old), 1, ...(page ? [page] : []));
    else if (page) pages.push(page);
  }
  return pages;
}

/** The links from and to a page, once per page and type: the basis of link counts. */
export type Ends = ReadonlySet<string>;

export function endsOf({ outlinks, backlinks }: GetPageOutput): Ends {
  const end = (side: string) => ({ filepath, link_type }: LinkInfo) => (filepath === null ? [] : [`${side}\n${link_type}\n${filepath}`]);
  return new Set([...outlinks.flatMap(end('to')), ...backlinks.flatMap(end('from'))]);
}

/** The pages whose link counts changed because links between them and the page were added or removed. */
export function movedBy(before: Ends, now: Ends): Set<string> {
  const moved = [...[...now].filter((end) => !before.has(end)), ...[...before].filter((end) => !now.has(end))];
  return new Set(moved.map((end) => end.slice(end.lastIndexOf('\n') + 1)));
}
