import { describe, expect, it } from 'vitest';
import { linesOf } from './diff';

describe('lines of a diff', () => {
  it('tell added and removed lines, and the file', () => {
    const lines = linesOf('diff --git a/x.js b/x.js\nindex a9c5c91..7d483d1 100644\n--- a/x.js\n+++ b/x.js\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n');
    expect(lines.map(({ kind }) => kind)).toEqual(['file', 'place', 'same', 'removed', 'added']);
    expect(lines[0]?.text).toBe('x.js');
  });

  it('treat text that looks like a header as text', () => {
    const lines = linesOf('--- a/x.sql\n+++ b/x.sql\n@@ -1 +1 @@\n--- a comment\n+++ another\n');
    expect(lines.map(({ kind }) => kind)).toEqual(['file', 'place', 'removed', 'added']);
  });

  it('continue with the next file', () => {
    const lines = linesOf('+++ b/a\n@@ -0,0 +1 @@\n+one\n--- a/b\n+++ b/b\n@@ -1 +0,0 @@\n-two\n\\ No newline at end of file\n');
    expect(lines.map(({ kind }) => kind)).toEqual(['file', 'place', 'added', 'file', 'place', 'removed', 'same']);
  });
});
