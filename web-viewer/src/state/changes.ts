// What a change of files means for the list of pages. Ten thousand pages stay the same objects unless they changed, and
// the list itself if none did, so that whoever derives something from them need not do it again.
import type { GetPageOutput, LinkInfo, ListedPage } from '#contract';

/** More pages than this are not asked for one by one. */
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

/** `now`, with the objects of `before` wherever nothing changed. */
export function reconciled(before: readonly ListedPage[], known: ReadonlyMap<string, ListedPage>, now: readonly ListedPage[]): readonly ListedPage[] {
  const pages = now.map((page) => {
    const old = known.get(page.filepath);
    return old && isSame(old, page) ? old : page;
  });
  return pages.length === before.length && pages.every((page, at) => page === before[at]) ? before : pages;
}

/** A page as the list tells it. */
export function listed(page: GetPageOutput): ListedPage {
  const { doc_id, filepath, title, doc_type, created_at, updated_at, staleness, tags } = page;
  const link_count = page.outlinks.filter((link) => link.filepath !== null).length;
  return { doc_id, filepath, title, doc_type, created_at, updated_at, staleness, link_count, backlink_count: page.backlinks.length, tags };
}

/** Of what was heard of a few pages, that which is not known yet; null stands for a page that is gone. */
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

/** The links of a page to others and from them, each once per page and type: what counts of links are made of. */
export type Ends = ReadonlySet<string>;

export function endsOf({ outlinks, backlinks }: GetPageOutput): Ends {
  const end = (side: string) => ({ filepath, link_type }: LinkInfo) => (filepath === null ? [] : [`${side}\n${link_type}\n${filepath}`]);
  return new Set([...outlinks.flatMap(end('to')), ...backlinks.flatMap(end('from'))]);
}

/** The pages whose own counts are others now: links between them and the page came or went. */
export function movedBy(before: Ends, now: Ends): Set<string> {
  const moved = [...[...now].filter((end) => !before.has(end)), ...[...before].filter((end) => !now.has(end))];
  return new Set(moved.map((end) => end.slice(end.lastIndexOf('\n') + 1)));
}
