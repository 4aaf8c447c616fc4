// A project inside of this page: the engine runs in a worker, so that typing and scrolling never wait for it.
import type { OperationName } from '#contract';
import { ClientError, Listeners, type ClientEvents, type EventName, type Meaning, type Output, type Params, type UbpClient } from './client';
import type { FolderFile, ModelUrls, Opening, Reply, Request, Task } from './protocol';

type Waiting = { resolve: (value: never) => void; reject: (error: ClientError) => void };

/** The part of `Worker` that is used. */
export type Port = Pick<Worker, 'postMessage' | 'terminate' | 'addEventListener'>;

export class WasmClient implements UbpClient {
  meaning: Meaning;
  readonly #port: Port;
  readonly #model: ModelUrls | null;
  readonly #files: Map<string, File>;
  readonly #urls = new Map<string, string>();
  readonly #listeners = new Listeners();
  readonly #waiting = new Map<number, Waiting>();
  #onOpening: ((opening: Opening) => void) | undefined;
  #next = 1;

  private constructor(port: Port, model: ModelUrls | null, files: Map<string, File>) {
    this.#port = port;
    this.#model = model;
    this.#files = files;
    this.meaning = model ? { state: 'offered', bytes: model.bytes } : { state: 'none' };
    port.addEventListener('message', (event) => this.#receive((event as MessageEvent<Reply>).data));
    port.addEventListener('error', (event) => this.#fail((event as ErrorEvent).message || 'The engine could not be started.'));
  }

  /** Opens an exported project. */
  static async openDatabase(port: Port, url: string, model: ModelUrls | null, onOpening?: (opening: Opening) => void): Promise<WasmClient> {
    const client = new WasmClient(port, model, new Map());
    return client.#open({ do: 'open-database', url }, onOpening);
  }

  /** Opens a folder. `media` are files that only pages show; they never leave the page's memory. */
  static async openFiles(
    port: Port,
    folder: { name: string; files: FolderFile[]; media: Map<string, File> },
    model: ModelUrls | null,
    onOpening?: (opening: Opening) => void,
  ): Promise<WasmClient> {
    const client = new WasmClient(port, model, folder.media);
    return client.#open({ do: 'open-files', name: folder.name, files: folder.files }, onOpening);
  }

  async #open(task: Task, onOpening?: (opening: Opening) => void): Promise<this> {
    this.#onOpening = onOpening;
    try {
      await this.#ask(task);
    } catch (error) {
      this.close();
      throw error;
    }
    this.#onOpening = undefined;
    return this;
  }

  call<N extends OperationName>(name: N, params: Params<N>): Promise<Output<N>> {
    return this.#ask({ do: 'call', name, params });
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
    this.#ask({ do: 'load-meaning', urls: this.#model }).then(
      () => this.#setMeaning({ state: 'ready' }),
      (error: ClientError) => this.#setMeaning({ state: 'failed', message: error.message }),
    );
  }

  on<E extends EventName>(event: E, listener: (detail: ClientEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  close(): void {
    this.#port.terminate();
    for (const url of this.#urls.values()) URL.revokeObjectURL(url);
    this.#urls.clear();
    this.#fail('The project was closed.');
  }

  #setMeaning(meaning: Meaning): void {
    this.meaning = meaning;
    this.#listeners.tell('meaning', meaning);
  }

  #ask<T>(task: Task): Promise<T> {
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#port.postMessage({ id, task } satisfies Request);
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
      if ('error' in reply) waiting?.reject(ClientError.from(reply.error));
      else waiting?.resolve(reply.value as never);
    }
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new ClientError('engine_stopped', message));
    this.#waiting.clear();
  }
}
