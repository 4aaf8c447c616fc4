// The attachments of the list: those in the pages folder whose path contains what is typed.
import type { ProjectFile } from '#contract';
import { pathInPages } from '../state/project-files';
import { fold } from '../text/fold';
import { wordsOf } from '../text/match';
import type { Attachment } from './rows';

interface Known extends Attachment {
  key: string;
}

const byPath = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
/** Preparing ten thousand names is slow, so each list is prepared once. */
const prepared = new WeakMap<readonly ProjectFile[], Known[]>();

function inPages(files: readonly ProjectFile[]): Known[] {
  const found = files.flatMap((file) => {
    const path = pathInPages(file);
    return path === null ? [] : [{ file, path, key: fold(path) }];
  });
  return found.sort((a, b) => byPath.compare(a.path, b.path));
}

/** Sorted by path. */
export function attachmentsIn(files: readonly ProjectFile[], typed: string): readonly Attachment[] {
  const all = prepared.get(files) ?? inPages(files);
  prepared.set(files, all);
  const words = wordsOf(typed);
  return words.length === 0 ? all : all.filter(({ key }) => words.every((word) => key.includes(word)));
}
