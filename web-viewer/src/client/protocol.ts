// What the page and its worker tell each other.
import type { ClientEvents } from './client';

/** Addresses of the parts of an embedding model. */
export interface ModelUrls {
  model: string;
  /** Weights that are not in the model's own file. */
  weights: string | null;
  tokenizer: string;
  description: string;
  /** Of all together. */
  bytes: number;
}

export interface FolderFile {
  /** Relative to the folder, with `/`. */
  path: string;
  /** Absent for pictures and the like: that they are there is enough for links. */
  file: File | null;
  /** Milliseconds since 1970. */
  modified: number;
}

export type Task =
  | { do: 'open-database'; url: string }
  | { do: 'open-files'; name: string; files: FolderFile[] }
  | { do: 'call'; name: string; params: unknown }
  | { do: 'load-meaning'; urls: ModelUrls };

export interface Request {
  id: number;
  task: Task;
}

export type Reply =
  | { id: number; value: unknown }
  | { id: number; error: { code: string; message: string; hint: string | null } }
  | { opening: Opening }
  | { [E in keyof ClientEvents]: { event: E; detail: ClientEvents[E] } }[keyof ClientEvents];

/** How far opening a project is. `total` is 0 where it is not known. */
export interface Opening {
  step: 'loading' | 'reading' | 'indexing';
  done: number;
  total: number;
}
