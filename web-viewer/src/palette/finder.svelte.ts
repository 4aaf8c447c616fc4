// What the palette shows for what was typed. Names and words are there at once; meaning takes their place when it
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
  #isAsking = false;
  #isClosed = false;
  readonly #stopListening: () => void;

  constructor(client: UbpClient) {
    this.#client = client;
    this.#stopListening = client.on('meaning', ({ state }) => {
      if (state === 'ready' && this.#wanted) void this.#ask();
    });
    void this.#ask();
  }

  find(typed: string): void {
    this.#wanted = typed.trim();
    void this.#ask();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopListening();
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.busy = true;
    let asked: string | null = null;
    try {
      while (asked !== this.#wanted && !this.#isClosed) {
        asked = this.#wanted;
        await this.#answer(asked);
      }
      this.problem = null;
    } catch (error) {
      this.problem = ClientError.from(error);
    } finally {
      this.#isAsking = false;
      this.busy = false;
    }
  }

  async #answer(typed: string): Promise<void> {
    const named = this.#client.call('complete', { text: typed, limit: typed ? NAMES : NAMES + 4 });
    const worded = typed ? this.#client.call('search', { query: typed, mode: 'fulltext', limit: PAGES }) : null;
    // Its failure is told below, after that of the names.
    worded?.catch(() => {});
    const names = await named;
    if (this.#isClosed) return;
    this.names = names.pages.map((page) => ({ kind: 'name', page }));
    this.named = typed;
    const words = await worded;
    if (this.#isClosed) return;
    this.texts = words ? textsOf(words.results) : [];
    this.by = 'words';
    this.answered = typed;
    if (!typed || typed !== this.#wanted || this.#client.meaning.state !== 'ready') return;
    const meant = await this.#client.call('search', { query: typed, mode: 'hybrid', limit: PAGES });
    if (this.#isClosed || typed !== this.#wanted) return;
    this.texts = textsOf(meant.results);
    this.by = meant.search_type === 'hybrid' || meant.search_type === 'vector' ? 'meaning' : 'words';
  }
}

function textsOf(results: readonly PageResult[]): Words[] {
  return results.flatMap((page) => page.sections.slice(0, SECTIONS_PER_PAGE).map((section): Words => ({ kind: 'text', page, section })));
}
