import { expect, it } from 'vitest';
import { askedOf } from './asked';

it('shows the parameters of a call on one line', () => {
  expect(askedOf({ query: 'login flow', limit: 5, tags: ['a'], folder: null })).toBe('query: login flow, limit: 5, tags: ["a"]');
});

it('shows nothing for a call without parameters', () => {
  for (const params of [{}, null, undefined]) expect(askedOf(params)).toBe('');
});
