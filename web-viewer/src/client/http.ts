// A project behind a server: operations by POST, changes by server-sent events.
import type { OperationName } from '#contract';
import { ClientError, Listeners, type ClientEvents, type EventName, type Meaning, type Output, type Params, type UbpClient } from './client';

export class HttpClient implements UbpClient {
  readonly meaning: Meaning = { state: 'ready' };
  readonly #listeners = new Listeners();
  readonly #root: string;
  readonly #fetch: typeof fetch;
  #events: EventSource | undefined;

  /** `root` is the address that `api/` lies below. */
  constructor(root: string, fetcher: typeof fetch = (...request) => fetch(...request)) {
    this.#root = root;
    this.#fetch = fetcher;
  }

  async call<N extends OperationName>(name: N, params: Params<N>): Promise<Output<N>> {
    let response: Response;
    try {
      response = await this.#fetch(new URL(`api/${name}`, this.#root), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(params),
      });
    } catch {
      throw new ClientError('unreachable', 'The server does not answer.', 'Is `ubp viewer` still running?');
    }
    const body: unknown = await response.json().catch(() => null);
    if (!response.ok || body === null) {
      throw ClientError.from(body ?? { code: `http_${response.status}`, message: `The server answered ${response.status}.` });
    }
    return body as Output<N>;
  }

  fileUrl(): undefined {
    return undefined;
  }

  loadMeaning(): void {
    // The server has its model.
  }

  on<E extends EventName>(event: E, listener: (detail: ClientEvents[E]) => void): () => void {
    if (event === 'changed') this.#listen();
    return this.#listeners.on(event, listener);
  }

  #listen(): void {
    if (this.#events || typeof EventSource === 'undefined') return;
    this.#events = new EventSource(new URL('api/events', this.#root));
    this.#events.addEventListener('changed', (event: MessageEvent<string>) => {
      this.#listeners.tell('changed', JSON.parse(event.data) as ClientEvents['changed']);
    });
  }

  close(): void {
    this.#events?.close();
    this.#events = undefined;
  }
}
