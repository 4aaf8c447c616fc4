import { describe, expect, test } from 'vitest';
import { withTask } from './tasks';

describe('a task in the text of a page', () => {
  test('one character changes, whatever the list, the quotation and the line breaks are', () => {
    for (const [before, line, after] of [
      ['- [ ] a', 1, '- [x] a'],
      ['x\n- [ ] a\n- [ ] b\n', 3, 'x\n- [ ] a\n- [x] b\n'],
      ['a\r\n\r\n  12) [ ] é😀\r\n', 3, 'a\r\n\r\n  12) [x] é😀\r\n'],
      ['> - [ ] a', 1, '> - [x] a'],
      ['* + [ ] a', 1, '* + [x] a'],
    ] as const) {
      expect(withTask(before, line, true)).toBe(after);
      expect(withTask(after, line, false)).toBe(before);
    }
    expect(withTask('- [X] a', 1, false)).toBe('- [ ] a');
  });

  test('a line that is not that task any more is left alone', () => {
    for (const text of ['- [x] a', '- a', '[ ] a', '`- [ ] a`', 'x\n- [ ] a', '', '- [ ]a']) expect(withTask(text, 1, true)).toBeNull();
    expect(withTask('- [ ] a', 2, true)).toBeNull();
  });
});
