// What the palette shows for what was typed. Names and words are there at once; meaning takes the place of words when it
// answers. While a question is on its way, only the newest of those that follow is kept.
import type { Completion, PageResult, SectionResult } from '#contract';
import { ClientError, type UbpClient } from '../client/client';

export interface Names {
  kind: 'name';
  page: Completion;
}

export interface Words {
  kind: 'text';
  page: PageResult;
  section: SectionResult;
}

export type Found = Names | Words;

const NAMES = 6;
const PAGES = 10;
const SECTIONS_PER_PAGE = 2;

export class Finder {
  names = $state.raw<Names[]>([]);
  texts = $state.raw<Words[]>([]);
  /** What the texts were found by. */
  by = $state<'words' | 'meaning'>('words');
  /** What the names answer: they are there before the texts are. */
  named = $state('');
  /** What all results answer. */
  answered = $state('');
  busy = $state(false);
  problem = $state.raw<ClientError | null>(null);
  readonly #client: UbpClient;
  #wanted = '';
  #isClosed = false;
  readonly #stopListening: () => void;
  // Names wait for no text: a search of all texts may still answer what was typed before.
  readonly #lines = [new Line((typed) => this.#nameFor(typed)), new Line((typed) => this.#textFor(typed))];

  constructor(client: UbpClient) {
    this.#client = client;
    this.#stopListening = client.on('meaning', ({ state }) => {
      if (state === 'ready' && this.#wanted) this.#ask(true);
    });
    this.#ask();
  }

  find(typed: string): void {
    this.#wanted = typed.trim();
    this.#ask();
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
    const { pages } = await this.#client.call('complete', { text: typed, limit: typed ? NAMES : NAMES + 4 });
    if (this.#isClosed) return;
    this.names = pages.map((page) => ({ kind: 'name', page }));
    this.named = typed;
  }

  async #textFor(typed: string): Promise<void> {
    if (!typed) {
      this.texts = [];
      return;
    }
    const words = await this.#client.call('search', { query: typed, mode: 'fulltext', limit: PAGES });
    if (this.#isClosed) return;
    this.texts = textsOf(words.results);
    this.by = 'words';
    if (typed !== this.#wanted || this.#client.meaning.state !== 'ready') return;
    // What words find is an answer; what is meant may take its place.
    if (this.named === typed) this.answered = typed;
    const meant = await this.#client.call('search', { query: typed, mode: 'hybrid', limit: PAGES });
    if (this.#isClosed || typed !== this.#wanted) return;
    this.texts = textsOf(meant.results);
    this.by = meant.search_type === 'hybrid' || meant.search_type === 'vector' ? 'meaning' : 'words';
  }
}

/** Questions one after the other, of which only the newest of those that wait is asked. */
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

  /** Ends when what is wanted then is answered. `anew`: even if it was answered before. */
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

function textsOf(results: readonly PageResult[]): Words[] {
  return results.flatMap((page) => page.sections.slice(0, SECTIONS_PER_PAGE).map((section): Words => ({ kind: 'text', page, section })));
}
