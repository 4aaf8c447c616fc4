// The palette.
import { number, megabytes } from '../format';
import { counted } from '../plural';

export const palette = {
  byMeaning: 'By meaning and words',
  inText: 'In the text',
  new: 'New',
  more: 'More pages…',
  pages: 'Pages',
  commands: 'Commands',
  recent: 'Recent',
  corrected: (query: string) => `Showing results for “${query}”`,
  nearby: 'Near by links',
  labelWithCommands: 'Search pages, their text and commands',
  label: 'Search pages and their text',
  create: (name: string) => `Create page: “${name}”`,
  also: 'also {name}',
  search: 'Search',
  placeholder: 'Search, or type > for commands',
  close: 'Close search',
  results: 'Results',
  none: (query: string) => `No results for “${query}”.`,
  tryOther: 'Try fewer or different words. Parts of names are enough to find pages.',
  loading: (done: number, total: number) => `Loading search: ${megabytes(done)} of ${megabytes(total)}`,
  loadingMeaning: (done: number, total: number) => `Loading search by meaning: ${megabytes(done)} of ${megabytes(total)}`,
  enable: (bytes: number) => `Enable search by meaning (downloads ${megabytes(bytes)} once)`,
  unavailable: (why: string) => `Search by meaning is unavailable: ${why}`,
  again: 'Try again',
  indexing: (done: number, total: number) => `Indexing pages for search by meaning: ${number(done)} of ${number(total)}`,
  keys: { select: 'select', open: 'open', openInTab: 'in new tab', close: 'close' },
  count: (count: number) => counted(count, 'result'),
};
