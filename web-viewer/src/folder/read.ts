// Reads the files of a folder that the reader drops or chooses. They never leave this page.
import type { FolderFile } from '../client/protocol';

export interface Folder {
  name: string;
  /** The files for the engine. */
  files: FolderFile[];
  /** Images and other files that are only shown, never parsed. */
  media: Map<string, File>;
}

/** A file and its path relative to the folder. */
interface Entry {
  path: string;
  file: File;
}

export const PAGES = /\.(md|markdown)$/i;
const MEDIA = /\.(avif|bmp|gif|heic|ico|jpe?g|png|svg|tiff?|webp|mp[34]|m4[av]|mov|mkv|webm|ogg|oga|ogv|opus|wav|flac|pdf|zip|gz|7z|docx?|xlsx?|pptx?|woff2?|ttf|otf|wasm|onnx|db|sqlite)$/i;
/** The content of sources is compared with pages; larger files are rarely written by people. */
const LARGEST_OTHER = 1_000_000;

/** Folders that the engine ignores. */
export function isLeftOut(path: string): boolean {
  return path.split('/').some((part, index, parts) => {
    if (part === 'node_modules') return true;
    if (!part.startsWith('.')) return false;
    const isSettings = index === 0 && part === '.ubp' && parts.length <= 2;
    return !isSettings || /^metadata\.db/.test(parts[1] ?? '');
  });
}

export function sortedOut(name: string, entries: readonly Entry[]): Folder {
  const files: FolderFile[] = [];
  const media = new Map<string, File>();
  for (const { path, file } of entries) {
    if (isLeftOut(path)) continue;
    const isMedia = MEDIA.test(path);
    const isRead = PAGES.test(path) || (!isMedia && file.size <= LARGEST_OTHER);
    if (isMedia) media.set(path, file);
    files.push({ path, file: isRead ? file : null, modified: file.lastModified });
  }
  return { name, files, media };
}

/** The dropped folder, if it is one. Must be called during the event. */
export function droppedFolder(transfer: DataTransfer): FileSystemDirectoryEntry | null {
  for (const item of transfer.items) {
    const entry = item.kind === 'file' ? item.webkitGetAsEntry() : null;
    if (entry?.isDirectory) return entry as FileSystemDirectoryEntry;
  }
  return null;
}

export async function readDropped(root: FileSystemDirectoryEntry, progress: (files: number) => void): Promise<Folder> {
  const entries: Entry[] = [];
  const folders: { folder: FileSystemDirectoryEntry; path: string }[] = [{ folder: root, path: '' }];
  for (let next = folders.pop(); next; next = folders.pop()) {
    const { folder, path } = next;
    const children = (await all(folder)).map((entry) => ({ entry, path: path ? `${path}/${entry.name}` : entry.name })).filter((child) => !isLeftOut(child.path));
    for (const child of children) if (child.entry.isDirectory) folders.push({ folder: child.entry as FileSystemDirectoryEntry, path: child.path });
    const files = children.filter(({ entry }) => entry.isFile);
    entries.push(...(await Promise.all(files.map(async (child) => ({ path: child.path, file: await fileOf(child.entry as FileSystemFileEntry) })))));
    progress(entries.length);
  }
  return sortedOut(root.name, entries);
}

/** `readEntries` returns the entries in batches; an empty batch is the end. */
async function all(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return entries;
    entries.push(...part);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** Files of `<input type="file" webkitdirectory>`: their paths start with the folder's name. */
export function pickedFolder(list: FileList): Folder | null {
  const files = [...list];
  const name = files[0]?.webkitRelativePath.split('/')[0];
  if (!name) return null;
  return sortedOut(
    name,
    files.map((file) => ({ path: file.webkitRelativePath.slice(name.length + 1), file })),
  );
}
