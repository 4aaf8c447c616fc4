// The place that the part of an address behind # names.
import type { Text } from '@codemirror/state';
import type { UbpClient } from '../client/client';
import { fold } from '../text/fold';

/** The line of a heading or block of a page; null if it has no such place. */
export async function lineOf(client: UbpClient, filepath: string, doc: Text, fragment: string): Promise<number | null> {
  if (fragment.startsWith('^')) {
    for (let number = 1; number <= doc.lines; number++) if (doc.line(number).text.trimEnd().endsWith(fragment)) return number;
    return null;
  }
  try {
    const { headings } = await client.call('render_page', { filepath });
    const name = fold(fragment.split('#').at(-1) ?? fragment).trim();
    return (headings.find(({ slug }) => slug === fragment) ?? headings.find(({ text }) => fold(text).trim() === name))?.line ?? null;
  } catch {
    return null;
  }
}
