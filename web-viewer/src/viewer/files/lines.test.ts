import { expect, it } from 'vitest';
import { languageOf, linesIn, sizeInWords } from './lines';

it('a fragment names one line or several, in either order, and never lines that do not exist', () => {
  expect(linesIn('L10-L20', 100)).toEqual({ first: 10, last: 20 });
  expect(linesIn('L20-10', 100)).toEqual({ first: 10, last: 20 });
  expect(linesIn('L7', 100)).toEqual({ first: 7, last: 7 });
  expect(linesIn('L90-L300', 100)).toEqual({ first: 90, last: 100 });
  for (const wrong of ['', 'L0', 'L101', 'L', '10', 'L1-', 'L1x', 'part']) expect(linesIn(wrong, 100), wrong).toBeNull();
});

it('the language comes from the ending, or from the name without one', () => {
  expect(['src/a.test.ts', 'Dockerfile', 'docker/Dockerfile', 'a.b/Makefile'].map(languageOf)).toEqual(['ts', 'Dockerfile', 'Dockerfile', 'Makefile']);
});

it('sizes are rounded', () => {
  expect([1, 999, 1000, 12_345, 1_234_567].map(sizeInWords)).toEqual(['1 byte', '999 bytes', '1.0 kB', '12 kB', '1.2 MB']);
});
