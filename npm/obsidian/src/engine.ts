// The index of the vault: an engine in a worker that knows every note, and hears of every change.
import { Component, TFile, TFolder, debounce, type App, type TAbstractFile } from 'obsidian';
import script from '#thread';
import type { OperationName } from '#contract';
import { ClientError, Listeners, type ClientEvents, type EventName, type Meaning, type Output, type Params, type UbpClient } from '../../../web-viewer/src/client/client';
import type { Opening } from '../../../web-viewer/src/client/protocol';
import { WasmClient } from '../../../web-viewer/src/client/wasm';
import { words } from '../../../web-viewer/src/words/words';
import { findModel } from './meaning';
import { isKnown, pagesFolder, readFiles, readSettings } from './vault-files';

/** Milliseconds without changes after which the index follows. */
const PAUSE = 400;
const DATABASE = 'unified-blueprint-vectors';

export type State = { is: 'starting'; opening: Opening | null } | { is: 'ready' } | { is: 'failed'; message: string };

export class VaultEngine extends Component implements UbpClient {
  state: State = { is: 'starting', opening: null };
  /** Whether a model is installed. */
  hasModel = false;
  /** Sections with vectors, and all sections. */
  vectors: { done: number; total: number } | null = null;
  readonly #app: App;
  readonly #pluginFolder: string;
  readonly #wantsMeaning: () => boolean;
  readonly #onState: () => void;
  readonly #listeners = new Listeners();
  readonly #changed = new Set<string>();
  readonly #removed = new Set<string>();
  #client: WasmClient | null = null;
  #opening: Promise<void>;
  #begin: (opening: Promise<void> | void) => void = () => {};
  #flushing: Promise<void> = Promise.resolve();
  #folder = '';
  #script: string | undefined;
  #run = 0;
  #isClosed = false;

  constructor(app: App, pluginFolder: string, wantsMeaning: () => boolean, onState: () => void) {
    super();
    this.#app = app;
    this.#pluginFolder = pluginFolder;
    this.#wantsMeaning = wantsMeaning;
    this.#onState = onState;
    this.#opening = new Promise((resolve) => (this.#begin = resolve));
  }

