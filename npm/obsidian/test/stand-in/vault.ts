// A vault in memory: files are bytes, hidden files are known to the adapter only, and events come as in Obsidian.
import type * as O from 'obsidian';
import { Events } from './events';

export class TAbstractFile {
  path: string;
  name = '';
  parent: TFolder | null = null;

  constructor(readonly vault: Vault, path: string) {
    this.path = path;
    this.name = path.slice(path.lastIndexOf('/') + 1);
  }
}

export class TFile extends TAbstractFile {
  stat: O.FileStats = { ctime: 0, mtime: 0, size: 0 };

  get extension(): string {
    return /\.([^.]+)$/.exec(this.name)?.[1] ?? '';
  }

  get basename(): string {
    return this.name.replace(/\.[^.]+$/, '');
  }
}

export class TFolder extends TAbstractFile {
  children: TAbstractFile[] = [];
  isRoot = (): boolean => this.path === '/';
}

const isHidden = (path: string) => path.split('/').some((part) => part.startsWith('.'));
const folderOf = (path: string) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '/');

/** The files on disk. */
export class DataAdapter implements Pick<O.DataAdapter, 'exists' | 'stat' | 'list' | 'readBinary' | 'getName'> {
  readonly files = new Map<string, { bytes: Uint8Array<ArrayBuffer>; mtime: number }>();
  /** Reads so far. */
  reads = 0;

  getName(): string {
    return 'stand-in';
  }

  async exists(path: string): Promise<boolean> {
    return this.files.has(path) || [...this.files.keys()].some((file) => file.startsWith(`${path}/`));
  }

  async stat(path: string): Promise<O.Stat | null> {
    const file = this.files.get(path);
    return file ? { type: 'file', ctime: file.mtime, mtime: file.mtime, size: file.bytes.length } : null;
  }

  async list(path: string): Promise<O.ListedFiles> {
    const inside = [...this.files.keys()].filter((file) => file.startsWith(`${path}/`));
    const isDirect = (file: string) => !file.slice(path.length + 1).includes('/');
    const folders = new Set(inside.filter((file) => !isDirect(file)).map((file) => `${path}/${file.slice(path.length + 1).split('/')[0]}`));
    return { files: inside.filter(isDirect), folders: [...folders] };
  }

  async readBinary(path: string): Promise<ArrayBuffer> {
    this.reads++;
    const file = this.files.get(path);
    if (!file) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
    return file.bytes.slice().buffer;
  }
}

/** The adapter of desktops. */
export class FileSystemAdapter extends DataAdapter {
  constructor(readonly base: string) {
    super();
  }

  getBasePath(): string {
    return this.base;
  }

  getFullPath(path: string): string {
    return `${this.base}/${path}`;
  }
}

type Used = 'getName' | 'getFileByPath' | 'getFiles' | 'getRoot' | 'read' | 'readBinary' | 'modify' | 'process' | 'create' | 'delete' | 'rename';

export class Vault extends Events implements Record<Used, unknown> {
  readonly configDir = '.obsidian';
  readonly #entries = new Map<string, TAbstractFile>();
  #clock = Date.UTC(2026, 0, 1);

  constructor(readonly adapter: DataAdapter) {
    super();
    this.#entries.set('/', new TFolder(this, '/'));
  }

  getName(): string {
    return 'Vault';
  }

  getRoot(): TFolder {
    return this.#entries.get('/') as TFolder;
  }

  getFileByPath(path: string): TFile | null {
    const found = this.#entries.get(path);
    return found instanceof TFile ? found : null;
  }

  getFiles(): TFile[] {
    return [...this.#entries.values()].filter((entry) => entry instanceof TFile);
  }

  /** Reads all files when the app starts. */
  load(): void {
    for (const path of this.adapter.files.keys()) if (!isHidden(path)) this.trigger('create', this.#added(path));
  }

  #folder(path: string): TFolder {
    const known = this.#entries.get(path);
    if (known instanceof TFolder) return known;
    const folder = new TFolder(this, path);
    this.#entries.set(path, folder);
    this.#attach(folder);
    return folder;
  }

  #attach(entry: TAbstractFile): void {
    entry.parent = this.#folder(folderOf(entry.path));
    entry.parent.children.push(entry);
  }

  #added(path: string): TFile {
    const file = new TFile(this, path);
    this.#entries.set(path, file);
    this.#attach(file);
    this.#stat(file);
    return file;
  }

  #stat(file: TFile): void {
    const { bytes, mtime } = this.adapter.files.get(file.path)!;
    file.stat = { ctime: mtime, mtime, size: bytes.length };
  }

  #write(path: string, text: string): void {
    this.adapter.files.set(path, { bytes: new TextEncoder().encode(text), mtime: (this.#clock += 1000) });
  }

  /** Like Obsidian, without the byte order mark. */
  async read(file: TFile): Promise<string> {
    return new TextDecoder().decode(await this.adapter.readBinary(file.path));
  }

  readBinary(file: TFile): Promise<ArrayBuffer> {
    return this.adapter.readBinary(file.path);
  }

  async modify(file: TFile, text: string): Promise<void> {
    this.#write(file.path, text);
    this.#stat(file);
    this.trigger('modify', file);
  }

  async process(file: TFile, change: (text: string) => string): Promise<string> {
    const after = change(await this.read(file));
    await this.modify(file, after);
    return after;
  }

  async create(path: string, text: string): Promise<TFile> {
    if (this.#entries.has(path)) throw new Error('File already exists.');
    this.#write(path, text);
    const file = this.#added(path);
    this.trigger('create', file);
    return file;
  }

  async delete(entry: TAbstractFile): Promise<void> {
    if (entry instanceof TFolder) for (const child of [...entry.children]) await this.delete(child);
    this.adapter.files.delete(entry.path);
    this.#entries.delete(entry.path);
    entry.parent!.children = entry.parent!.children.filter((child) => child !== entry);
    this.trigger('delete', entry);
  }

  /** A folder keeps its children, which are reported after it. */
  async rename(entry: TAbstractFile, path: string): Promise<void> {
    const old = entry.path;
    entry.parent!.children = entry.parent!.children.filter((child) => child !== entry);
    this.#move(entry, path);
    this.#attach(entry);
    this.trigger('rename', entry, old);
    if (entry instanceof TFolder) this.#tellMoved(entry, old);
  }

  #move(entry: TAbstractFile, path: string): void {
    const content = this.adapter.files.get(entry.path);
    if (content) this.adapter.files.set(path, content);
    this.adapter.files.delete(entry.path);
    this.#entries.delete(entry.path);
    entry.path = path;
    entry.name = path.slice(path.lastIndexOf('/') + 1);
    this.#entries.set(path, entry);
    if (entry instanceof TFolder) for (const child of entry.children) this.#move(child, `${path}/${child.name}`);
  }

  #tellMoved(folder: TFolder, old: string): void {
    for (const child of folder.children) {
      this.trigger('rename', child, `${old}/${child.name}`);
      if (child instanceof TFolder) this.#tellMoved(child, `${old}/${child.name}`);
    }
  }
}
