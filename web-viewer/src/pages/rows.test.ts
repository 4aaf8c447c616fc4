import type { ListedPage } from '#contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachmentsIn } from './attachments';
import { entriesOf, inOrder, type InOrder, type Order } from './listing';
import { byTag, tree, type Row } from './rows';

const page = (filepath: string, tags: string[] = [], title = filepath): ListedPage => ({
  doc_id: filepath,
  filepath,
  title,
  doc_type: 'note',
  created_at: '',
  updated_at: '',
  staleness: 'untracked',
  link_count: 0,
  backlink_count: 0,
  tags,
});
const shown = (rows: readonly Row[]) => rows.map((row) => `${'  '.repeat(row.depth)}${row.kind === 'group' ? `${row.name} ${row.count}` : row.kind === 'file' ? row.name : row.entry.page.filepath}`);

describe('folders', () => {
  const entries = entriesOf([page('a/b/one.md'), page('a/two.md'), page('top.md'), page('c/three.md')]);

  it('come before pages and are collapsed by default', () => {
    expect(shown(tree(entries, new Set()))).toEqual(['a 2', 'c 1', 'top.md']);
    expect(shown(tree(entries, new Set(['a'])))).toEqual(['a 2', '  b 1', '  a/two.md', 'c 1', 'top.md']);
  });

  it('are all expanded if the list is filtered', () => {
    expect(shown(tree(entries, 'all'))).toEqual(['a 2', '  b 1', '    a/b/one.md', '  a/two.md', 'c 1', '  c/three.md', 'top.md']);
  });
});

describe('attachments', () => {
  const file = (path: string) => ({ path: `pages/${path}`, kind: 'attachment' as const, size: 1, url: encodeURIComponent(path).replaceAll('%2F', '/') });
  const files = [file('a/shot 10.png'), file('a/shot 2.png'), file('files/x.pdf'), { ...file('art/y.png'), url: 'project-files/art/y.png' }];

  it('come after the pages of their folder, also in folders without pages, and are not counted as pages', () => {
    const rows = tree(entriesOf([page('a/one.md'), page('top.md')]), 'all', attachmentsIn(files, ''));
    expect(shown(rows)).toEqual(['a 1', '  a/one.md', '  shot 2.png', '  shot 10.png', 'files 0', '  x.pdf', 'top.md']);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  it('are found by what is typed', () => {
    expect(attachmentsIn(files, 'SHOT 2').map(({ path }) => path)).toEqual(['a/shot 2.png']);
    expect(attachmentsIn(files, 'nothing')).toEqual([]);
  });
});

describe('tags', () => {
  it('contain their pages, the most frequent first', () => {
    const entries = entriesOf([page('1.md', ['x', 'y']), page('2.md', ['y']), page('3.md')]);
    expect(shown(byTag(entries, new Set(['#y'])))).toEqual(['#y 2', '  1.md', '  2.md', '#x 1', 'Untagged 1']);
    const keys = byTag(entries, 'all').map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('sorting incrementally', () => {
  const titles = (entries: readonly { page: ListedPage }[]) => entries.map((entry) => entry.page.title);

  it('gives the same result as sorting from scratch, whatever changed', () => {
    const letters = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const made = fc.uniqueArray(fc.tuple(letters, letters, fc.nat({ max: 4 })), { selector: ([path]) => path, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(made, { minLength: 2, maxLength: 6 }), fc.constantFrom<Order>('title', 'updated', 'links'), (lists, order) => {
        const known = new Map<string, ListedPage>();
        let now: InOrder | null = null;
        for (const list of lists) {
          const pages = list.map(([path, title, time]) => {
            const key = `${path} ${title} ${time}`;
            const one = known.get(key) ?? { ...page(`${path}.md`, [], title), updated_at: `2026-01-0${time + 1}`, backlink_count: time };
            known.set(key, one);
            return one;
          });
          now = inOrder(now, pages, order);
          const anew = inOrder(null, pages.map((one) => ({ ...one })), order);
          expect(now.entries.map((entry) => entry.page)).toEqual(anew.entries.map((entry) => entry.page));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the array if a page changed in nothing that it depends on', () => {
    const pages = ['a', 'b', 'c'].map((name) => page(`${name}.md`));
    const old = inOrder(null, pages, 'title');
    const saved = { ...(pages[1] as ListedPage), updated_at: '2026-01-01', link_count: 3 };
    const now = inOrder(old, [pages[0] as ListedPage, saved, pages[2] as ListedPage], 'title');
    expect(now.entries).toBe(old.entries);
    expect(now.entries[1]?.page).toBe(saved);
    const renamed = inOrder(now, [pages[0] as ListedPage, { ...saved, title: 'z' }, pages[2] as ListedPage], 'title');
    expect(renamed.entries).not.toBe(now.entries);
    expect(titles(renamed.entries)).toEqual(['a.md', 'c.md', 'z']);
    expect(titles(now.entries)).toEqual(['a.md', 'b.md', 'c.md']);
  });

  it('is fast with ten thousand pages', () => {
    const pages = Array.from({ length: 10_000 }, (_, number) => page(`folder ${number % 97}/page ${number}.md`, [`t${number % 40}`]));
    const old = inOrder(null, pages, 'title');
    const times = Array.from({ length: 5 }, () => {
      const start = performance.now();
      const now = inOrder(old, [...pages.slice(1), page('new.md')], 'title');
      expect(now.entries).toHaveLength(10_000);
      expect(tree(now.entries, new Set())).toHaveLength(98);
      return performance.now() - start;
    });
    // Other processes may slow down some of them.
    expect(Math.min(...times)).toBeLessThan(250);
  });
});
