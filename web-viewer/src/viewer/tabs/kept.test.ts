import { expect, test } from 'vitest';
import { at, neighbour, readKept, reordered, type Tab } from './kept';
import { labelsOf } from './labels';

const tab = (id: string, page = `${id}.md`): Tab => ({ id, page, view: { kind: 'page' }, anchor: '', y: 0, face: null });
const ids = (tabs: readonly Tab[]) => tabs.map(({ id }) => id).join('');
const three = [tab('a'), tab('b'), tab('c')];

test('reads what it stored, and nothing else', () => {
  const kept = { tabs: three, current: 'b', closed: [{ tab: tab('d'), at: 1 }] };
  expect(readKept(JSON.stringify(kept))).toEqual(kept);
  for (const broken of [null, '', '{', '[]', '{}', '"x"', JSON.stringify({ ...kept, current: 'x' }), JSON.stringify({ ...kept, tabs: [...three, tab('a')] }), JSON.stringify({ ...kept, tabs: [{ id: 'b' }] })]) {
    expect(readKept(broken), String(broken)).toBeNull();
  }
  expect(readKept(JSON.stringify({ ...kept, closed: [1, { tab: {} }, null] }))?.closed).toEqual([]);
});

test('keeps the lines of a file, but not the heading that was gone to', () => {
  const view = { kind: 'file', path: 'src/a.rs' } as const;
  expect(at(tab('a'), { page: 'b.md', anchor: 'L1-L2', view })).toEqual({ ...tab('a', 'b.md'), view, anchor: 'L1-L2' });
  expect(at({ ...tab('a'), anchor: 'heading' }, { page: 'b.md', anchor: 'heading', view: { kind: 'page' } })).toEqual(tab('a', 'b.md'));
});

test('shows the tab that takes the place of a closed one', () => {
  expect(['a', 'b', 'c'].map((id) => neighbour(three, id)?.id)).toEqual(['b', 'c', 'b']);
  expect(neighbour([tab('a')], 'a')).toBeNull();
});

test('moves a tab to a place', () => {
  expect(ids(reordered(three, 'a', 2))).toBe('bca');
  expect(ids(reordered(three, 'c', 0))).toBe('cab');
  expect(ids(reordered(three, 'b', -1))).toBe('bac');
  expect(ids(reordered(three, 'x', 0))).toBe('abc');
});

test('names tabs after their pages, and tells pages of the same title apart', () => {
  const titles: Record<string, string> = { 'x/Log.md': 'Log', 'y/Log.md': 'Log', 'Home.md': 'Home' };
  const graph: Tab = { ...tab('g', 'Home.md'), view: { kind: 'graph', scope: 'local', depth: 2 } };
  const file: Tab = { ...tab('f', 'Home.md'), view: { kind: 'file', path: 'src/main.rs' } };
  const labels = labelsOf([tab('1', 'x/Log.md'), tab('2', 'y/Log.md'), tab('3', 'Home.md'), tab('4', 'Home.md'), graph, file, tab('5', 'z/Gone.md')], (page) => titles[page]);
  expect([...labels.values()].map(({ text, where }) => `${text}|${where}`)).toEqual(['Log|x', 'Log|y', 'Home|', 'Home|', 'Graph: Home|', 'main.rs|', 'Gone|']);
});
