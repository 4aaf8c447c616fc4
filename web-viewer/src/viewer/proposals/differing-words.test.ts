import { describe, expect, it } from 'vitest';
import { mixed, passagesOf, type Part } from './differing-words';

/** Removed text in `-…-`, added text in `+…+`. */
const shown = (parts: readonly Part[]) => parts.map(({ kind, text }) => (kind === 'same' ? text : kind === 'removed' ? `-${text}-` : `+${text}+`)).join('');
const without = (parts: readonly Part[], kind: Part['kind']) => parts.filter((part) => part.kind !== kind).map(({ text }) => text).join('');

describe('words that differ', () => {
  it('are marked as a whole in scripts with spaces, and by letters in others', () => {
    expect(shown(mixed('The limit is 5 attempts.', 'The limit is 10 attempts.'))).toBe('The limit is -5-+10+ attempts.');
    expect(shown(mixed('five per hour', 'five per day'))).toBe('five per -hour-+day+');
    expect(shown(mixed('試行は5回までです。', '試行は10回までです。'))).toBe('試行は-5-+10+回までです。');
  });

  it('of texts with nothing in common are not mixed', () => {
    expect(shown(mixed('One two three.', 'Quite another sentence here!'))).toBe('-One two three.\n-+Quite another sentence here!+');
  });

  it('are the two texts, whatever they are', () => {
    const letters = ['a', 'bc ', '\n', '- ', '日本', '。', '[[x]]', '1', ' '];
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    for (let round = 0; round < 300; round++) {
      const [before, after] = [0, 1].map(() => Array.from({ length: random(30) }, () => letters[random(letters.length)]).join('')) as [string, string];
      const parts = mixed(before, after);
      const isApart = parts.length === 2 && parts[0]?.text === `${before}\n`;
      expect(isApart ? before : without(parts, 'added')).toBe(before);
      expect(without(parts, 'removed')).toBe(after);
    }
  });
});

describe('the passages of a hunk', () => {
  it('are unchanged lines and changed ones, without the signs', () => {
    const passages = passagesOf('@@ -1,5 +1,5 @@\n # Home\n \n-Hello you.\n+Hello all.\n \n-- gone\n Last.\n');
    expect(passages.map(({ kind, parts }) => `${kind}: ${shown(parts)}`)).toEqual(['same: # Home\n', 'changed: Hello -you-+all+.', 'same: ', 'changed: -- gone-', 'same: Last.']);
  });

  it('of a new page are all added', () => {
    expect(passagesOf('@@ -0,0 +1,2 @@\n+# New\n+\n')).toEqual([{ kind: 'changed', parts: [{ kind: 'added', text: '# New\n' }] }]);
  });

  it('leave out what is not text', () => {
    expect(passagesOf('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a b\n').map(({ parts }) => shown(parts))).toEqual(['a+ b+']);
  });
});
