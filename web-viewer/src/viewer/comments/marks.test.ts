import { describe, expect, it } from 'vitest';
import { placeOf } from './marks';

describe('the text of a comment in an article', () => {
  const text = 'onetwothreetwofourtwo';

  it('is the one whose surroundings fit best', () => {
    expect(placeOf(text, { shown: 'two', before: 'one', after: 'three' })).toBe(3);
    expect(placeOf(text, { shown: 'two', before: 'three', after: 'four' })).toBe(11);
    expect(placeOf(text, { shown: 'two', before: 'four', after: '' })).toBe(18);
  });

  it('is nowhere if the article does not contain it', () => {
    expect(placeOf(text, { shown: 'five', before: '', after: '' })).toBe(-1);
    expect(placeOf(text, { shown: '', before: 'one', after: 'two' })).toBe(-1);
  });
});
