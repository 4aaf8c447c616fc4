// Opening a folder in the browser.
import { number } from '../format';
import { counted } from '../plural';

export const folder = {
  onlyFolders: 'Only folders can be opened here.',
  drop: 'Drop a folder to open it',
  noUpload: 'Nothing is uploaded.',
  isOpen: (name: string, pages: number) => `${name} is open: ${counted(pages, 'page')}.`,
  loading: 'Loading…',
  reading: (done: number, total: number) => `Reading ${number(done)} of ${number(total)} files…`,
  scanning: (done: number) => `Scanning folder: ${counted(done, 'file')}…`,
  indexing: (total: number) => `Indexing ${counted(total, 'file')}…`,
  open: 'Open a folder',
  about: 'Drop a folder of Markdown files anywhere, or choose one. It is read and indexed in your browser. Nothing is uploaded, and nothing is stored after you close this page.',
  progress: 'Progress',
  choose: 'Choose a folder…',
  back: (site: string) => `Back to ${site}`,
};
