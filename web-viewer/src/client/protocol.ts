// The messages between the page and its worker.
import type { Language } from '../words/language.svelte';
import type { ClientEvents } from './client';

/** Addresses of the files of an embedding model. */
export interface ModelUrls {
  model: string;
  /** Weights outside of the model file. */
  weights: string | null;
  tokenizer: string;
  description: string;
  /** Total size. */
  bytes: number;
}

/** The files of an embedding model. */
export interface ModelFiles {
  /** The compiled semantic module, if the page has read it. */
  module?: Uint8Array | undefined;
  model: Uint8Array;
  /** Weights outside of the model file. */
  weights: Uint8Array | undefined;
  tokenizer: Uint8Array;
  description: Uint8Array;
}

/** A model whose files the page reads. */
export interface ModelReader {
  /** Total size. */
  bytes: number;
  read(): Promise<ModelFiles>;
}

export interface FolderFile {
  /** Relative to the folder, with `/`. */
  path: string;
  /** Absent for images and other files that only need to exist for links. */
  file: File | null;
  /** Milliseconds since 1970. */
  modified: number;
}

export type Task =
  | { do: 'open-database'; url: string }
  | { do: 'open-files'; name: string; files: FolderFile[] }
  | { do: 'change-files'; files: FolderFile[]; removed: string[] }
  | { do: 'call'; name: string; params: unknown }
  | { do: 'load-meaning'; urls: ModelUrls }
  | { do: 'use-model'; files: ModelFiles };

export interface Request {
  id: number;
  /** Of the reader of the answer. */
  language: Language;
  task: Task;
}

/** A file that could not be loaded, with the status of the answer. The thread of the engine does not know the reader's language. */
export interface LostFile {
  file: string;
  status: number | undefined;
}

export interface WorkerError {
  code: string;
  message: string;
  hint: string | null;
  lost?: LostFile;
}

export type Reply =
  | { id: number; value: unknown }
  | { id: number; error: WorkerError }
  | { opening: Opening }
  | { [E in keyof ClientEvents]: { event: E; detail: ClientEvents[E] } }[keyof ClientEvents];

/** Progress of opening a project. `total` is 0 if unknown. */
export interface Opening {
  step: 'loading' | 'reading' | 'indexing';
  done: number;
  total: number;
}
