// The interface of the app to a project, whether a server or the engine in a worker answers.
import type { OperationName, Operations } from '#contract';

export type Params<N extends OperationName> = Operations[N]['params'];
export type Output<N extends OperationName> = Operations[N]['output'];

/** Whether search by meaning is available. */
export type Meaning =
  | { state: 'none' }
  /** It can be loaded; the size in bytes. */
  | { state: 'offered'; bytes: number }
  | { state: 'loading'; loaded: number; bytes: number }
  | { state: 'ready' }
  | { state: 'failed'; message: string };

export interface ClientEvents {
  /** Pages or the index changed: earlier answers may be outdated. */
  changed: {
    paths: string[];
    /** Whether other pages may have changed as well. */
    all?: boolean;
  };
  meaning: Meaning;
  /** Sections with vectors, and all sections. */
  vectors: { done: number; total: number };
  /** A proposal was made, decided or withdrawn, by any process. */
  proposals: Record<string, never>;
  /** Comments were added, resolved or deleted. */
  comments: Record<string, never>;
  /** Whether the server responds; `refused` means that it needs its token again. */
  connection: { state: 'open' | 'lost' | 'refused' };
}

export type EventName = keyof ClientEvents;

export interface UbpClient {
  /** Runs an operation. Rejects with a `ClientError`. */
  call<N extends OperationName>(name: N, params: Params<N>): Promise<Output<N>>;
  /** The address of a file of the project; `undefined` if the page's own address is correct. */
  fileUrl(path: string): string | undefined;
  readonly meaning: Meaning;
  /** Loads the model for search by meaning. Progress comes as `meaning` events. */
  loadMeaning(): void;
  /** Tries to reach the server again at once. */
  reconnect?(): void;
  on<E extends EventName>(event: E, listener: (detail: ClientEvents[E]) => void): () => void;
  close(): void;
}

/** An error with code and hint, like those of the command line and MCP. */
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

/** The listeners of one client. */
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
