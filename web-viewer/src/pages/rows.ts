// The rows of the list: plain pages, or pages below folders or tags that can be expanded.
import type { ProjectFile } from '#contract';
import { folderOf, nameOf } from '../text/paths';
import type { Entry } from './listing';
import { words } from '../words/words';

export interface PageRow {
  kind: 'page';
  /** Unique: a page with two tags appears twice. */
  key: string;
  entry: Entry;
  depth: number;
}

export interface GroupRow {
  kind: 'group';
  key: string;
  name: string;
  /** Number of pages in it and below it. */
  count: number;
  depth: number;
  isOpen: boolean;
}

/** An attachment below its folder. */
export interface FileRow {
  kind: 'file';
  key: string;
  file: ProjectFile;
  name: string;
  depth: number;
}

export type Row = PageRow | GroupRow | FileRow;

/** An attachment in the pages folder, by its path there. */
export interface Attachment {
  file: ProjectFile;
  path: string;
}

export function flat(entries: readonly Entry[]): Row[] {
  return entries.map((entry) => ({ kind: 'page', key: entry.page.filepath, entry, depth: 0 }));
}

interface Folder {
  path: string;
  name: string;
  folders: Map<string, Folder>;
  pages: Entry[];
  files: Attachment[];
  count: number;
}

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Folders with their pages, then their attachments; only the contents of `open` ones, or everything for `'all'`. Keeps the order of entries. */
export function tree(entries: readonly Entry[], open: ReadonlySet<string> | 'all', attachments: readonly Attachment[] = []): Row[] {
  const top: Folder = { path: '', name: '', folders: new Map(), pages: [], files: [], count: 0 };
  const known = new Map<string, Folder>([['', top]]);
  const folder = (path: string): Folder => {
    const there = known.get(path);
    if (there) return there;
    const made: Folder = { path, name: nameOf(path), folders: new Map(), pages: [], files: [], count: 0 };
    known.set(path, made);
    folder(folderOf(path)).folders.set(path, made);
    return made;
  };
  for (const entry of entries) {
    let at = folder(entry.folder);
    at.pages.push(entry);
    for (;;) {
      at.count++;
      if (at.path === '') break;
      at = folder(folderOf(at.path));
    }
  }
  for (const attachment of attachments) folder(folderOf(attachment.path)).files.push(attachment);
  const rows: Row[] = [];
  const list = (from: Folder, depth: number): void => {
    for (const inner of [...from.folders.values()].sort((a, b) => byName.compare(a.name, b.name))) {
      const isOpen = open === 'all' || open.has(inner.path);
      rows.push({ kind: 'group', key: `${inner.path}/`, name: inner.name, count: inner.count, depth, isOpen });
      if (isOpen) list(inner, depth + 1);
    }
    for (const entry of from.pages) rows.push({ kind: 'page', key: entry.page.filepath, entry, depth });
    for (const { file, path } of from.files) rows.push({ kind: 'file', key: path, file, name: nameOf(path), depth });
  };
  list(top, 0);
  return rows;
}

/** Tags with their pages, the most frequent first; pages without tags are last. */
export function byTag(entries: readonly Entry[], open: ReadonlySet<string> | 'all'): Row[] {
  const tags = new Map<string, Entry[]>();
  const without: Entry[] = [];
  for (const entry of entries) {
    if (entry.page.tags.length === 0) without.push(entry);
    for (const tag of new Set(entry.page.tags)) {
      const pages = tags.get(tag);
      if (pages) pages.push(entry);
      else tags.set(tag, [entry]);
    }
  }
  const groups = [...tags].sort(([a, one], [b, other]) => other.length - one.length || byName.compare(a, b)).map(([tag, pages]) => ({ key: `#${tag}`, name: `#${tag}`, pages }));
  if (without.length > 0) groups.push({ key: 'none', name: words.pages.untagged, pages: without });
  return groups.flatMap(({ key, name, pages }): Row[] => {
    const isOpen = open === 'all' || open.has(key);
    const group: Row = { kind: 'group', key, name, count: pages.length, depth: 0, isOpen };
    if (!isOpen) return [group];
    return [group, ...pages.map((entry): Row => ({ kind: 'page', key: `${key} ${entry.page.filepath}`, entry, depth: 1 }))];
  });
}

/** The key of a group in `open`. */
export function opening({ key }: GroupRow): string {
  return key.replace(/\/$/, '');
}
