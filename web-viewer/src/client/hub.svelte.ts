// All projects of a hub as one. Pages are called `project:path`, apart from those of the open project.
import type { Completion, LinkInfo, OperationName } from '#contract';
import { Listeners, type ClientEvents, type EventName, type Meaning, type Output, type Params, type UbpClient } from './client';
import { post } from './http';

/** A project of a hub. */
export interface Project {
  project: string;
  /** Its address, relative to the hub. */
  address: string;
  folder: string;
  tags: string[];
  /** The tag of a repository that it is. */
  version: string | null;
  read_only: boolean;
  pages: number | null;
  /** Why it cannot be read, or its settings cannot be used. */
  error: string | null;
}

/** Links between a page and pages of other projects. */
export interface LinksElsewhere {
  page: string;
  backlinks: LinkInfo[];
  /** How many of its links lead nowhere, in no project, and their titles. */
  broken: number;
  missing: string[];
}

interface Failed {
  failed_projects?: { project: string }[];
}
type Completions = { pages: Completion[] };

/** One of each list, then the second of each, and so on: each is sorted. */
export function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

export class HubClient implements UbpClient {
  readonly meaning: Meaning = { state: 'ready' };
  /** The projects that the last search could not ask. */
  failed = $state.raw<readonly string[]>([]);
  readonly #listeners = new Listeners();
  readonly #root: string;
  readonly #own: string | null;

  /** `root` is the address of the hub, `own` the name of the open project. */
  constructor(root: string, own: string | null = null) {
    this.#root = root;
    this.#own = own;
  }

  async call<N extends OperationName>(name: N, params: Params<N>): Promise<Output<N>> {
    if (name === 'list_pages') return { pages: [] } as unknown as Output<N>;
    const answer = await this.#ask(name, params);
    if (name === 'complete') return this.#completions(answer as Completions & { projects?: Completions[] }) as unknown as Output<N>;
    if (name === 'search') {
      const { results, nearby, failed_projects } = answer as Output<'search'> & Failed;
      for (const page of [...results, ...nearby]) page.filepath = this.#ownPath(page.filepath);
      this.failed = (failed_projects ?? []).map(({ project }) => project);
    }
    return answer as Output<N>;
  }

  /** Pages of one project, best first; null if there is no such project. */
  async names(project: string, text: string, limit: number): Promise<Completion[] | null> {
    if (project === this.#own) return null;
    const answer = await this.#ask('complete', { text, limit, projects: [project] }).catch(() => null);
    return (answer as Completions | null)?.pages ?? null;
  }

  projects(): Promise<{ projects: Project[]; problem: string | null }> {
    return this.#ask('projects', {}) as Promise<{ projects: Project[]; problem: string | null }>;
  }

  /** The links between a page of the open project and pages of others. */
  async links(page: string): Promise<LinksElsewhere> {
    const prefix = `${this.#own}:`;
    const { backlinks, outlinks } = (await this.#ask('get_page', { page: prefix + page, answers: false })) as Output<'get_page'>;
    const broken = outlinks.filter(({ filepath, source_path }) => filepath === null && source_path === null);
    return {
      page,
      backlinks: backlinks.filter(({ filepath }) => filepath !== null && !filepath.startsWith(prefix)),
      broken: broken.length,
      missing: [...new Set(broken.map(({ title }) => title))],
    };
  }

  fileUrl(): undefined {
    return undefined;
  }

  loadMeaning(): void {
    // The server has a model.
  }

  on<E extends EventName>(event: E, listener: (detail: ClientEvents[E]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  close(): void {
    // There is no connection.
  }

  #ask(name: string, params: unknown): Promise<unknown> {
    return post(new URL(`api/${name}`, this.#root), params);
  }

  #completions(answer: Completions & { projects?: Completions[] }): Completions {
    const pages = interleaved((answer.projects ?? [answer]).map(({ pages }) => pages));
    return { pages: pages.map((page) => ({ ...page, filepath: this.#ownPath(page.filepath) })) };
  }

  #ownPath(path: string): string {
    return this.#own !== null && path.startsWith(`${this.#own}:`) ? path.slice(this.#own.length + 1) : path;
  }
}
