// A project behind a server: operations by POST, changes by server-sent events. If the server stops, the client waits for
// it, and then reports that anything may have changed.
import type { OperationName } from '#contract';
import { ClientError, Listeners, type ClientEvents, type EventName, type Meaning, type Output, type Params, type UbpClient } from './client';
import { language } from '../words/language.svelte';
import { words } from '../words/words';

/** Milliseconds between attempts to reach a server that stopped. */
const WAITS = [500, 1000, 2000, 4000];

/** Sends parameters in JSON. Returns the answer in JSON; null if there is none by intent. */
export async function post(address: URL, params: unknown, fetcher: typeof fetch = fetch): Promise<unknown> {
  let response: Response;
  try {
    response = await fetcher(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-language': language() },
      body: JSON.stringify(params),
    });
  } catch {
    throw new ClientError('unreachable', words.app.noAnswer, words.app.stillRunning);
  }
  if (response.status === 204) return null;
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok || body === null) {
    throw ClientError.from(body ?? { code: `http_${response.status}`, message: words.app.status(response.status) });
  }
  return body;
}

export class HttpClient implements UbpClient {
  readonly meaning: Meaning = { state: 'ready' };
  readonly #listeners = new Listeners();
  readonly #root: string;
  readonly #fetch: typeof fetch;
  readonly #mayCall: (name: OperationName) => boolean;
  #events: EventSource | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  #attempts = 0;
  #wasOpen = false;

  /** `root` is the address that contains `api/`. What a guest may not call is not sent. */
  constructor(root: string, fetcher: typeof fetch = (...request) => fetch(...request), mayCall: (name: OperationName) => boolean = () => true) {
    this.#root = root;
    this.#fetch = fetcher;
    this.#mayCall = mayCall;
  }

  async call<N extends OperationName>(name: N, params: Params<N>): Promise<Output<N>> {
    if (!this.#mayCall(name)) throw new ClientError('forbidden', words.app.notForGuests);
    return (await post(new URL(`api/${name}`, this.#root), params, this.#fetch)) as Output<N>;
  }

  fileUrl(): undefined {
    return undefined;
  }

  loadMeaning(): void {
    // The server has a model.
  }

  on<E extends EventName>(event: E, listener: (detail: ClientEvents[E]) => void): () => void {
    if (event !== 'meaning') this.#listen();
    return this.#listeners.on(event, listener);
  }

  /** Tries to reach the server again at once. */
  reconnect(): void {
    if (this.#events?.readyState === EventSource.OPEN) return;
    this.close();
    this.#listen();
  }

  #listen(): void {
    if (this.#events || typeof EventSource === 'undefined') return;
    const events = new EventSource(new URL('api/events', this.#root));
    this.#events = events;
    events.addEventListener('open', () => {
      this.#attempts = 0;
      this.#listeners.tell('connection', { state: 'open' });
      // Events that occurred while disconnected are lost.
      if (this.#wasOpen) this.#listeners.tell('changed', { paths: [], all: true });
      this.#wasOpen = true;
    });
    events.addEventListener('error', () => {
      events.close();
      if (this.#events !== events) return;
      this.#events = undefined;
      void this.#lost();
    });
    events.addEventListener('changed', ({ data }: MessageEvent<string>) => this.#listeners.tell('changed', JSON.parse(data) as ClientEvents['changed']));
    events.addEventListener('vectors', ({ data }: MessageEvent<string>) => this.#listeners.tell('vectors', JSON.parse(data) as ClientEvents['vectors']));
    for (const name of ['proposals', 'comments'] as const) events.addEventListener(name, () => this.#listeners.tell(name, {}));
  }

  /** `EventSource` does not say why it failed: find out whether the server is gone or needs its token. */
  async #lost(): Promise<void> {
    const wait = WAITS[Math.min(this.#attempts++, WAITS.length - 1)];
    this.#again = setTimeout(() => this.#listen(), wait);
    const status = await this.#fetch(new URL('api/status', this.#root), { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
      .then((response) => response.status)
      .catch(() => 0);
    if (this.#events?.readyState !== EventSource.OPEN) this.#listeners.tell('connection', { state: status === 401 || status === 403 ? 'refused' : 'lost' });
  }

  close(): void {
    clearTimeout(this.#again);
    this.#events?.close();
    this.#events = undefined;
  }
}
