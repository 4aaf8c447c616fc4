// The file of a page, read and written through the server.
import { ClientError, type UbpClient } from '../client/client';
import { FileProblem, type FileText, type PageFile, type WrittenText } from './saver';
import { writing } from '../words/writing';

export interface OpenedFile extends FileText {
  filepath: string;
  editable: boolean;
  /** Why it cannot be edited. */
  reason: string | null;
}

/** Timeout of requests in milliseconds. */
const PATIENCE = 20_000;

/** Errors after which the file may or may not have been written. */
const NO_ANSWER = /^(unreachable|unknown|http_.*|internal)$/;

export async function readFile(client: UbpClient, page: string): Promise<OpenedFile> {
  const { filepath, text, content_hash: hash, editable, reason } = await inTime(client.call('read_page', { page }));
  return { filepath, text, hash, editable, reason };
}

/** `path` and `title` are functions, because a page may be renamed while it is open. */
export function pageFile(client: UbpClient, path: () => string, title: () => string): PageFile {
  /** The proposal of these edits, which the next one replaces. */
  let proposed: string | null = null;
  const save = async (page: string, text: string, expectedHash: string): Promise<WrittenText> => {
    if (proposed !== null) {
      const before = proposed;
      proposed = null;
      // Somebody may have decided about it.
      await inTime(client.call('withdraw_proposal', { proposal: before })).catch(() => null);
    }
    const saved = await inTime(client.call('save_page', { page, text, expected_hash: expectedHash }));
    own(page, saved.filepath);
    if (saved.proposal !== null) {
      proposed = saved.proposal;
      return { text, hash: expectedHash, isProposed: true };
    }
    return { text: saved.text ?? text, hash: saved.content_hash };
  };
  /** A request that was on its way while the page was renamed is made again under the new path. */
  const followed = async <T>(request: (page: string) => Promise<T>): Promise<T> => {
    for (;;) {
      const page = path();
      try {
        return await request(page);
      } catch (error) {
        if (path() === page) return fail(error);
      }
    }
  };
  return {
    read: () =>
      followed(async (page) => {
        const file = await readFile(client, page);
        own(page, file.filepath);
        return file;
      }),
    write: (text, expectedHash) => followed((page) => save(page, text, expectedHash)),
    async create(text) {
      const page = path();
      // The page had this name before.
      const named = { path: page, title: title(), allow_same_name: true };
      const make = (content: string) => inTime(client.call('create_page', { ...named, content }));
      try {
        // If front matter cannot be completed, save the text anyway.
        const made = await make(text).catch((error: unknown) => (ClientError.from(error).code === 'front_matter' ? make('') : Promise.reject(ClientError.from(error))));
        // Creating a page completes its front matter. Restore the exact former text, which was complete.
        return await save(made.filepath, text, made.content_hash);
      } catch (error) {
        return fail(error);
      }
    },
  };
}

/** If there is no page at a path, the server may answer with a page of the same name in another folder. */
function own(asked: string, found: string): void {
  if (found !== asked) throw new FileProblem('gone', writing.saving.movedTo(asked, found));
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ClientError('unreachable', writing.saving.slow)), PATIENCE);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function fail(error: unknown): never {
  if (error instanceof FileProblem) throw error;
  const { code, message, hint } = ClientError.from(error);
  const sentence = hint ? `${message.replace(/\.?$/, '.')} ${hint}` : message;
  if (code === 'page_not_found' || code === 'ambiguous_page') throw new FileProblem('gone', sentence);
  if (code === 'conflict') throw new FileProblem('conflict', sentence);
  throw new FileProblem(NO_ANSWER.test(code) ? 'unreachable' : 'refused', sentence);
}
