import type { ListedPage } from '#contract';
import { describe, expect, it } from 'vitest';
import { patched, reconciled } from './changes';

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

  it('keeps the objects of pages that are as they were', () => {
    const now = reconciled(before, [page('a.md'), page('b.md', 'B', ['y']), page('d.md')]);
    expect(now[0]).toBe(before[0]);
    expect(now[1]).not.toBe(before[1]);
    expect(now.map(({ filepath }) => filepath)).toEqual(['a.md', 'b.md', 'd.md']);
  });

  it('takes in what a few pages became, new ones and ones that are gone', () => {
    const now = patched(
      before,
      new Map([
        ['a.md', page('a.md')],
        ['b.md', null],
        ['n.md', page('n.md')],
      ]),
    );
    expect(now[0]).toBe(before[0]);
    expect(now.map(({ filepath }) => filepath)).toEqual(['a.md', 'c.md', 'n.md']);
  });
});
