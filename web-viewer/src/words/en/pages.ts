// The page list.
import { number } from '../format';
import { counted } from '../plural';

export const pages = {
  freshness: 'Freshness',
  any: 'Any',
  type: 'Type',
  allTypes: 'All types',
  tag: 'Tag',
  allTags: 'All tags',
  sortBy: 'Sort by',
  title: 'Title',
  modified: 'Last modified',
  linksTitle: 'Links',
  views: { pages: 'Pages', folders: 'Folders', tags: 'Tags' },
  filter: 'Filter pages',
  loading: 'Loading pages…',
  noProject: 'No project is open.',
  openFolder: 'Open a folder',
  showBy: 'Show pages by',
  sort: 'Sort',
  andFilter: ' and filter',
  all: 'All pages',
  none: 'No pages yet.',
  noMatch: 'No matching pages.',
  showAll: (count: number) => `Show all ${number(count)}`,
  pages: (count: number) => counted(count, 'page'),
  links: (count: number) => counted(count, 'link'),
  some: (shown: number, all: number) => `${number(shown)} of ${counted(all, 'page')}`,
  untagged: 'Untagged',
};
