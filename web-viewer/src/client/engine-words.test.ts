import { expect, it } from 'vitest';
import catalogue from '#messages/ja';
import cases from '../../../tests/tests/languages/retold.json';
import { wordsOf } from './engine-words';

const words = wordsOf(catalogue);

it.each(cases.cases as [string, string][])('is told as by the command: %s', (english, japanese) => expect(words.retold(english)).toBe(japanese));

it('is in the catalogue of the command, with numbers by their singular', () => {
  expect(Object.keys(catalogue.texts).length).toBeGreaterThan(1_000);
  expect(words.translated("no page is called '{page}'")).toBe('「{page}」という名前のページはありません');
  expect(words.translated('{number} page added')).toBe('ページの追加 {number} 件');
  expect(words.translated('not in the catalogue')).toBeUndefined();
});
