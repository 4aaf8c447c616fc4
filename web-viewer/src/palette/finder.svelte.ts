// The results of the palette. Names and full-text results appear at once; results by meaning replace full-text results when
// they arrive. While a request is pending, only the latest of the following ones is kept.
import type { Completion, PageResult, SearchOutput, SectionResult } from '#contract';
import { ClientError, type UbpClient } from '../client/client';
import { fold } from '../text/fold';

export interface Names {
  kind: 'name';
  page: Completion;
}

export interface Words {
  /** `linked`: only links with the other results lead to the page. */
  kind: 'text' | 'linked';
  page: PageResult;
  section: SectionResult;
}

export type Found = Names | Words;

const NAMES = 6;
/** When more are asked for. */
const MORE_NAMES = 50;
const PAGES = 10;
const SECTIONS_PER_PAGE = 2;

export class Finder {
  names = $state.raw<Names[]>([]);
  /** Whether there are more names. */
  hasMore = $state(false);
  texts = $state.raw<Words[]>([]);
  linked = $state.raw<Words[]>([]);
  /** What was searched for instead of mistyped words. */
  corrected = $state<string | null>(null);
  /** How the text results were found. */
  by = $state<'words' | 'meaning'>('words');
  /** The query of the name results, which arrive before the text results. */
  named = $state('');
  /** The query of all results. */
  answered = $state('');
  busy = $state(false);
  problem = $state.raw<ClientError | null>(null);
  readonly #client: UbpClient;
  #wanted = '';
  #most = NAMES;
  #isClosed = false;
  readonly #stopListening: () => void;
  // Names do not wait for texts: a full-text search may still answer an older query.
  readonly #lines = [new Line((typed) => this.#nameFor(typed)), new Line((typed) => this.#textFor(typed))];

  /** `typed` is the query at first. */
  constructor(client: UbpClient, typed: string) {
    this.#client = client;
    this.#wanted = typed;
    this.#stopListening = client.on('meaning', ({ state }) => {
      if (state === 'ready' && this.#wanted) this.#ask(true);
    });
    this.#ask();
  }

  find(typed: string): void {
    this.#wanted = typed.trim();
    this.#most = NAMES;
    this.#ask();
  }

  /** Shows more names for the same query. */
  moreNames(): void {
    this.#most = MORE_NAMES;
    this.hasMore = false;
    this.#ask(true);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopListening();
  }

  #ask(anew = false): void {
    this.busy = true;
    const asked = this.#lines.map((line) => line.ask(() => (this.#isClosed ? null : this.#wanted), anew));
    void Promise.all(asked).then(
      () => {
        this.problem = null;
        if (this.#lines.some((line) => line.isAsking)) return;
        this.answered = this.#wanted;
        this.busy = false;
      },
      (error: unknown) => {
        this.problem = ClientError.from(error);
        this.busy = false;
      },
    );
  }

  async #nameFor(typed: string): Promise<void> {
    const most = typed ? this.#most : NAMES + 4;
    const { pages } = await this.#client.call('complete', { text: typed, limit: typed ? MORE_NAMES : most });
    if (this.#isClosed) return;
    const rank = rankIn(fold(typed));
    pages.sort((a, b) => rank(a) - rank(b));
    this.hasMore = pages.length > most;
    this.names = pages.slice(0, most).map((page) => ({ kind: 'name', page }));
    this.named = typed;
  }

  async #textFor(typed: string): Promise<void> {
    if (!typed) {
      this.#take(null, 'words');
      return;
    }
    // The last word may be unfinished; `*` finds words that begin so.
    const query = `${typed}*`;
    const words = await this.#client.call('search', { query, mode: 'fulltext', limit: PAGES });
    if (this.#isClosed) return;
    this.#take(words, 'words');
    if (typed !== this.#wanted || this.#client.meaning.state !== 'ready') return;
    // Full-text results are shown until results by meaning replace them.
    if (this.named === typed) this.answered = typed;
    const meant = await this.#client.call('search', { query, mode: 'hybrid', limit: PAGES });
    if (this.#isClosed || typed !== this.#wanted) return;
    this.#take(meant, meant.search_type === 'hybrid' || meant.search_type === 'vector' ? 'meaning' : 'words');
  }

  #take(answer: SearchOutput | null, by: 'words' | 'meaning'): void {
    this.texts = textsOf('text', answer?.results ?? [], SECTIONS_PER_PAGE);
    this.linked = textsOf('linked', answer?.nearby ?? [], 1);
    this.corrected = answer?.corrected_query ?? null;
    this.by = by;
  }
}

/** Runs one request at a time; of waiting ones, only the latest is sent. */
class Line {
  #asking: Promise<void> | null = null;
  readonly #answer: (typed: string) => Promise<void>;
  #answered: string | null = null;

  constructor(answer: (typed: string) => Promise<void>) {
    this.#answer = answer;
  }

  get isAsking(): boolean {
    return this.#asking !== null;
  }

  /** Resolves when the latest request is answered. `anew`: send it even if it was answered before. */
  ask(wanted: () => string | null, anew: boolean): Promise<void> {
    if (anew) this.#answered = null;
    this.#asking ??= this.#run(wanted).finally(() => (this.#asking = null));
    return this.#asking;
  }

  async #run(wanted: () => string | null): Promise<void> {
    for (let typed = wanted(); typed !== null && typed !== this.#answered; typed = wanted()) {
      await this.#answer(typed);
      this.#answered = typed;
    }
  }
}

/** Names that are typed in full come first, then titles that begin so; aliases that do are not what most people look for. */
function rankIn(typed: string): (page: Completion) => number {
  return ({ name, title }) => (fold(name) === typed ? 0 : fold(title).startsWith(typed) ? 1 : 2);
}

function textsOf(kind: Words['kind'], results: readonly PageResult[], most: number): Words[] {
  return results.flatMap((page) => page.sections.slice(0, most).map((section): Words => ({ kind, page, section })));
}
