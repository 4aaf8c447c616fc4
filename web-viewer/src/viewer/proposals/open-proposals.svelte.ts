// The proposals that wait for review. The server tells when they change, or pages on which they are based.
import type { ProposalFields } from '#contract';
import { SvelteMap } from 'svelte/reactivity';
import { ClientError, type Output, type UbpClient } from '../../client/client';
import { pathsOf } from './facts';

/** Milliseconds after a question that failed until the next one. */
const RETRY_MS = 5000;
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

  /** Proposals changed, or pages on which they may be based: asks soon. */
  changed(): void {
    this.#isOutdated = true;
    this.#later(this.#pause());
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
    const isWanted = this.#waiting.length > 0 || (this.#isOutdated && document.visibilityState !== 'hidden');
    if (isWanted) this.#timer = setTimeout(() => void this.#ask(), Math.max(0, wait));
  }

  async #ask(): Promise<void> {
    // One at a time. What changes in the meantime is asked for afterwards.
    if (this.#isAsking) return;
    this.#isAsking = true;
    const waiting = this.#waiting.splice(0);
    const start = performance.now();
    const client = this.#client();
    // The server tells when it can be reached again.
    this.#isOutdated = client === null;
    try {
      if (client) this.#take(await client.call('list_proposals', { state: 'open', limit: MOST }));
    } catch (error) {
      this.failure = ClientError.from(error);
      this.#isOutdated = true;
    }
    this.#ended = performance.now();
    this.#took = this.#ended - start;
    this.#isAsking = false;
    for (const done of waiting) done();
    if (client || this.#waiting.length > 0) this.#later(this.failure ? RETRY_MS : this.#pause());
  }

  /** Milliseconds until the next question: none for proposals that are on screen or awaited. */
  #pause(): number {
    return this.#isShown || this.#waiting.length > 0 ? 0 : this.#ended + REST * this.#took - performance.now();
  }

  #take({ proposals, open_count, unreadable }: Output<'list_proposals'>): void {
    this.list = proposals;
    this.count = open_count;
    this.unreadable = unreadable;
    this.failure = null;
    this.taken++;
  }
}
