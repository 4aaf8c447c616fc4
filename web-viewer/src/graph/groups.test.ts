import { expect, it } from 'vitest';
import type { GraphNode } from '#contract';
import { groupsOf } from './groups';

const node = (filepath: string, doc_type = 'note') => ({ filepath, doc_type }) as GraphNode;
const named = (by: 'type' | 'folder', nodes: GraphNode[]) => groupsOf(nodes, by)?.all.map(({ name, count }) => `${name} ${count}`);

it('groups pages by type or by their first folder, the largest group first', () => {
  const nodes = [node('Home.md'), node('a/b/One.md', 'spec'), node('a/Two.md', 'spec')];
  expect(groupsOf(nodes, 'none')).toBeNull();
  expect(named('type', nodes)).toEqual(['spec 2', 'note 1']);
  expect(named('folder', nodes)).toEqual(['a 2', 'Top folder 1']);
  expect([...(groupsOf(nodes, 'folder')?.of ?? [])]).toEqual([1, 0, 0]);
});

it('gives the largest groups their own colours, and all others one', () => {
  const folders = (count: number) => Array.from({ length: count }, (_, at) => node(`${at}/x.md`));
  const eight = groupsOf(folders(8), 'folder');
  expect(new Set(eight?.all.map(({ colour }) => colour)).size).toBe(8);
  expect(eight?.all.some(({ name }) => name === 'Other')).toBe(false);
  const many = groupsOf(folders(20), 'folder');
  expect(many?.all).toHaveLength(8);
  expect(many?.all.at(-1)).toEqual({ name: 'Other', count: 13, colour: '--ink-faint' });
  expect(Math.max(...(many?.of ?? []))).toBe(7);
});
