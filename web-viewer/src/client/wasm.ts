// A project in this page: the engine runs in a worker, so that it never blocks typing and scrolling. An engine that crashed
// cannot be used again, so a new one replaces it and opens the project again.
import type { OperationName } from '#contract';
import { ClientError, Listeners, type ClientEvents, type EventName, type Meaning, type Output, type Params, type UbpClient } from './client';
import type { FolderFile, ModelReader, ModelUrls, Opening, Reply, Request, Task, WorkerError } from './protocol';
import { language } from '../words/language.svelte';
import { words } from '../words/words';

function errorOf(error: WorkerError): ClientError {
  const { lost } = error;
  return lost ? new ClientError(error.code, words.app.notLoaded(lost.file, lost.status), navigator.onLine ? words.app.checkConnection : words.app.notKept) : ClientError.from(error);
}

type Waiting = { resolve: (value: never) => void; reject: (error: ClientError) => void };

type Model = ModelUrls | ModelReader;

/** The used part of `Worker`. */
export type Port = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'>;

export class WasmClient implements UbpClient {
  meaning: Meaning;
  readonly #start: () => Port;
  readonly #model: Model | null;
  readonly #files: Map<string, File>;
  readonly #urls = new Map<string, string>();
  readonly #listeners = new Listeners();
  readonly #waiting = new Map<number, Waiting>();
  #task: Task;
  #port: Port;
  /** Resolves when the current engine has opened the project. */
  #opened: Promise<unknown> = Promise.resolve();
  #isOpen = false;
  #isClosed = false;
  #onOpening: ((opening: Opening) => void) | undefined;
  #next = 1;

  private constructor(start: () => Port, task: Task, model: Model | null, files: Map<string, File>) {
    this.#start = start;
    this.#task = task;
    this.#model = model;
    this.#files = files;
    this.meaning = model ? { state: 'offered', bytes: model.bytes } : { state: 'none' };
    this.#port = this.#started();
  }

  #started(): Port {
    const port = this.#start();
    port.addEventListener('message', (event) => port === this.#port && this.#receive((event as MessageEvent<Reply>).data));
    port.addEventListener('error', (event) => {
      if (port !== this.#port) return;
      const message = (event as ErrorEvent).message || (navigator.onLine ? words.app.noStart : words.app.notKept);
      // Do not restart an engine that cannot even open the project: it would loop forever.
      if (this.#isOpen) this.#restart(message);
      else this.#fail(message);
    });
    return port;
  }

  /** Opens an exported project. */
  static async openDatabase(start: () => Port, url: string, model: ModelUrls | null, onOpening?: (opening: Opening) => void): Promise<WasmClient> {
    return new WasmClient(start, { do: 'open-database', url }, model, new Map()).#open(onOpening);
  }

  /** Opens a folder. `media` are files that only pages show; they stay in the page's memory. */
  static async openFiles(
    start: () => Port,
    folder: { name: string; files: FolderFile[]; media: Map<string, File> },
    model: Model | null,
    onOpening?: (opening: Opening) => void,
  ): Promise<WasmClient> {
    return new WasmClient(start, { do: 'open-files', name: folder.name, files: folder.files }, model, folder.media).#open(onOpening);
  }

  async #open(onOpening?: (opening: Opening) => void): Promise<this> {
    this.#onOpening = onOpening;
    try {
      await this.#ask(this.#task);
      this.#isOpen = true;
    } catch (error) {
      this.close();
      throw error;
    }
    this.#onOpening = undefined;
    return this;
  }

  call<N extends OperationName>(name: N, params: Params<N>): Promise<Output<N>> {
    const answered = this.#opened.then(() => this.#ask<Output<N>>({ do: 'call', name, params }));
    answered.catch((error: ClientError) => error.code === 'internal' && this.#restart(words.app.crashed));
    return answered;
  }

  /** Brings an opened folder up to date: `files` are new or changed ones, `removed` the paths of those that are gone. */
  async changeFiles(files: FolderFile[], removed: string[]): Promise<void> {
    if (this.#task.do !== 'open-files') throw new Error('No folder is open.');
    const gone = new Set([...removed, ...files.map(({ path }) => path)]);
    // An engine that replaces a crashed one opens the files as they are now.
    this.#task = { ...this.#task, files: [...this.#task.files.filter(({ path }) => !gone.has(path)), ...files] };
    await this.#opened;
    await this.#ask({ do: 'change-files', files, removed });
    this.#listeners.tell('changed', { paths: [...gone] });
  }

  /** Replaces the crashed engine: pending calls fail, later calls use the new one. */
  #restart(reason: string): void {
    this.#isOpen = false;
    this.#port.terminate();
    this.#fail(reason);
    this.#port = this.#started();
    this.#opened = this.#ask(this.#task);
    this.#opened.then(
      () => (this.#isOpen = true),
      () => {
        // All waiting calls fail with this reason.
      },
    );
    if (!this.#model || this.meaning.state === 'offered') return;
    this.#setMeaning({ state: 'offered', bytes: this.#model.bytes });
    this.loadMeaning();
  }

  fileUrl(path: string): string | undefined {
    const file = this.#files.get(path);
    if (!file) return undefined;
    let url = this.#urls.get(path);
    if (!url) this.#urls.set(path, (url = URL.createObjectURL(file)));
    return url;
  }

  loadMeaning(): void {
    if (!this.#model || this.meaning.state === 'loading' || this.meaning.state === 'ready') return;
    this.#setMeaning({ state: 'loading', loaded: 0, bytes: this.#model.bytes });
    const model = this.#model;
    const task = async (): Promise<Task> => ('read' in model ? { do: 'use-model', files: await model.read() } : { do: 'load-meaning', urls: model });
    this.#opened.then(async () => this.#ask(await task())).then(
      () => this.#setMeaning({ state: 'ready' }),
      (error: ClientError) => this.#setMeaning({ state: 'failed', message: error.message }),
    );
  }

  on<E extends EventName>(event: E, listener: (detail: ClientEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#port.terminate();
    for (const url of this.#urls.values()) URL.revokeObjectURL(url);
    this.#urls.clear();
    this.#fail(words.app.closed);
  }

  #setMeaning(meaning: Meaning): void {
    this.meaning = meaning;
    this.#listeners.tell('meaning', meaning);
  }

  #ask<T>(task: Task): Promise<T> {
    if (this.#isClosed) return Promise.reject(new ClientError('engine_stopped', words.app.closed));
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#port.postMessage({ id, language: language(), task } satisfies Request);
    });
  }

  #receive(reply: Reply): void {
    if ('opening' in reply) this.#onOpening?.(reply.opening);
    else if ('event' in reply) {
      if (reply.event === 'meaning') this.#setMeaning(reply.detail);
      else this.#listeners.tell(reply.event, reply.detail as never);
    } else {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) waiting?.reject(errorOf(reply.error));
      else waiting?.resolve(reply.value as never);
    }
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new ClientError('engine_stopped', message));
    this.#waiting.clear();
  }
}
