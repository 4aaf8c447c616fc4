import type { EventEmitter } from "node:events";
import type { OperationName, Operations, Stage } from "./generated/contract.js";

export type * from "./generated/contract.js";

/** An error with a `code` for programs and, in most cases, a hint how to fix it. */
export declare class UbpError extends Error {
  readonly name: "UbpError";
  /** A stable name: `invalid_params`, `page_not_found`, `cancelled`, `closed`, `addon`, … */
  readonly code: string;
  /** How to fix it. */
  readonly hint: string | null;
}

export interface CallOptions {
  /** Cancels the call: its promise is rejected with the code `cancelled`. */
  signal?: AbortSignal | undefined;
}

/** The progress of a call. */
export interface ProgressEvent {
  /** The called operation. */
  operation: OperationName;
  stage: Stage;
  done: number;
  total: number;
}

/** A message that is not an error, such as a missing model. */
export interface NoticeEvent {
  /** Whether it probably needs attention. */
  warning: boolean;
  message: string;
  hint: string | null;
}

export interface Events {
  progress: [ProgressEvent];
  notice: [NoticeEvent];
}

type Params<N extends OperationName> = Operations[N]["params"];
type Output<N extends OperationName> = Operations[N]["output"];
/** `params` is optional if no parameter is required. */
type Given<N extends OperationName, More extends unknown[]> =
  {} extends Params<N> ? [params?: Params<N>, ...more: More] : [params: Params<N>, ...more: More];

/** An open project. */
export interface Client extends EventEmitter, AsyncDisposable {
  /** The project's folder. */
  readonly root: string;
  readonly closed: boolean;
  /** Runs an operation off the main thread, on an index that is updated when files change. */
  call<N extends OperationName>(name: N, ...rest: Given<N, [options?: CallOptions]>): Promise<Output<N>>;
  /** Like `call`, but blocks the main thread. */
  callSync<N extends OperationName>(name: N, ...rest: Given<N, []>): Output<N>;
  /** Cancels running calls and closes the project. */
  close(): Promise<void>;
  on<E extends keyof Events>(event: E, listener: (...told: Events[E]) => void): this;
  once<E extends keyof Events>(event: E, listener: (...told: Events[E]) => void): this;
  off<E extends keyof Events>(event: E, listener: (...told: Events[E]) => void): this;
}

/** Opens the project that contains `folder` (default: the current folder). */
export declare function open(folder?: string | URL): Promise<Client>;

/** Like `open`, but blocks the main thread. */
export declare function openSync(folder?: string | URL): Client;

/**
 * Runs the command with these arguments on the streams of this process. Resolves to its exit status:
 * 0 success, 1 a finding with `--exit-code`, 2 wrong usage or an error, 130 cancelled.
 */
export declare function run(args: readonly string[], options?: CallOptions): Promise<number>;
