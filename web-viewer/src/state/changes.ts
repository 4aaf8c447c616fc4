// What a change of files means for the list of pages. Ten thousand pages stay the same objects unless they changed, so
// that whoever derives something from one of them need not do it again.
import type { GetPageOutput, ListedPage } from '#contract';

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
export function reconciled(before: readonly ListedPage[], now: readonly ListedPage[]): ListedPage[] {
  const known = new Map(before.map((page) => [page.filepath, page]));
  return now.map((page) => {
    const old = known.get(page.filepath);
    return old && isSame(old, page) ? old : page;
  });
}

/** A page as the list tells it. */
export function listed(page: GetPageOutput): ListedPage {
  const { doc_id, filepath, title, doc_type, created_at, updated_at, staleness, tags } = page;
  const link_count = page.outlinks.filter((link) => link.filepath !== null).length;
  return { doc_id, filepath, title, doc_type, created_at, updated_at, staleness, link_count, backlink_count: page.backlinks.length, tags };
}

/** The list after a few pages changed; null stands for a page that is gone. */
export function patched(before: readonly ListedPage[], changes: ReadonlyMap<string, ListedPage | null>): ListedPage[] {
  const left = new Map(changes);
  const pages = before.flatMap((page) => {
    const change = left.get(page.filepath);
    if (change === undefined) return [page];
    left.delete(page.filepath);
    if (change === null) return [];
    return [isSame(page, change) ? page : change];
  });
  for (const page of left.values()) if (page) pages.push(page);
  return pages;
}