  override onload(): void {
    const { vault, workspace } = this.#app;
    const soon = debounce(() => void this.settle(), PAUSE, true);
    this.register(() => soon.cancel());
    const later = (note: () => void) => {
      note();
      soon();
    };
    workspace.onLayoutReady(() => {
      if (this.#isClosed) return;
      // Before the layout is ready, Obsidian reports every file of the vault as created.
      this.registerEvent(vault.on('create', (file) => later(() => this.#noteChange(file))));
      this.registerEvent(vault.on('modify', (file) => later(() => this.#noteChange(file))));
      this.registerEvent(vault.on('delete', (file) => later(() => this.#noteRemoval(file.path, file))));
      this.registerEvent(
        vault.on('rename', (file, oldPath) =>
          later(() => {
            this.#noteRemoval(oldPath, file);
            this.#noteChange(file);
          }),
        ),
      );
      void this.rebuild();
    });
  }

  override onunload(): void {
    this.close();
    if (this.#script) URL.revokeObjectURL(this.#script);
    this.#script = undefined;
  }

  #noteChange(file: TAbstractFile): void {
    if (file instanceof TFolder) for (const child of file.children) this.#noteChange(child);
    else if (isKnown(file.path)) {
      this.#removed.delete(file.path);
      this.#changed.add(file.path);
    }
  }

  /** `file` was at `path`, and everything in it below. */
  #noteRemoval(path: string, file: TAbstractFile): void {
    if (file instanceof TFolder) for (const child of file.children) this.#noteRemoval(`${path}/${child.name}`, child);
    else {
      this.#changed.delete(path);
      this.#removed.add(path);
    }
  }

  /** Opens all files of the vault. */
  rebuild(): Promise<void> {
    const run = ++this.#run;
    this.#client?.close();
    this.#client = null;
    this.#changed.clear();
    this.#removed.clear();
    this.#setState({ is: 'starting', opening: null });
    const opening = this.#open(run);
    this.#opening = opening;
    this.#begin(opening);
    return opening;
  }

  async #open(run: number): Promise<void> {
    const { vault } = this.#app;
    const isCurrent = () => run === this.#run;
    try {
      const files = vault.getFiles().filter(({ path }) => isKnown(path));
      const tell = (opening: Opening) => isCurrent() && this.#setState({ is: 'starting', opening });
      const [settings, read, model] = await Promise.all([
        readSettings(vault),
        readFiles(vault, files, (done) => tell({ step: 'reading', done, total: files.length })),
        findModel(vault.adapter, this.#pluginFolder),
      ]);
      const folder = await pagesFolder(settings);
      if (!isCurrent()) return;
      this.hasModel = model !== null;
      this.vectors = null;
      const client = await WasmClient.openFiles(() => this.#startThread(), { name: vault.getName(), files: [...settings, ...read], media: new Map() }, model, tell);
      if (!isCurrent()) return client.close();
      this.#folder = folder;
      this.#client = client;
      client.on('changed', (detail) => this.#listeners.tell('changed', detail));
      client.on('meaning', (detail) => this.#listeners.tell('meaning', detail));
      client.on('vectors', (detail) => {
        this.vectors = detail;
        this.#listeners.tell('vectors', detail);
      });
      this.#setState({ is: 'ready' });
      this.#listeners.tell('changed', { paths: [], all: true });
      if (this.#wantsMeaning()) client.loadMeaning();
    } catch (error) {
      if (isCurrent()) this.#setState({ is: 'failed', message: ClientError.from(error).message });
    }
  }

  #startThread(): Worker {
    this.#script ??= URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
    return new Worker(this.#script, { name: this.#database() });
  }

  /** The name of the database of vectors, which is one of this vault on this device. */
  #database(): string {
    const known: unknown = this.#app.loadLocalStorage(DATABASE);
    if (typeof known === 'string') return known;
    const name = `unified-blueprint-${crypto.randomUUID()}`;
    this.#app.saveLocalStorage(DATABASE, name);
    return name;
  }

  /** Resolves when the index knows all changes so far. */
  async settle(): Promise<void> {
    await this.#opening;
    this.#flushing = this.#flushing.then(() => this.#flush());
    return this.#flushing;
  }

  async #flush(): Promise<void> {
    const client = this.#client;
    if (!client || this.#changed.size + this.#removed.size === 0) return;
    const removed = new Set(this.#removed);
    const files: TFile[] = [];
    for (const path of this.#changed) {
      const file = this.#app.vault.getFileByPath(path);
      if (file) files.push(file);
      else removed.add(path);
    }
    this.#changed.clear();
    this.#removed.clear();
    try {
      await client.changeFiles(await readFiles(this.#app.vault, files), [...removed]);
    } catch (error) {
      if (client === this.#client) this.#setState({ is: 'failed', message: ClientError.from(error).message });
    }
  }

  #setState(state: State): void {
    this.state = state;
    this.#onState();
  }

  /** The path of a note as the engine names it; null if it is not a page. */
  pageOf(path: string): string | null {
    if (this.#folder === '') return path;
    return path.startsWith(`${this.#folder}/`) ? path.slice(this.#folder.length + 1) : null;
  }

  /** The path in the vault of a page. */
  pathOf(page: string): string {
    return this.#folder === '' ? page : `${this.#folder}/${page}`;
  }

  async call<N extends OperationName>(name: N, params: Params<N>): Promise<Output<N>> {
    await this.#opening;
    if (this.#client) return this.#client.call(name, params);
    throw new ClientError('engine_stopped', this.state.is === 'failed' ? this.state.message : words.app.closed);
  }

  get meaning(): Meaning {
    return this.#client?.meaning ?? { state: 'none' };
  }

  loadMeaning(): void {
    this.#client?.loadMeaning();
  }

  fileUrl(): undefined {
    return undefined;
  }

  on<E extends EventName>(event: E, listener: (detail: ClientEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#run++;
    this.#client?.close();
    this.#client = null;
    this.#begin();
  }
}
