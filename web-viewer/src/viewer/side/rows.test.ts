import type { ListedPage } from '#contract';
import { describe, expect, it } from 'vitest';
import { entriesOf, resorted, sorted } from '../../pages/listing';
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
const shown = (rows: readonly Row[]) => rows.map((row) => `${'  '.repeat(row.depth)}${row.kind === 'group' ? `${row.name} ${row.count}` : row.entry.page.filepath}`);

describe('folders', () => {
  const entries = entriesOf([page('a/b/one.md'), page('a/two.md'), page('top.md'), page('c/three.md')]);

  it('come before pages, closed until they are opened', () => {
    expect(shown(tree(entries, new Set()))).toEqual(['a 2', 'c 1', 'top.md']);
    expect(shown(tree(entries, new Set(['a'])))).toEqual(['a 2', '  b 1', '  a/two.md', 'c 1', 'top.md']);
  });

  it('are all open where the list is narrowed', () => {
    expect(shown(tree(entries, 'all'))).toEqual(['a 2', '  b 1', '    a/b/one.md', '  a/two.md', 'c 1', '  c/three.md', 'top.md']);
  });
});

describe('tags', () => {
  it('hold their pages, the most frequent first', () => {
    const entries = entriesOf([page('1.md', ['x', 'y']), page('2.md', ['y']), page('3.md')]);
    expect(shown(byTag(entries, new Set(['#y'])))).toEqual(['#y 2', '  1.md', '  2.md', '#x 1', 'Without tags 1']);
    const keys = byTag(entries, 'all').map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('sorting anew', () => {
  it('gives what sorting from the beginning would', () => {
    const before = [page('b.md'), page('d.md'), page('a.md')];
    const old = sorted(entriesOf(before), 'title');
    const now = entriesOf([page('c.md'), ...before.slice(1), page('z.md', [], 'aa')]);
    expect(resorted(old, now, 'title')).toEqual(sorted(now, 'title'));
  });

  it('is no freeze with ten thousand pages', () => {
    const pages = Array.from({ length: 10_000 }, (_, number) => page(`folder ${number % 97}/page ${number}.md`, [`t${number % 40}`]));
    const old = sorted(entriesOf(pages), 'title');
    const now = [...pages.slice(1), page('new.md')];
    const start = performance.now();
    expect(resorted(old, entriesOf(now), 'title')).toHaveLength(10_000);
    expect(tree(entriesOf(now), new Set())).toHaveLength(98);
    expect(performance.now() - start).toBeLessThan(250);
  });
});
