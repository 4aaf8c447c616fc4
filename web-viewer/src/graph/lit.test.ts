import { expect, it } from 'vitest';
import type { GraphNode, OmittedPart, Part } from '#contract';
import { litGroups, litOf, notDrawn } from './lit';

const part = (filepath: string, kind: Part['kind'] = 'text'): Part => ({ filepath, heading: null, lines: null, kind, tokens: 1 });
const missing = (filepath: string, cut = false): OmittedPart => ({ ...part(filepath), cut, reason: 'max_tokens' });
const node = (filepath: string) => ({ filepath, doc_type: 'note' }) as GraphNode;
const answers = [
  { given: [part('a.md'), part('b.md', 'link')], omitted: [missing('c.md'), missing('a.md', true)] },
  { given: [part('b.md')], omitted: [] },
];

it('lights up what answers had, named and left out', () => {
  const { of, all } = litGroups([node('a.md'), node('b.md'), node('c.md'), node('d.md')], litOf(answers));
  expect([...of]).toEqual([0, 0, 2, 3]);
  expect(all.map(({ count }) => count)).toEqual([2, 0, 1, 1]);
});

it('counts lit pages that are not drawn', () => {
  expect(notDrawn([node('a.md'), node('d.md')], litOf(answers))).toBe(2);
  expect(notDrawn(['a.md', 'b.md', 'c.md'].map(node), litOf(answers))).toBe(0);
});
