import { describe, expect, it } from 'vitest';
import type { ListedPage } from '#contract';
import { entriesOf, EVERYTHING, narrowed, sorted, values } from './listing';

const page = (title: string, more: Partial<ListedPage> = {}): ListedPage => ({
  doc_id: title,
  filepath: `notes/${title}.md`,
  title,
  doc_type: 'spec',
  created_at: '2024-01-01T00:00:00Z',
  updated_at: '2024-01-01T00:00:00Z',
  staleness: 'untracked',
  link_count: 0,
  backlink_count: 0,
  tags: [],
  ...more,
});

const titles = (entries: readonly { page: ListedPage }[]) => entries.map((entry) => entry.page.title);

describe('the page list', () => {
  const pages = [
    page('Note 10', { updated_at: '2024-03-01T00:00:00Z', tags: ['work'] }),
    page('note 2', { link_count: 1, backlink_count: 4, staleness: 'stale' }),
    page('データベース', { doc_type: 'guide', updated_at: '2024-05-01T00:00:00Z', tags: ['work', 'db'] }),
  ];
  const entries = entriesOf(pages);

  it('sorts titles naturally, dates newest first, links most first', () => {
    expect(titles(sorted(entries, 'title')).slice(0, 2)).toEqual(['note 2', 'Note 10']);
    expect(titles(sorted(entries, 'updated'))).toEqual(['データベース', 'Note 10', 'note 2']);
    expect(titles(sorted(entries, 'links'))[0]).toBe('note 2');
  });

  it('is filtered by all words, in title or path, whatever their width or kana', () => {
    const by = (typed: string) => titles(narrowed(entries, { ...EVERYTHING, typed }));
    expect(by('NOTE 2')).toEqual(['note 2']);
    expect(by('ﾃﾞｰﾀ')).toEqual(['データベース']);
    expect(by('でーた')).toEqual(['データベース']);
    expect(by('notes/')).toHaveLength(3);
    expect(by('note missing')).toEqual([]);
  });

  it('is filtered by type, tag and freshness together', () => {
    expect(titles(narrowed(entries, { ...EVERYTHING, tag: 'work' }))).toEqual(['Note 10', 'データベース']);
    expect(titles(narrowed(entries, { ...EVERYTHING, tag: 'work', type: 'guide' }))).toEqual(['データベース']);
    expect(titles(narrowed(entries, { ...EVERYTHING, staleness: 'stale' }))).toEqual(['note 2']);
  });

  it('offers values to filter by, the most frequent first, and none if all pages are alike', () => {
    expect(values(pages, ({ tags }) => tags)).toEqual([
      { value: 'work', count: 2 },
      { value: 'db', count: 1 },
    ]);
    expect(values(pages.slice(0, 2), ({ doc_type }) => [doc_type])).toEqual([]);
  });
});
