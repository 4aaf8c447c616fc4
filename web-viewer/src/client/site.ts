// A published site. Its pages and their list are files of the site; the engine and the database are loaded by the first
// question that these files do not answer, such as a search.
import type { GetPageOutput, OperationName } from '#contract';
import { headingsOf, type Rendered } from '../reading/article';
import { usualUrl } from '../routing/urls';
import { ClientError, Listeners, type ClientEvents, type EventName, type Meaning, type Output, type Params, type UbpClient } from './client';
import { words } from '../words/words';

const EVENTS: readonly EventName[] = ['changed', 'meaning', 'vectors', 'connection'];

interface Parts {
  facts: GetPageOutput;
  page: Rendered;
}

export class SiteClient implements UbpClient {
  readonly #root: string;
  readonly #list: string;
  readonly #document: Document;
  readonly #open: () => Promise<UbpClient>;
  readonly #offered: Meaning;
  readonly #listeners = new Listeners();
  readonly #parts = new Map<string, Promise<Parts | null>>();
  #opening: Promise<UbpClient> | null = null;
  #engine: UbpClient | null = null;
  #isClosed = false;

  /** `list` is the file of the page list, relative to `root`; `document` the page that the reader opened. */
  constructor(site: { root: string; list: string }, document: Document, meaning: Meaning, open: () => Promise<UbpClient>) {
    this.#root = site.root;
    this.#list = site.list;
    this.#document = document;
    this.#offered = meaning;
    this.#open = open;
  }

  get meaning(): Meaning {
    return this.#engine?.meaning ?? this.#offered;
  }

  async call<N extends OperationName>(name: N, params: Params<N>): Promise<Output<N>> {
    const answer = await this.#fromFiles(name, params as Record<string, unknown>);
    return (answer as Output<N> | null) ?? (await this.#started()).call(name, params);
  }

  /** The answer that files of the site contain; null if there is none. */
  async #fromFiles(name: OperationName, params: Record<string, unknown>): Promise<unknown> {
    const [key] = Object.keys(params);
    const path = key === undefined ? undefined : params[key];
    if (name === 'list_pages' && key === undefined) return (await this.#file(this.#list)).json();
    if ((name !== 'get_page' && name !== 'render_page') || typeof path !== 'string') return null;
    if (name === 'get_page') {
      const own = factsIn(this.#document);
      if (own?.filepath === path) return own;
    }
    const parts = await this.#partsOf(path);
    return parts && (name === 'get_page' ? parts.facts : parts.page);
  }

  #partsOf(path: string): Promise<Parts | null> {
    const known = this.#parts.get(path);
    if (known) return known;
    const asked = this.#read(path);
    this.#parts.set(path, asked);
    void asked.then((parts) => parts ?? this.#parts.delete(path));
    return asked;
  }

  /** Null if there is another page, or none, at the usual address of this one. */
  async #read(path: string): Promise<Parts | null> {
    const url = usualUrl(path);
    const text = await this.#file(url).then((response) => response.text(), () => null);
    if (text === null) return null;
    const read = new DOMParser().parseFromString(text, 'text/html');
    const facts = factsIn(read);
    const article = read.querySelector<HTMLElement>('article.page');
    if (!article || facts?.filepath !== path) return null;
    const html = (selector: string) => article.querySelector(selector);
    const way = html('.way')?.outerHTML;
    const foot = html('.page-foot')?.outerHTML;
    const page = {
      filepath: path,
      title: facts.title,
      url,
      html: html('.prose')?.innerHTML ?? '',
      headings: headingsOf(article),
      index: facts.index,
      ...(way ? { way } : {}),
      ...(foot ? { foot } : {}),
    };
    return { facts, page };
  }

  async #file(path: string): Promise<Response> {
    const response = await fetch(new URL(path, this.#root)).catch(() => null);
    if (response?.ok) return response;
    throw new ClientError('not_loaded', words.app.notLoaded(decodeURI(path), response?.status), navigator.onLine ? words.app.checkConnection : words.app.notKept);
  }

  #started(): Promise<UbpClient> {
    this.#opening ??= this.#start();
    // The next question tries again.
    this.#opening.catch(() => (this.#opening = null));
    return this.#opening;
  }

  async #start(): Promise<UbpClient> {
    const engine = await this.#open();
    if (this.#isClosed) {
      engine.close();
      throw new ClientError('engine_stopped', words.app.closed);
    }
    for (const event of EVENTS) engine.on(event, (detail) => this.#listeners.tell(event, detail));
    this.#engine = engine;
    return engine;
  }

  fileUrl(): undefined {
    return undefined;
  }

  loadMeaning(): void {
    // A question that started the engine tells why it failed.
    this.#started().then(
      (engine) => engine.loadMeaning(),
      () => {},
    );
  }

  on<E extends EventName>(event: E, listener: (detail: ClientEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#engine?.close();
  }
}

function factsIn(document: Document): GetPageOutput | null {
  const text = document.getElementById('ubp-page')?.textContent;
  return text ? (JSON.parse(text) as GetPageOutput) : null;
}
