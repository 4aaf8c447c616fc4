// What the thread of the engine does, wherever its modules come from.
import { Project, setReader, type ModelInfo, type TextEncoding } from '#engine/base';
import type { OperationName } from '#contract';
import type { Language } from '../words/language.svelte';
import { wordsIn } from './engine-words';
import type { FolderFile, LostFile, ModelFiles, ModelUrls, Opening, Reply, Request, Task, WorkerError } from './protocol';

export interface Encoder extends TextEncoding {
  info(): ModelInfo;
}

/** Makes an encoder of the files of a model. */
export type MakeEncoder = (files: ModelFiles) => Encoder;

/** Where the parts of the engine come from. */
export interface Parts {
  /** Resolves when the base module is ready. */
  base: Promise<unknown>;
  /** Starts the semantic module; `compiled` if the page has read it. */
  semantic(compiled: Uint8Array | undefined): Promise<MakeEncoder>;
  /** Loads a file and reports progress; `total` is 0 if unknown. A failed request is an error with `lost`. */
  load(url: string, progress: (done: number, total: number) => void): Promise<Uint8Array>;
}

const worker = globalThis as unknown as {
  postMessage(reply: Reply): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
};

/** Milliseconds that a slice of background work may delay a call. */
const SLICE_MS = 40;

/** Files read in parallel: each read waits for another process of the browser. */
const READ_TOGETHER = 128;

let parts: Parts;
let project: Project | undefined;
let encoder: Encoder | undefined;
let isEmbedding = false;

/** Answers the messages of the page. */
export function serve(given: Parts): void {
  parts = given;
  worker.onmessage = ({ data: { id, language, task } }) => {
    perform(task, language).then(
      (value) => worker.postMessage({ id, value }),
      (error: unknown) => worker.postMessage({ id, error: told(error) }),
    );
  };
}

function told(error: unknown): WorkerError {
  const { code, message, hint, lost } = error as Partial<Record<'code' | 'message' | 'hint', unknown>> & { lost?: LostFile };
  const text = (part: unknown) => (typeof part === 'string' ? part : null);
  return { code: text(code) ?? 'engine', message: text(message) ?? String(error), hint: text(hint), ...(lost ? { lost } : {}) };
}

async function perform(task: Task, language: Language): Promise<unknown> {
  switch (task.do) {
    case 'open-database': {
      const [bytes, words] = await Promise.all([parts.load(task.url, (done, total) => opening('loading', done, total)), wordsIn(language), parts.base]);
      opening('indexing', 0, 0);
      setReader(words);
      project = Project.openDatabase(bytes);
      setTimeout(rehearse);
      return null;
    }
    case 'open-files':
      return openFiles(task.name, task.files, language);
    case 'call': {
      const words = await wordsIn(language);
      if (!project) throw new Error('No project is open.');
      // Another call may have another language.
      setReader(words);
      return project.call(task.name as OperationName, task.params as never);
    }
    case 'change-files': {
      const read = await contents(task.files);
      if (!project) throw new Error('No project is open.');
      project.changeFiles(read, task.removed);
      // New text has no vectors yet.
      if (encoder) embedInSlices();
      return null;
    }
    case 'load-meaning':
      // The module is loaded together with the files.
      return useModel(...(await Promise.all([parts.semantic(undefined), loadModel(task.urls)])));
    case 'use-model':
      return useModel(await parts.semantic(task.files.module), task.files);
  }
}

/** The first search is slow, because it compiles code and reads data that all searches need. Do it in advance. */
function rehearse(): void {
  try {
    project?.call('search', { query: 'how to begin', mode: 'fulltext', limit: 10 });
  } catch {
    // A real search will report the error.
  }
}

function opening(step: Opening['step'], done: number, total: number): void {
  worker.postMessage({ opening: { step, done, total } });
}

async function openFiles(name: string, files: FolderFile[], language: Language): Promise<null> {
  const read = await contents(files, (done) => opening('reading', done, files.length));
  const [words] = await Promise.all([wordsIn(language), parts.base]);
  opening('indexing', 0, files.length);
  setReader(words);
  project = Project.openFiles(read, name);
  setTimeout(rehearse);
  return null;
}

async function contents(files: FolderFile[], progress: (done: number) => void = () => {}): Promise<{ path: string; bytes: Uint8Array; modified: number }[]> {
  const read: { path: string; bytes: Uint8Array; modified: number }[] = [];
  for (let from = 0; from < files.length; from += READ_TOGETHER) {
    progress(from);
    const together = files.slice(from, from + READ_TOGETHER);
    read.push(
      ...(await Promise.all(
        together.map(async ({ path, file, modified }) => ({ path, bytes: file ? new Uint8Array(await file.arrayBuffer()) : new Uint8Array(), modified })),
      )),
    );
  }
  return read;
}

async function loadModel(urls: ModelUrls): Promise<ModelFiles> {
  let loaded = 0;
  const part = (url: string) => {
    let before = 0;
    return parts.load(url, (done) => {
      loaded += done - before;
      before = done;
      worker.postMessage({ event: 'meaning', detail: { state: 'loading', loaded, bytes: urls.bytes } });
    });
  };
  const [model, weights, tokenizer, description] = await Promise.all([
    part(urls.model),
    urls.weights ? part(urls.weights) : undefined,
    part(urls.tokenizer),
    part(urls.description),
  ]);
  return { model, weights, tokenizer, description };
}

function useModel(make: MakeEncoder, files: ModelFiles): null {
  encoder = make(files);
  project?.setEncoder(encoder.info(), encoder);
  embedInSlices();
  return null;
}

/** Computes missing vectors between calls. */
function embedInSlices(): void {
  if (isEmbedding || !project) return;
  const state = project.embedPending(SLICE_MS);
  if (state.total > 0) worker.postMessage({ event: 'vectors', detail: state });
  if (state.done >= state.total) return;
  isEmbedding = true;
  setTimeout(() => {
    isEmbedding = false;
    embedInSlices();
  });
}
