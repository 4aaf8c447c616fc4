// The attachments that complete an embed, and the names that mean them: the file name, or the path if several files have it.
import type { ProjectFile } from '#contract';
import { pathInPages, type ProjectFiles } from '../state/project-files';
import { fold } from '../text/fold';
import { folderOf, isPicture, nameOf } from '../text/paths';

export interface NamedAttachment {
  /** As written in the link. */
  written: string;
  folder: string;
  isPicture: boolean;
}

interface Known extends NamedAttachment {
  name: string;
  path: string;
}

export function named(files: readonly ProjectFile[]): Known[] {
  const counts = new Map<string, number>();
  const names = files.map(({ path }) => fold(nameOf(path)));
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return files.flatMap((file, at) => {
    const name = names[at] as string;
    const path = pathInPages(file) ?? file.path;
    // These characters end a link.
    if (/[[\]|]/.test(path)) return [];
    return [{ written: counts.get(name) === 1 ? nameOf(path) : path, folder: folderOf(path), isPicture: isPicture(path), name, path: fold(path) }];
  });
}

/** The best matches: by the beginning of the name, then within it, then within the path; pictures first. */
export function matching(all: readonly Known[], typed: string, most: number): NamedAttachment[] {
  const wanted = fold(typed.trim());
  const rank = ({ name, path }: Known) => (name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : path.includes(wanted) ? 2 : -1);
  const found = all.map((file) => ({ file, rank: rank(file) })).filter(({ rank }) => rank >= 0);
  found.sort((a, b) => Number(b.file.isPicture) - Number(a.file.isPicture) || a.rank - b.rank || a.file.name.length - b.file.name.length || (a.file.path < b.file.path ? -1 : 1));
  return found.slice(0, most).map(({ file: { written, folder, isPicture } }) => ({ written, folder, isPicture }));
}

const prepared = new WeakMap<object, Known[]>();

export async function attachmentsFor(files: ProjectFiles, typed: string, most: number): Promise<NamedAttachment[]> {
  const list = await files.known('attachment');
  const all = prepared.get(list) ?? named(list.files);
  prepared.set(list, all);
  return matching(all, typed, most);
}
