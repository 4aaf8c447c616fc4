// Files of the project.
import { number } from '../format';
import { counted } from '../plural';

export const files = {
  textOf: (path: string) => `Text of ${path}`,
  bytes: (count: number) => counted(count, 'byte'),
  lineRange: (first: number, last: number) => (first === last ? `Line ${first}` : `Lines ${first}–${last}`),
  lines: (count: number) => counted(count, 'line'),
  back: 'Back to the page',
  describedBy: 'Described by {pages}',
  comma: ', ',
  open: 'Open the file',
  sources: 'Sources',
  noFile: 'No file of the project matches',
  matchesNone: ', matches no file',
  fewer: 'Show fewer',
  all: (count: number) => `Show all ${number(count)}`,
};
