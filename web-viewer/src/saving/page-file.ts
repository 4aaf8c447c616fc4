// The file of a page, as the server reads and writes it.
import { ClientError, type UbpClient } from '../client/client';
import { FileProblem, type FileText, type PageFile } from './saver';

export interface OpenedFile extends FileText {
  filepath: string;
  editable: boolean;
  /** Why it is not editable. */
  reason: string | null;
}

/** Milliseconds after which an answer is no longer waited for. */
const PATIENCE = 20_000;

/** Answers that say nothing of the file: it may have been written. */
const NO_ANSWER = /^(unreachable|unknown|http_.*|internal)$/;

export async function readFile(client: UbpClient, page: string): Promise<OpenedFile> {
  const { filepath, text, content_hash: hash, editable, reason } = await inTime(client.call('read_page', { page }));
  return { filepath, text, hash, editable, reason };
}

/** `path` is asked at every request: a page may be renamed while it is open. */
export function pageFile(client: UbpClient, path: () => string): PageFile {
  return {
    read: () => readFile(client, path()).catch(fail),
    async write(text, expectedHash) {
      try {
        const saved = await inTime(client.call('save_page', { page: path(), text, expected_hash: expectedHash }));
        return { text: saved.text ?? text, hash: saved.content_hash };
      } catch (error) {
        return fail(error);
      }
    },
  };
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ClientError('unreachable', 'The server takes too long to answer.')), PATIENCE);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function fail(error: unknown): never {
  const { code, message, hint } = ClientError.from(error);
  const sentence = hint ? `${message.replace(/\.?$/, '.')} ${hint}` : message;
  if (code === 'conflict') throw new FileProblem('conflict', sentence);
  throw new FileProblem(NO_ANSWER.test(code) ? 'unreachable' : 'refused', sentence);
}
