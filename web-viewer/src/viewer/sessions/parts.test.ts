import { expect, it } from 'vitest';
import { byPage } from './parts';

it('puts parts of a page together, and keeps the order of the answer', () => {
  const parts = ['a', 'a', 'b', 'a'].map((filepath, line) => ({ filepath, line }));
  expect(byPage(parts).map(({ filepath, parts }) => `${filepath}${parts.map(({ line }) => line).join('')}`)).toEqual(['a01', 'b2', 'a3']);
  expect(byPage([])).toEqual([]);
});
