import { describe, expect, it } from 'vitest';
import { addressOf, placeOf, usualUrl, type Place } from './urls';

const reading = { kind: 'page' } as const;

describe('the default address of a page', () => {
  it('is its path with another extension, each part encoded', () => {
    expect(usualUrl('Folder/My Page.md')).toBe('Folder/My%20Page.html');
    expect(usualUrl('a.markdown')).toBe('a.html');
    expect(usualUrl('日本語/設計#1?.md')).toBe(`${encodeURIComponent('日本語')}/${encodeURIComponent('設計#1?')}.html`);
    expect(usualUrl('v1.2.md')).toBe('v1.2.html');
  });
});

describe('places and addresses', () => {
  const pageUrl = new URL('https://host/sub/en/Home.html?old=1#old');
  const back = (place: Place, isFolder: boolean) => placeOf(new URL(addressOf(place, pageUrl, isFolder)), isFolder ? null : place.page);

  it.each<[string, Place]>([
    ['a page', { page: 'en/Home.md', anchor: '', view: reading }],
    ['a heading in Japanese', { page: 'en/Home.md', anchor: '見出し #1', view: reading }],
    ['the graph around a page', { page: 'en/Home.md', anchor: '', view: { kind: 'graph', scope: 'local', depth: 3 } }],
    ['the graph of all pages', { page: 'en/Home.md', anchor: '', view: { kind: 'graph', scope: 'all', depth: 2 } }],
    ['an answer in the graph', { page: 'en/Home.md', anchor: '', view: { kind: 'graph', scope: 'all', depth: 2, seen: { of: 'session', session: '3f9a01c2d4e5', answer: 4 } } }],
    ['a session in the graph', { page: 'en/Home.md', anchor: '', view: { kind: 'graph', scope: 'local', depth: 3, seen: { of: 'session', session: '3f9a01c2d4e5', answer: null } } }],
    ['what an agent would see', { page: 'en/Home.md', anchor: '', view: { kind: 'graph', scope: 'all', depth: 2, seen: { of: 'page', page: 'a&b/日本.md', operation: 'get_context', limit: 500 } } }],
    ['the queue', { page: 'en/Home.md', anchor: '', view: { kind: 'queue', item: null } }],
    ['an item of the queue', { page: 'en/Home.md', anchor: '', view: { kind: 'queue', item: 'link|a b.md|c&d.md|' } }],
    ['all proposals', { page: 'en/Home.md', anchor: '', view: { kind: 'proposals', proposal: null } }],
    ['a proposal', { page: 'en/Home.md', anchor: '', view: { kind: 'proposals', proposal: '3f9a01c2d4e5' } }],
    ['lines of a file', { page: 'en/Home.md', anchor: 'L10-L20', view: { kind: 'file', path: 'src/a b&c#.ts' } }],
  ])('lead back to %s', (_name, place) => {
    expect(back(place, false)).toEqual(place);
    expect(back(place, true)).toEqual(place);
  });

  it('keep nothing of the previous address', () => {
    expect(addressOf({ page: 'en/Home.md', anchor: '', view: reading }, pageUrl, false)).toBe('https://host/sub/en/Home.html');
  });

  it('encode headings like core', () => {
    const place: Place = { page: 'a.md', anchor: 'guide/日本 語:^x', view: reading };
    expect(addressOf(place, pageUrl, false)).toBe('https://host/sub/en/Home.html#guide/%E6%97%A5%E6%9C%AC%20%E8%AA%9E:^x');
  });

  it('use defaults for invalid values', () => {
    const place = placeOf(new URL('https://host/?graph=local&depth=99#%E0%A4%A'), 'a.md');
    expect(place.view).toEqual({ kind: 'graph', scope: 'local', depth: 2 });
    expect(place.anchor).toBe('%E0%A4%A');
    expect(placeOf(new URL('https://host/?graph=sideways'), 'a.md').view).toEqual(reading);
    const seen = placeOf(new URL('https://host/?graph=all&seen=b.md&operation=delete_page&tokens=1'), 'a.md').view;
    expect(seen).toEqual({ kind: 'graph', scope: 'all', depth: 2, seen: { of: 'page', page: 'b.md', operation: 'get_page', limit: 256 } });
  });
});
