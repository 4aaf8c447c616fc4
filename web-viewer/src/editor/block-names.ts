// The blocks of a page that have a name: `^name` at the end of a line.
import type { PageContext } from './page-context';

export interface NamedBlock {
  /** With `^`. */
  name: string;
  /** The text of its line. */
  text: string;
}

const NAMED = /^(.*?)[ \t]*(?<![^\s])(\^[A-Za-z0-9-]+)[ \t]*$/;

export function blocksIn(text: string): NamedBlock[] {
  const lines = text.split(/\r?\n/);
  return lines.flatMap((line, at) => {
    const found = NAMED.exec(line);
    if (!found) return [];
    // The name of a table or list may be on a line of its own.
    const own = found[1] || lines.slice(0, at).findLast((before) => before.trim() !== '') || '';
    return [{ name: found[2] ?? '', text: own.replace(/^\s*(?:[-*+>]|\d+[.)])\s+/, '').trim() }];
  });
}

export async function blocksOf(context: PageContext, page: string): Promise<NamedBlock[]> {
  if (page === context.filepath) return blocksIn(context.state().doc.toString());
  return blocksIn((await context.host.client.call('read_page', { page })).text);
}
