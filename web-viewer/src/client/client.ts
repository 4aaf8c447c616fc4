// What the application asks of a project, whoever answers: a server, or the engine in a worker of this page.
import type { OperationName, Operations } from '#contract';

export type Params<N extends OperationName> = Operations[N]['params'];
export type Output<N extends OperationName> = Operations[N]['output'];

/** Whether search by meaning can be had here. */
export type Meaning =
  | { state: 'none' }
  /** It can be loaded: so many bytes. */
  | { state: 'offered'; bytes: number }
  | { state: 'loading'; loaded: number; bytes: number }
  | { state: 'ready' }
  | { state: 'failed'; message: string };

export interface ClientEvents {
  /** Pages or the index changed: what was answered before may be out of date. */
  changed: {
    paths: string[];
    /** Whether anything else may have changed too. */
    all?: boolean;
  };
  meaning: Meaning;
  /** Sections that have vectors, of all. */
  vectors: { done: number; total: number };
  /** Whether a server answers; `refused` wants its token again. */
  connection: { state: 'open' | 'lost' | 'refused' };
}

export type EventName = keyof ClientEvents;

export interface UbpClient {
  /** Runs an operation of the table. Fails with a `ClientError`. */
  call<N extends OperationName>(name: N, params: Params<N>): Promise<Output<N>>;
  /** Where a file of the project can be loaded from; nothing if the page's own address is right. */
  fileUrl(path: string): string | undefined;
  readonly meaning: Meaning;
  /** Loads what search by meaning needs. The answer comes as `meaning` events. */
  loadMeaning(): void;
  /** Asks at once for a server that went away. */
  reconnect?(): void;
  on<E extends EventName>(event: E, listener: (detail: ClientEvents[E]) => void): () => void;
  close(): void;
}

/** An error as every surface tells it. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string | null = null,
  ) {
    super(message);
  }

  static from(value: unknown): ClientError {
    if (value instanceof ClientError) return value;
    const { code, message, hint } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
    const text = (part: unknown) => (typeof part === 'string' && part ? part : null);
    return new ClientError(text(code) ?? 'unknown', text(message) ?? String(value), text(hint));
  }
}

/** Listeners of one client. */
export class Listeners {
  readonly #listeners = new Map<EventName, Set<(detail: never) => void>>();

  on<E extends EventName>(event: E, listener: (detail: ClientEvents[E]) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  tell<E extends EventName>(event: E, detail: ClientEvents[E]): void {
    for (const listener of this.#listeners.get(event) ?? []) (listener as (detail: ClientEvents[E]) => void)(detail);
  }
}
