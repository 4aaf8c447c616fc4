// The boxes of tasks in the text of a page.

const TASK = /^((?:[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+)+\[)([ xX])\](?=[ \t]|$)/;

/**
 * The text with the task on line `line`, from 1, done or open: only the character in its brackets differs. `null` if that line is
 * no task in the other state, because the page changed since it was shown.
 */
export function withTask(text: string, line: number, done: boolean): string | null {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const end = /\r\n|\r|\n/g;
    end.lastIndex = start;
    if (!end.exec(text)) return null;
    start = end.lastIndex;
  }
  const found = TASK.exec(/^[^\r\n]*/.exec(text.slice(start))?.[0] ?? '');
  if (!found || (found[2] !== ' ') === done) return null;
  const box = start + (found[1]?.length ?? 0);
  return text.slice(0, box) + (done ? 'x' : ' ') + text.slice(box + 1);
}
