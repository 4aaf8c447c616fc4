// The list of projects of a hub, asked for again while somebody looks at it, and how many of their pages are out of date.
import { SvelteMap } from 'svelte/reactivity';
import { ClientError } from '../client/client';
import type { HubClient, Project } from '../client/hub.svelte';
import { HttpClient } from '../client/http';
import { fold } from '../text/fold';

/** Milliseconds between two looks at the list. */
const AGAIN_MS = 2000;
/** Milliseconds after which the freshness of a project is asked for again. */
const AGED_MS = 60_000;
/** How many projects are asked for their freshness at the same time. */
const TOGETHER = 2;

export interface OutOfDate {
  stale: number;
  unsure: number;
}

/** The projects whose name, tags or folder contain what is typed. */
export function matching(projects: readonly Project[], typed: string): readonly Project[] {
  const wanted = fold(typed.trim());
  if (!wanted) return projects;
  return projects.filter(({ project, tags, folder, version }) => [project, folder, version ?? '', ...tags.map((tag) => `#${tag}`)].some((text) => fold(text).includes(wanted)));
}

export class Projects {
  all = $state.raw<readonly Project[] | null>(null);
  /** Why the list cannot be read. */
  problem = $state.raw<string | null>(null);
  failure = $state.raw<ClientError | null>(null);
  readonly outOfDate = new SvelteMap<string, OutOfDate>();
  readonly #hub: HubClient;
  readonly #root: string;
  readonly #asked = new Map<string, { at: number; pages: number | null }>();
  #isClosed = false;
  #isCounting = false;

  constructor(hub: HubClient, root: string) {
    this.#hub = hub;
    this.#root = root;
  }

  /** Follows the list; returns what ends that. */
  follow(): () => void {
    void this.look();
    const timer = setInterval(() => {
      if (!document.hidden) void this.look();
    }, AGAIN_MS);
    return () => {
      this.#isClosed = true;
      clearInterval(timer);
    };
  }

  async look(): Promise<void> {
    try {
      const { projects, problem } = await this.#hub.projects();
      if (JSON.stringify(projects) !== JSON.stringify(this.all)) this.all = projects;
      [this.problem, this.failure] = [problem, null];
      if (!this.#isCounting) await this.#count(projects);
    } catch (error) {
      this.failure = ClientError.from(error);
    }
  }

  async #count(projects: readonly Project[]): Promise<void> {
    this.#isCounting = true;
    const isDue = ({ project, pages }: Project) => {
      const asked = this.#asked.get(project);
      return pages !== null && (!asked || asked.pages !== pages || Date.now() - asked.at > AGED_MS);
    };
    const due = projects.filter(isDue);
    const next = async (): Promise<void> => {
      for (let one = due.shift(); one && !this.#isClosed; one = due.shift()) await this.#countIn(one);
    };
    await Promise.all(Array.from({ length: TOGETHER }, next));
    this.#isCounting = false;
  }

  async #countIn({ project, address, pages }: Project): Promise<void> {
    this.#asked.set(project, { at: Date.now(), pages });
    try {
      const { freshness } = await new HttpClient(new URL(address, this.#root).href).call('status', {});
      this.outOfDate.set(project, { stale: freshness.stale, unsure: freshness.possibly_stale });
    } catch {
      // The list says what is wrong with the project.
      this.outOfDate.delete(project);
    }
  }
}
