import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeTexts } from './merge';

describe('merging', () => {
  it('applies both edits if they do not touch', () => {
    const merged = mergeTexts('one\ntwo\nthree\nfour\n', 'ONE\ntwo\nthree\nfour\n', 'one\ntwo\nthree\nfour\nfive\n');
    expect(merged.ours).toBe('ONE\ntwo\nthree\nfour\nfive\n');
    expect(merged.theirs).toBe(merged.ours);
  });

  it('reports conflicts where they touch, and merges the rest', () => {
    const { ours, theirs } = mergeTexts('a\nb\nc\nd\ne\n', 'a\nmine\nc\nd\ne\n', 'a\nyours\nc\nd\nE\n');
    expect(ours).toBe('a\nmine\nc\nd\nE\n');
    expect(theirs).toBe('a\nyours\nc\nd\nE\n');
  });

  it('has no conflict if both made the same edit', () => {
    const { ours, theirs } = mergeTexts('a\nb\nc\nd\n', 'a\nB\nc\nd\n', 'a\nB\nc\nD\n');
    expect([ours, theirs]).toEqual(['a\nB\nc\nD\n', 'a\nB\nc\nD\n']);
  });

  it('has a conflict if one side deleted the neighbour of a line that the other wrote', () => {
    const { ours, theirs } = mergeTexts('a\nb\nc\n', 'A\nb\nc\n', 'a\nc\n');
    expect([ours, theirs]).toEqual(['A\nb\nc\n', 'a\nc\n']);
  });

  it('distinguishes line endings and a missing final line break', () => {
    const { ours, theirs } = mergeTexts('a\r\nb', 'a\r\nb\r\nc', 'A\r\nb');
    expect([ours, theirs].every((text) => text.includes('A\r\n') || text.includes('a\r\n'))).toBe(true);
    expect(mergeTexts('a\r\nx\r\nb', 'a\r\nx\r\nb!', 'A\r\nx\r\nb').ours).toBe('A\r\nx\r\nb!');
  });

  it('keeps every line that either side wrote, in its version', () => {
    const text = fc.array(fc.constantFrom('', 'a', 'b', 'c', 'd'), { maxLength: 12 }).map((parts) => parts.map((part) => `${part}\n`));
    const inserted = (name: string) => fc.array(fc.nat({ max: 12 }), { maxLength: 4 }).map((places) => ({ name, places }));
    const apply = (lines: string[], { name, places }: { name: string; places: number[] }) => {
      const out = [...lines];
      places.forEach((place, index) => out.splice(Math.min(place, out.length), 0, `${name}${index}\n`));
      return out.join('');
    };
    fc.assert(
      fc.property(text, inserted('mine'), inserted('yours'), (base, mine, yours) => {
        const { ours, theirs } = mergeTexts(base.join(''), apply(base, mine), apply(base, yours));
        mine.places.forEach((_, index) => expect(ours).toContain(`mine${index}\n`));
        yours.places.forEach((_, index) => expect(theirs).toContain(`yours${index}\n`));
        if (ours === theirs) yours.places.forEach((_, index) => expect(ours).toContain(`yours${index}\n`));
      }),
      { numRuns: 500 },
    );
  });

  it('is fast for a megabyte of repeated lines', () => {
    const long = Array.from({ length: 20_000 }, (_, index) => (index % 2 ? '' : `line ${index % 50} of a long page that says much the same`));
    const [ours, theirs] = [[...long], [...long]];
    ours[9_000] = 'mine';
    theirs[11_000] = 'yours';
    const began = performance.now();
    const merged = mergeTexts(long.join('\n'), ours.join('\n'), theirs.join('\n'));
    expect(merged.ours).toBe(merged.theirs);
    expect(merged.ours).toContain('mine');
    expect(merged.ours).toContain('yours');
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
