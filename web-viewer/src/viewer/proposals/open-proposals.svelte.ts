// The proposals that wait for review. The server tells of changed pages and of what is decided in a viewer, but not of what other
// processes write to `.ubp/proposals/`: agents beside the viewer, and `ubp proposals`. So it is asked now and then.
import type { ProposalFields } from '#contract';
import { SvelteMap } from 'svelte/reactivity';
import { ClientError, type UbpClient } from '../../client/client';
import { pathsOf } from './facts';

/** Milliseconds between questions: while proposals are on screen, and in the background. */
const EVERY_MS = { shown: 2500, background: 5000 };
/** Between two questions, the server is idle for this many times the duration of one. */
const REST = 15;
/** Number of proposals that are listed; the operation allows no more. */
export const MOST = 1000;

export class OpenProposals {
  readonly #client: () => UbpClient | null;
  /** Latest first; null until they were first listed. */
  list = $state.raw<readonly ProposalFields[] | null>(null);
  /** The number of all of them. */
  count = $state(0);
  /** Files that are not proposals. */
  unreadable = $state.raw<readonly string[]>([]);
  failure = $state.raw<ClientError | null>(null);
  /** Increases with each new list, for views that show more than the list has. */
  taken = $state(0);
  /** Texts that the reviewer has begun to edit, by proposal. */
  readonly drafts = new SvelteMap<string, string>();
  #isShown = false;
  #isAsking = false;
  #isOutdated = true;
  #ended = 0;
  #took = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void)[] = [];

  readonly #byPage = $derived.by(() => {
    const found = new Map<string, ProposalFields[]>();
    for (const proposal of this.list ?? []) {
      const paths = new Set(proposal.pages.flatMap(pathsOf));
      for (const path of paths) found.set(path, [...(found.get(path) ?? []), proposal]);
    }
    return found;
  });

  /** `client` returns null while the server cannot be reached. */
  constructor(client: () => UbpClient | null) {
    this.#client = client;
    document.addEventListener('visibilitychange', () => this.#later(0));
  }

  /** Those that change this page. */
  of(page: string): readonly ProposalFields[] {
    return this.#byPage.get(page) ?? [];
  }

  /** Something changed, such as a page on which a proposal is based: asks soon. */
  changed(): void {
    this.#isOutdated = true;
    this.#later(this.#isShown || this.#waiting.length > 0 ? 0 : this.#ended + REST * this.#took - performance.now());
  }

  /** Asks now; resolves when the list is up to date. */
  refresh(): Promise<void> {
    this.#isOutdated = true;
    return new Promise((done) => {
      this.#waiting.push(done);
      this.#later(0);
    });
  }

  /** Proposals are on screen. Returns a function to call when they are not any more. */
  show(): () => void {
    this.#isShown = true;
    this.#later(0);
    return () => (this.#isShown = false);
  }

  #later(wait: number): void {
    clearTimeout(this.#timer);
    // Nobody looks at it; becoming visible asks at once.
    if (document.visibilityState === 'hidden' && this.#waiting.length === 0) return;
    this.#timer = setTimeout(() => void this.#ask(), Math.max(0, wait));
  }

  async #ask(): Promise<void> {
    // One at a time. What changes in the meantime is asked for afterwards.
    if (this.#isAsking) return;
    this.#isAsking = true;
    const waiting = this.#waiting.splice(0);
    const start = performance.now();
    let isTaken = false;
    try {
      const client = this.#client();
      if (client) await this.#take(client);
      isTaken = client !== null;
    } catch (error) {
      this.failure = ClientError.from(error);
    }
    this.#ended = performance.now();
    this.#took = this.#ended - start;
    this.#isAsking = false;
    for (const done of waiting) done();
    const isBehind = isTaken && this.#isShown && this.#isOutdated;
    this.#later(this.#waiting.length > 0 || isBehind ? 0 : Math.max(EVERY_MS[this.#isShown ? 'shown' : 'background'], REST * this.#took));
  }

  async #take(client: UbpClient): Promise<void> {
    const isOutdated = this.#isOutdated;
    this.#isOutdated = false;
    if (!isOutdated) {
      // Every new proposal becomes the first one, and every decision makes the list shorter.
      const { proposals, open_count } = await client.call('list_proposals', { limit: 1 });
      this.failure = null;
      if (open_count === this.count && proposals[0]?.proposal === this.list?.[0]?.proposal) return;
    }
    try {
      const answer = await client.call('list_proposals', { limit: MOST });
      this.list = answer.proposals;
      this.count = answer.open_count;
      this.unreadable = answer.unreadable;
      this.failure = null;
      this.taken++;
    } catch (error) {
      this.#isOutdated = true;
      throw error;
    }
  }
}
