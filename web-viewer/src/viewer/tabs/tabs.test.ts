import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Destination, Navigator } from '../../routing/navigator.svelte';
import type { Place } from '../../routing/urls';
import type { Face } from '../../state/settings.svelte';
import { Tabs } from './tabs.svelte';

function storage(): Storage {
  const kept = new Map<string, string>();
  return { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, text: string) => void kept.set(key, text), removeItem: (key: string) => void kept.delete(key) } as Storage;
}

/** A navigator that arrives at once, as one window of a project. */
function window(start: string, isStart = false) {
  const gone = new Set<string>();
  const told: string[] = [];
  const faces = new Map<string, Face>();
  const went: string[] = [];
  const navigator = {
    away: (): null => null,
    tab: '',
    tabs: null as Tabs | null,
    place: { page: start, anchor: '', view: { kind: 'page' } } as Place,
    async go(to: Destination, how = 'push') {
      went.push(`${how} ${to.page}${to.y ? ` ${to.y}` : ''}`);
      this.place = { page: to.page, anchor: to.anchor ?? '', view: to.view ?? { kind: 'page' } };
      this.tab = to.tab ?? this.tab;
      this.tabs?.arrived(this.tab, this.place);
    },
  };
  const host = {
    faces: { of: (page: string) => faces.get(page) ?? ('read' as const), choose: (page: string, face: Face) => void faces.set(page, face) },
    toggleFace: () => Promise.resolve(),
    isThere: (page: string) => !gone.has(page),
    onGone: (page: string) => void told.push(page),
  };
  const tabs = new Tabs('project', navigator as unknown as Navigator, host, isStart);
  const pages = () => tabs.list.map(({ id, page }) => (id === navigator.tab ? `[${page}]` : page)).join(' ');
  return { tabs, navigator, gone, told, faces, went, pages };
}

beforeEach(() => {
  vi.stubGlobal('sessionStorage', storage());
  vi.stubGlobal('localStorage', storage());
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('scrollY', 0);
});
afterEach(() => vi.unstubAllGlobals());

test('a plain link goes on in the current tab; a new one comes beside it', async () => {
  const { tabs, navigator, pages } = window('a');
  await navigator.go({ page: 'b' });
  expect(pages()).toBe('[b]');
  tabs.open({ page: 'c' }, false);
  expect(pages()).toBe('[b] c');
  tabs.open({ page: 'd' }, true);
  expect(pages()).toBe('b [d] c');
  await navigator.go({ page: 'e' });
  expect(pages()).toBe('b [e] c');
});

test('a tab keeps where it was scrolled to and how its page was shown', async () => {
  const { tabs, navigator, faces, went, pages } = window('a');
  tabs.open({ page: 'b' }, true);
  vi.stubGlobal('scrollY', 300);
  faces.set('b', 'edit');
  await tabs.step(-1);
  expect(pages()).toBe('[a] b');
  faces.set('b', 'read');
  await tabs.step(1);
  expect(went.at(-1)).toBe('push b 300');
  expect(faces.get('b')).toBe('edit');
  expect(navigator.place.page).toBe('b');
});

test('closes and reopens tabs at their places', async () => {
  const { tabs, navigator, went, pages } = window('a');
  tabs.open({ page: 'c' }, false);
  tabs.open({ page: 'b' }, false);
  expect(pages()).toBe('[a] b c');
  await tabs.close(tabs.list[1]!.id);
  expect(pages()).toBe('[a] c');
  expect(went).toEqual([]);
  await tabs.close(navigator.tab);
  expect(pages()).toBe('[c]');
  expect(went).toEqual(['replace c']);
  await tabs.close(navigator.tab);
  expect(pages(), 'the last tab stays').toBe('[c]');
  await tabs.reopen();
  expect(pages()).toBe('[a] c');
  await tabs.reopen();
  expect(pages()).toBe('a [b] c');
  expect(tabs.canReopen).toBe(false);
});

test('closes all others', async () => {
  const { tabs, navigator, pages } = window('a');
  tabs.open({ page: 'c' }, false);
  tabs.open({ page: 'b' }, false);
  await tabs.closeOthers(tabs.list[1]!.id);
  expect(pages()).toBe('[b]');
  expect(navigator.place.page).toBe('b');
  await tabs.reopen();
  expect(pages()).toBe('b [c]');
});

test('follows renamed and deleted pages', async () => {
  const { tabs, navigator, pages } = window('a');
  tabs.open({ page: 'b' }, false);
  tabs.open({ page: 'a' }, false);
  tabs.moved('b', 'x/b');
  expect(pages()).toBe('[a] a x/b');
  expect(await tabs.removed('a')).toBe(true);
  expect(pages()).toBe('[x/b]');
  expect(navigator.place.page).toBe('x/b');
  expect(await tabs.removed('x/b'), 'another page has to be found').toBe(false);
  expect(pages()).toBe('[x/b]');
});

test('closes tabs whose pages are gone when one of them is used', async () => {
  const { tabs, gone, told, pages } = window('a');
  tabs.open({ page: 'c' }, false);
  tabs.open({ page: 'b' }, false);
  await tabs.select('not a tab');
  gone.add('b');
  await tabs.select(tabs.list[1]!.id);
  expect(pages()).toBe('[a] c');
  expect(told).toEqual(['b']);
});

test('a renamed page is there before the list of pages has it', async () => {
  const { tabs, gone, told, pages } = window('a');
  tabs.open({ page: 'b' }, false);
  await tabs.select('not a tab');
  tabs.moved('b', 'c');
  gone.add('b').add('c');
  await tabs.step(1);
  expect(pages()).toBe('a [c]');
  expect(told).toEqual([]);
});

test('a reload keeps the tabs; a new window has those of the last one only if it was opened without a page', async () => {
  const first = window('a');
  first.tabs.open({ page: 'b' }, true);
  expect(window('b').pages()).toBe('a [b]');

  vi.stubGlobal('sessionStorage', storage());
  const other = window('home', true);
  await other.tabs.resume();
  expect(other.pages()).toBe('a [b]');
  expect(other.went).toEqual(['replace b']);

  vi.stubGlobal('sessionStorage', storage());
  const named = window('c');
  await named.tabs.resume();
  expect(named.pages()).toBe('[c]');
});

test('works without storage', async () => {
  const broken = () => {
    throw new Error('no storage');
  };
  vi.stubGlobal('sessionStorage', { getItem: broken, setItem: broken, removeItem: broken });
  const { tabs, pages } = window('a');
  tabs.open({ page: 'b' }, true);
  await tabs.step(1);
  expect(pages()).toBe('[a] b');
});
