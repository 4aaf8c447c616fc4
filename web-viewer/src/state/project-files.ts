// The files of the project that are not pages, for completion and for the list. They are fetched as a whole and filtered here,
// so that no key reads the disk. The server does not tell when such files change: a list is used for a few seconds.
import type { FileSymbol, ProjectFile, ProjectFolder } from '#contract';
import type { UbpClient } from '../client/client';

/** Milliseconds for which a list is used without asking again. */
const FRESH = 10_000;
const MOST = 50_000;

export interface FileList {
  files: readonly ProjectFile[];
  folders: readonly ProjectFolder[];
  /** Files beyond the limit, which are not in the list. */
  more: number;
}

const NOTHING: FileList = { files: [], folders: [], more: 0 };

/** The path of an attachment relative to the pages folder; `null` if it is not in it, and so has another address. */
export function pathInPages({ path, url }: ProjectFile): string | null {
  const address = decodeURIComponent(url ?? '');
  return address !== '' && (path === address || path.endsWith(`/${address}`)) ? address : null;
}

type Kind = ProjectFile['kind'];

export class ProjectFiles {
  readonly #client: UbpClient;
  readonly #lists = new Map<Kind | 'all', { time: number; list: Promise<FileList> }>();

  constructor(client: UbpClient) {
    this.#client = client;
  }

  /** All files, or those of one kind. Rejects with a `ClientError`. */
  list(kind: Kind | 'all' = 'all'): Promise<FileList> {
    const known = this.#lists.get(kind);
    if (known && Date.now() - known.time < FRESH) return known.list;
    const only = kind === 'all' ? {} : { kind };
    const list = this.#client.call('list_files', { limit: MOST, ...only }).then(({ files, folders, total }) => ({ files, folders, more: total - files.length }));
    this.#lists.set(kind, { time: Date.now(), list });
    list.catch(() => this.#lists.get(kind)?.list === list && this.#lists.delete(kind));
    return list;
  }

  /** The list if it can be fetched, or else an empty one. */
  known(kind: Kind | 'all' = 'all'): Promise<FileList> {
    return this.list(kind).catch(() => NOTHING);
  }

  /** The first files and folders whose path contains `text`, for lists that are not complete. Rejects with a `ClientError`. */
  async search(text: string): Promise<FileList> {
    const { files, folders, total } = await this.#client.call('list_files', { text, limit: 1_000 });
    return { files, folders, more: total - files.length };
  }

  /** The first symbols of a file whose names contain `text`. Rejects with a `ClientError`. */
  async symbols(file: string, text: string, limit: number): Promise<readonly FileSymbol[]> {
    return (await this.#client.call('list_symbols', { file, text, limit })).symbols;
  }

  /** A file was added or removed here. */
  forget(): void {
    this.#lists.clear();
  }

  /** How many files each entry of `source_refs` matches. Rejects with a `ClientError`. */
  async matches(sources: readonly string[]): Promise<readonly number[]> {
    return (await this.#client.call('list_files', { limit: 0, sources: [...sources] })).matches;
  }
}

const projects = new WeakMap<UbpClient, ProjectFiles>();

/** The files of the project that a client talks to. */
export function filesOf(client: UbpClient): ProjectFiles {
  const known = projects.get(client) ?? new ProjectFiles(client);
  projects.set(client, known);
  return known;
}
