// Parses the lines of a unified diff for display.

export interface DiffLine {
  kind: 'added' | 'removed' | 'place' | 'file' | 'same';
  text: string;
}

/** The counts in `@@` distinguish lines of text from headers: a removed `-- x` looks like a header. */
export function linesOf(diff: string): DiffLine[] {
  let old = 0;
  let fresh = 0;
  const lines = diff.replace(/\n$/, '').split('\n');
  return lines.flatMap((text): DiffLine[] => {
    if (old > 0 || fresh > 0) {
      const sign = text[0];
      if (sign === '\\') return [{ kind: 'same', text }];
      if (sign !== '+') old--;
      if (sign !== '-') fresh--;
      return [{ kind: sign === '+' ? 'added' : sign === '-' ? 'removed' : 'same', text }];
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(text);
    if (hunk) {
      old = Number(hunk[1] ?? 1);
      fresh = Number(hunk[2] ?? 1);
      return [{ kind: 'place', text }];
    }
    // Internal lines of git.
    if (/^(--- |diff --git |index [\da-f]+\.\.)/.test(text)) return [];
    if (text.startsWith('+++ ')) return [{ kind: 'file', text: text.slice(4).replace(/^[ab]\//, '') }];
    return text ? [{ kind: 'same', text }] : [];
  });
}
