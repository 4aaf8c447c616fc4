import type { GetPageOutput, LinkInfo, ListedPage } from '#contract';
import { describe, expect, it } from 'vitest';
import { endsOf, movedBy, newsOf, patched, reconciled } from './changes';

const page = (filepath: string, title = filepath, tags: string[] = []): ListedPage => ({
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

describe('the list of pages after a change', () => {
  const before = [page('a.md'), page('b.md', 'B', ['x']), page('c.md')];
  const known = new Map(before.map((page) => [page.filepath, page]));

  it('keeps the objects of unchanged pages', () => {
    const now = reconciled(before, known, [page('a.md'), page('b.md', 'B', ['y']), page('d.md')]);
    expect(now[0]).toBe(before[0]);
    expect(now[1]).not.toBe(before[1]);
    expect(now.map(({ filepath }) => filepath)).toEqual(['a.md', 'b.md', 'd.md']);
  });

  it('is the same list if nothing changed', () => {
    expect(reconciled(before, known, [page('a.md'), page('b.md', 'B', ['x']), page('c.md')])).toBe(before);
    const news = newsOf(known, new Map([['a.md', page('a.md')], ['z.md', null]]));
    expect(news.size).toBe(0);
    expect(patched(before, known, news)).toBe(before);
  });

  it('is updated with changed, new and deleted pages', () => {
    const heard = new Map([
      ['a.md', page('a.md')],
      ['b.md', null],
      ['c.md', page('c.md', 'C')],
      ['n.md', page('n.md')],
    ]);
    const now = patched(before, known, newsOf(known, heard));
    expect(now[0]).toBe(before[0]);
    expect(now.map(({ filepath, title }) => `${filepath} ${title}`)).toEqual(['a.md a.md', 'c.md C', 'n.md n.md']);
    expect(before).toHaveLength(3);
  });
});

describe('added and removed links', () => {
  const link = (filepath: string | null, link_type = 'references') => ({ filepath, link_type }) as LinkInfo;
  const ends = (outlinks: LinkInfo[], backlinks: LinkInfo[] = []) => endsOf({ outlinks, backlinks } as unknown as GetPageOutput);

  it('change the counts of the linked pages only', () => {
    const before = ends([link('a.md'), link('b.md'), link(null)], [link('c.md')]);
    expect(movedBy(before, ends([link('a.md'), link('b.md')], [link('c.md')]))).toEqual(new Set());
    expect(movedBy(before, ends([link('a.md'), link('d.md'), link('b.md', 'implements')], []))).toEqual(new Set(['b.md', 'c.md', 'd.md']));
  });
});
