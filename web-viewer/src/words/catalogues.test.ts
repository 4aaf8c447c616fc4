import { afterEach, describe, expect, it, vi } from 'vitest';
import english from './en/reader';
import { offline as englishOffline } from './en/offline';
import englishWriter from './en/writer';
import japanese from './ja/reader';
import { offline as japaneseOffline } from './ja/offline';
import japaneseWriter from './ja/writer';
import { languageOf, locale } from './language.svelte';
import { dateAndTime, number, shortDate } from './format';
import { words } from './words';

/** All messages with their paths; of those with parameters, their code. */
function messages(group: object, path = ''): [string, string][] {
  return Object.entries(group).flatMap(([key, value]: [string, unknown]) => (typeof value === 'object' && value !== null ? messages(value, `${path}${key}.`) : [[path + key, String(value)] as [string, string]]));
}

describe('the Japanese catalogue', () => {
  const all = messages({ ...japanese, ...japaneseWriter, offline: japaneseOffline });
  const sources = new Map(messages({ ...english, ...englishWriter, offline: englishOffline }));

  it('has every message in Japanese', () => {
    const left = all.filter(([, text]) => text !== '' && !/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}、。（）～]/u.test(text)).map(([path]) => path);
    expect(all.length).toBeGreaterThan(500);
    expect(left).toEqual([]);
  });

  it('has the parts of each sentence that the English one has', () => {
    const isCode = (text: string) => text.startsWith('(');
    const parts = (text: string) => [...text.matchAll(isCode(text) ? /(?<!\$)\{(\w+)\}/g : /\{(\w+)\}|`([^`]+)`/g)].map(([part]) => part.replace('ログイン', 'Login')).sort();
    for (const [path, text] of all) {
      const source = sources.get(path);
      if (source !== undefined) expect([...new Set(parts(text))], path).toEqual([...new Set(parts(source))]);
    }
  });

  it('ends sentences as Japanese does', () => {
    expect(all.filter(([, text]) => /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}][.,!?]( |$)/u.test(text)).map(([path]) => path)).toEqual([]);
    // Words of technology keep their long vowels.
    expect(all.filter(([, text]) => /フォルダ(?!ー)|ブラウザ(?!ー)|サーバ(?!ー)|エディタ(?!ー)|ユーザ(?!ー)/.test(text)).map(([path]) => path)).toEqual([]);
  });
});

afterEach(() => vi.unstubAllGlobals());

describe('the language', () => {
  it('is the first of the browser that the app speaks', () => {
    expect(languageOf('system', ['ja-JP', 'en-US'])).toBe('ja');
    expect(languageOf('system', ['fr', 'ja', 'en'])).toBe('ja');
    expect(languageOf('system', ['en-GB', 'ja'])).toBe('en');
    expect(languageOf('system', ['fr', 'de'])).toBe('en');
    expect(languageOf('system', [])).toBe('en');
  });

  it('is the one that was chosen', () => {
    expect(languageOf('ja', ['en'])).toBe('ja');
    expect(languageOf('en', ['ja'])).toBe('en');
    expect(languageOf('tlh' as 'en', ['ja'])).toBe('ja');
  });

  it('decides how numbers and dates are written', () => {
    vi.stubGlobal('navigator', { languages: ['ja', 'en-US'] });
    expect(locale()).toBe('en-US');
    expect(number(12_345)).toBe('12,345');
    expect(shortDate('2026-11-23T12:00:00Z')).toBe('Nov 23, 2026');
    expect(shortDate('never')).toBe('');
    expect(dateAndTime('2026-11-23T12:00:00Z')).toMatch(/^Nov 23, 2026, \d{1,2}:\d\d/);
    expect(words.pages.pages(1)).toBe('1 page');
    expect(words.pages.pages(1_000)).toBe('1,000 pages');
    expect(words.pages.pages(0)).toBe('0 pages');
  });
});
