// The projects of a hub.
import { counted } from '../plural';
import { number } from '../format';

export const hub = {
  projects: 'Projects',
  all: 'All projects',
  switch: ', switch project',
  filter: 'Filter projects',
  search: 'Search all projects',
  none: 'No project has such a name or tag.',
  loading: 'Loading projects…',
  pages: (count: number) => counted(count, 'page'),
  stale: (count: number) => `${number(count)} stale`,
  unsure: (count: number) => `${number(count)} possibly stale`,
  readOnly: 'read only',
  here: 'open now',
  unreadable: 'Cannot be read:',
  sick: 'Problem:',
  listProblem: 'The list of projects cannot be read, so it stays as it was:',
  failed: (names: string) => `Not searched: ${names}`,
  elsewhere: (project: string) => `In the project ${project}`,
  commands: {
    projects: { label: 'Switch project…', words: 'hub repositories other open' },
    all: { label: 'All projects', words: 'hub home start list' },
  },
};
