// The messages between a window and the server while a page is edited together (`cli/servers/src/coediting/wire.rs`).

/** Somebody who has the page open. */
export interface Member {
  id: number;
  /** Empty if nobody chose one. */
  name: string;
  /** From 1. */
  number: number;
  client: string;
  /** The same while that person goes from page to page. */
  window: string;
}

export interface UpdateMessage {
  type: 'updates';
  /** The version that the first one was made to. */
  version: number;
  updates: { client: string; changes: unknown }[];
}

export type Told =
  | { type: 'alone' }
  | { type: 'share'; epoch: string; version: number; text: string; saved: number; hash: string }
  | { type: 'resumed'; saved: number; hash: string }
  | UpdateMessage
  | { type: 'saved'; version: number; hash: string }
  | { type: 'trouble'; message: string }
  | { type: 'here'; you: number; members: Member[] }
  | { type: 'cursor'; id: number; version: number; anchor: number; head: number }
  | { type: 'view'; id: number; version: number; top: number }
  | { type: 'went'; id: number; page: string }
  | { type: 'by'; name: string; version: number }
  | { type: 'moved'; page: string }
  | { type: 'ended' }
  | { type: 'refused'; code: string; message: string };

export type Said =
  | { type: 'join'; page: string; client: string; name: string; window: string; epoch?: string; version?: number }
  | { type: 'push'; version: number; updates: unknown[] }
  | { type: 'cursor'; version: number; anchor: number; head: number }
  | { type: 'view'; version: number; top: number }
  | { type: 'save' }
  | { type: 'name'; name: string };
