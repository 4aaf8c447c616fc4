// The thread of the engine. The semantic module is loaded into the same thread on first use.
import initBase, { Project, setReader } from '#engine/base';
import baseUrl from '#engine/base.wasm?url';
import type { OperationName } from '#contract';
import type { Encoder } from '#engine/semantic';
import type { Language } from '../words/language.svelte';
import semanticUrl from '#engine/semantic.wasm?url';
import { wordsIn } from './engine-words';
import type { FolderFile, ModelUrls, Opening, Reply, Request, Task, LostFile, WorkerError } from './protocol';

const worker = globalThis as unknown as {
  postMessage(reply: Reply): void;
  onmessage: ((event: MessageEvent<Request>) => void) | null;
};

/** Milliseconds that a slice of background work may delay a call. */
const SLICE_MS = 40;

/** Files read in parallel: each read waits for another process of the browser. */
const READ_TOGETHER = 128;

const base = initBase({ module_or_path: baseUrl });
let project: Project | undefined;
let encoder: Encoder | undefined;

worker.onmessage = ({ data: { id, language, task } }) => {
  perform(task, language).then(
    (value) => worker.postMessage({ id, value }),
    (error: unknown) => worker.postMessage({ id, error: told(error) }),
  );
};

function told(error: unknown): WorkerError {
  const { code, message, hint, lost } = error as Partial<Record<'code' | 'message' | 'hint', unknown>> & { lost?: LostFile };
  const text = (part: unknown) => (typeof part === 'string' ? part : null);
  return { code: text(code) ?? 'engine', message: text(message) ?? String(error), hint: text(hint), ...(lost ? { lost } : {}) };
}

async function perform(task: Task, language: Language): Promise<unknown> {
  switch (task.do) {
    case 'open-database': {
      const [bytes, words] = await Promise.all([load(task.url, (done, total) => opening('loading', done, total)), wordsIn(language), base]);
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
    case 'load-meaning':
      return loadMeaning(task.urls);
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
  const read: { path: string; bytes: Uint8Array; modified: number }[] = [];
  for (let from = 0; from < files.length; from += READ_TOGETHER) {
    opening('reading', from, files.length);
    const together = files.slice(from, from + READ_TOGETHER);
    read.push(
      ...(await Promise.all(
        together.map(async ({ path, file, modified }) => ({ path, bytes: file ? new Uint8Array(await file.arrayBuffer()) : new Uint8Array(), modified })),
      )),
    );
  }
  const [words] = await Promise.all([wordsIn(language), base]);
  opening('indexing', 0, files.length);
  setReader(words);
  project = Project.openFiles(read, name);
  setTimeout(rehearse);
  return null;
}

async function loadMeaning(urls: ModelUrls): Promise<null> {
  let loaded = 0;
  const part = (url: string) => {
    let before = 0;
    return load(url, (done) => {
      loaded += done - before;
      before = done;
      worker.postMessage({ event: 'meaning', detail: { state: 'loading', loaded, bytes: urls.bytes } });
    });
  };
  const [module, model, weights, tokenizer, description] = await Promise.all([
    import('#engine/semantic'),
    part(urls.model),
    urls.weights ? part(urls.weights) : undefined,
    part(urls.tokenizer),
    part(urls.description),
  ]);
  await module.default({ module_or_path: semanticUrl });
  encoder = new module.Encoder(model, tokenizer, new TextDecoder().decode(description), weights);
  project?.setEncoder(encoder.info(), encoder);
  embedInSlices();
  return null;
}

/** Computes missing vectors between calls. */
function embedInSlices(): void {
  if (!project) return;
  const state = project.embedPending(SLICE_MS);
  if (state.total > 0) worker.postMessage({ event: 'vectors', detail: state });
  if (state.done < state.total) setTimeout(embedInSlices);
}

/** Loads a file and reports progress. A failed request is an error that names the file. */
async function load(url: string, progress: (done: number, total: number) => void): Promise<Uint8Array> {
  const response = await fetch(url).catch(() => null);
  if (!response?.ok || !response.body) {
    const file = decodeURI(new URL(url).pathname);
    throw Object.assign(new Error(file), { code: 'not_loaded', lost: { file, status: response?.status } satisfies LostFile });
  }
  const total = Number(response.headers.get('content-encoding') ? 0 : response.headers.get('content-length'));
  const parts: Uint8Array[] = [];
  let done = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done: end, value } = await reader.read();
    if (end) break;
    parts.push(value);
    done += value.length;
    progress(done, Math.max(total, done));
  }
  const whole = new Uint8Array(done);
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}
