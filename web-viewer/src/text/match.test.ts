import { describe, expect, it } from 'vitest';
import { fold, foldWithOrigins } from './fold';
import { pieces, typedLetters, wordsOf } from './match';

const marked = (typed: string, name: string) => typedLetters(typed, name).map(([start, end]) => name.slice(start, end));

describe('folding', () => {
  it('unifies width, case, accents and kana', () => {
    expect(fold('Ｒésumé')).toBe('resume');
    expect(fold('データベース')).toBe(fold('でーたべーす'));
    expect(fold('ﾃﾞｰﾀ')).toBe(fold('データ'));
    expect(fold('Straße')).toBe('strasse');
    expect(fold('が')).toBe(fold('か\u3099'));
  });

  it('distinguishes 設計 and 設定, が and か', () => {
    expect(fold('設計')).not.toBe(fold('設定'));
    expect(fold('が')).not.toBe(fold('か'));
  });

  it('maps each letter to its origin', () => {
    const original = 'ﾃﾞｰﾀ ①';
    const { text, origins } = foldWithOrigins(original);
    expect(text).toBe('でーた 1');
    expect(origins).toEqual([0, 2, 3, 4, 5, 6]);
    expect(foldWithOrigins('ßa').origins).toEqual([0, 0, 1, 2]);
  });
});

describe('matched letters', () => {
  it('are highlighted together if they are adjacent', () => {
    expect(marked('link', 'Backlinks')).toEqual(['link']);
    expect(marked('ﾃﾞｰﾀ', 'データベース')).toEqual(['データ']);
    expect(marked('resume', 'Le Résumé')).toEqual(['Résumé']);
  });

  it('are otherwise highlighted one by one, with neighbours merged', () => {
    expect(marked('usrdb', 'User Database')).toEqual(['Us', 'r', 'D', 'b']);
    expect(marked('lo ut', 'logout')).toEqual(['lo', 'ut']);
  });

  it('are not highlighted in a name without all of them, or if nothing was typed', () => {
    expect(marked('zz', 'logout')).toEqual([]);
    expect(marked('  ', 'logout')).toEqual([]);
  });

  it('include whole clusters, so that no combining mark is split off', () => {
    expect(marked('か', 'か\u3099ぎ')).toEqual([]);
    expect(marked('がぎ', 'か\u3099ぎ')).toEqual(['か\u3099ぎ']);
    expect(marked('a', '👨‍👩‍👧a')).toEqual(['a']);
  });
});

describe('pieces', () => {
  it('split the text at range borders without losing anything', () => {
    const text = 'one two three';
    const cut = pieces(text, [
      [0, 3],
      [8, 13],
    ]);
    expect(cut.map((piece) => piece.text).join('')).toBe(text);
    expect(cut.filter((piece) => piece.marked).map((piece) => piece.text)).toEqual(['one', 'three']);
  });

  it('fix overlapping ranges and ranges outside of the text', () => {
    const cut = pieces('abcdef', [
      [0, 3],
      [2, 4],
      [5, 99],
    ]);
    expect(cut).toEqual([
      { text: 'abc', marked: true },
      { text: 'd', marked: true },
      { text: 'e', marked: false },
      { text: 'f', marked: true },
    ]);
  });
});

it('words are folded and separate', () => {
  expect(wordsOf('  Ｇraph　view ')).toEqual(['graph', 'view']);
});
