import type { Item, ProposalFields } from '#contract';
import { expect, it } from 'vitest';
import { entriesOf, keyOf, keyOfProposal, proposalOf, sentenceOf } from './entries';

const call = (params: Record<string, unknown>) => ({ operation: 'accept', params });
const item = (fields: Partial<Item>): Item => ({ kind: 'link', confidence: 0.8, source: 'a.md', target: 'b.md', place: null, proposal: null, agent: null, summary: 'names it', accept: call({ source: 'a.md', target: 'b.md' }), dismiss: null, ...fields });
const typed = item({ kind: 'type', summary: 'depends_on: It depends on [[b]].', accept: call({ source: 'a.md', target: 'b.md', type: 'depends_on' }) });
const proposal = { proposal: '3f9a', pages: [], state: 'pending' } as unknown as ProposalFields;

it('lists proposals first, and everything else in the order of the engine', () => {
  const items = [item({ kind: 'contradiction', accept: null }), typed, item({}), item({ kind: 'proposal' })];
  expect(entriesOf([proposal], items, null).map(({ kind }) => kind)).toEqual(['proposal', 'contradiction', 'type', 'link']);
  expect(entriesOf([proposal], items, 'link').map(({ key }) => key)).toEqual(['link|a.md|b.md|']);
});

it('tells a link from its types', () => {
  expect(keyOf(typed)).not.toBe(keyOf(item({ kind: 'type', accept: call({ type: 'implements' }) })));
  expect(sentenceOf(typed)).toBe('It depends on [[b]].');
  expect(sentenceOf(item({ summary: 'depends_on: x' }))).toBe('depends_on: x');
});

it('finds the proposal of a key', () => {
  expect(proposalOf(keyOfProposal('3f9a'))).toBe('3f9a');
  for (const key of [null, keyOf(typed)]) expect(proposalOf(key)).toBeNull();
});
