import { expect, test, vi } from 'vitest';
import type { Field } from '#contract';
import type { UbpClient } from '../client/client';
import { NO_RULES, rulesFor, rulesOf } from './rules';

const field = (name: string, required: boolean): Field => ({ name, required, description: null, kind: 'text', values: [], default: null });
const template = (doc_type: string, fields: Field[], headings: string[] = [], links: Record<string, string[]> = {}) => ({ doc_type, fields, headings, links, problem: null });

test('offers what the templates of a type say, required keys first', () => {
  const templates = [
    template('adr', [field('note', false), field('status', true)], ['Context'], { depends_on: [] }),
    template('adr', [field('status', false), field('date', true)], ['Context', 'Decision']),
    template('spec', [field('owner', true)]),
    { ...template('adr', [field('broken', true)]), problem: 'line 1: no' },
  ];
  const { fields, headings, links } = rulesFor(templates, 'adr');
  expect(fields.map(({ name }) => name)).toEqual(['status', 'date', 'note']);
  expect(headings).toEqual(['Context', 'Decision']);
  expect(links).toEqual(['depends_on']);
  expect(rulesFor(templates, 'guide')).toEqual(NO_RULES);
});

test('asks once for several keys, and again after a failure', async () => {
  const call = vi.fn().mockRejectedValueOnce(new Error('offline')).mockResolvedValue({ templates: [template('adr', [], ['Context'])] });
  const client = { call } as unknown as UbpClient;
  expect(await rulesOf(client, 'adr')).toEqual(NO_RULES);
  expect((await rulesOf(client, 'adr')).headings).toEqual(['Context']);
  await rulesOf(client, 'adr');
  expect(call).toHaveBeenCalledTimes(2);
});
