// The files of the vault, as the engine reads them. Only notes and the settings of UBP are read; of other files, only the name
// counts.
import { TFile, normalizePath, type Vault } from 'obsidian';
import type { FolderFile } from '../../../web-viewer/src/client/protocol';
import { PAGES, isLeftOut } from '../../../web-viewer/src/folder/read';

/** Files read in parallel. More only make other plugins wait. */
const READ_TOGETHER = 32;
const SETTINGS = '.ubp';

/** Whether the engine knows such files. */
export const isKnown = (path: string): boolean => !isLeftOut(path);

export async function readFile(vault: Vault, file: TFile): Promise<FolderFile> {
  const content = PAGES.test(file.path) ? new File([await vault.readBinary(file)], file.name) : null;
  return { path: file.path, file: content, modified: file.stat.mtime };
}

/** A file that is gone before it could be read is left out. */
export async function readFiles(vault: Vault, files: readonly TFile[], progress: (done: number) => void = () => {}): Promise<FolderFile[]> {
  const read: FolderFile[] = [];
  for (let from = 0; from < files.length; from += READ_TOGETHER) {
    progress(from);
    const together = files.slice(from, from + READ_TOGETHER).map((file) => readFile(vault, file).catch(() => null));
    read.push(...(await Promise.all(together)).filter((file) => file !== null));
  }
  return read;
}

/** The settings of UBP, if the vault is a project. Obsidian does not list hidden folders. */
export async function readSettings(vault: Vault): Promise<FolderFile[]> {
  const { adapter } = vault;
  const folder = normalizePath(SETTINGS);
  if (!(await adapter.exists(folder))) return [];
  const { files } = await adapter.list(folder);
  return Promise.all(
    files.filter(isKnown).map(async (path) => {
      const [bytes, stat] = await Promise.all([adapter.readBinary(path), adapter.stat(path)]);
      return { path, file: new File([bytes], path), modified: stat?.mtime ?? 0 };
    }),
  );
}

/** The folder of the pages in the vault, from the manifest; empty for the whole vault. */
export async function pagesFolder(settings: readonly FolderFile[]): Promise<string> {
  const manifest = settings.find(({ path }) => path === `${SETTINGS}/manifest.json`)?.file;
  if (!manifest) return '';
  try {
    const { pages_dir } = JSON.parse(await manifest.text()) as { pages_dir?: unknown };
    return typeof pages_dir === 'string' ? normalizePath(pages_dir).replace(/^[./]+$/, '') : '';
  } catch {
    // The engine says what is wrong with it.
    return '';
  }
}
