import type { EventEmitter } from "node:events";
import type { OperationName, Operations, Stage } from "./generated/contract.js";

export type * from "./generated/contract.js";

/** What went wrong, with a `code` for programs and, mostly, a way out. */
export declare class UbpError extends Error {
  readonly name: "UbpError";
  /** A stable name: `invalid_params`, `page_not_found`, `cancelled`, `closed`, `addon`, … */
  readonly code: string;
  /** What can be done about it. */
  readonly hint: string | null;
}

export interface CallOptions {
  /** Asks the call to stop. Its promise is rejected with the code `cancelled`. */
  signal?: AbortSignal | undefined;
}

/** How far a call is. */
export interface ProgressEvent {
  /** The operation that was called. */
  operation: OperationName;
  stage: Stage;
  done: number;
  total: number;
}

/** Something worth knowing that is no error, such as a model that this machine lacks. */
export interface NoticeEvent {
  /** Whether it will probably need attention. */
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
/** Parameters may be left out where none has to be given. */
type Given<N extends OperationName, More extends unknown[]> =
  {} extends Params<N> ? [params?: Params<N>, ...more: More] : [params: Params<N>, ...more: More];

/** A project that is open. */
export interface Client extends EventEmitter, AsyncDisposable {
  /** The project's folder. */
  readonly root: string;
  readonly closed: boolean;
  /** Runs an operation off the main thread, on an index that follows the files. */
  call<N extends OperationName>(name: N, ...rest: Given<N, [options?: CallOptions]>): Promise<Output<N>>;
  /** The same on the main thread, which waits. */
  callSync<N extends OperationName>(name: N, ...rest: Given<N, []>): Output<N>;
  /** Asks what runs to stop, and lets go of the project. */
  close(): Promise<void>;
  on<E extends keyof Events>(event: E, listener: (...told: Events[E]) => void): this;
  once<E extends keyof Events>(event: E, listener: (...told: Events[E]) => void): this;
  off<E extends keyof Events>(event: E, listener: (...told: Events[E]) => void): this;
}

/** Opens the project that `folder` (default: the current one) lies in. */
export declare function open(folder?: string | URL): Promise<Client>;

/** The same on the main thread, which waits. */
export declare function openSync(folder?: string | URL): Client;

/**
 * Runs the command with these arguments on the streams of this process; gives its exit status:
 * 0 done, 1 a finding that was asked to fail, 2 usage or error, 130 stopped.
 */
export declare function run(args: readonly string[], options?: CallOptions): Promise<number>;
