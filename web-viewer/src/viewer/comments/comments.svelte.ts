// The comments on the page on screen. The panel and the marks of the article are loaded when they are needed.
import type { CommentFields } from '#contract';
import type { UbpClient } from '../../client/client';
import type { MountedEditor, Quote } from '../../editor/mount';

interface Host {
  client(): UbpClient | null;
  editor(): MountedEditor | null;
  isEditing(): boolean;
}

/** What a new comment is about: a text, or the whole page. */
export type Draft = { page: string; quote: Quote | null };

export class Comments {
  readonly #host: Host;
  list = $state.raw<readonly CommentFields[]>([]);
  isOpen = $state(false);
  /** The name under which this window last commented; that of the link for guests. */
  me = $state('');
  draft = $state.raw<Draft | null>(null);
  /** The comment that was clicked in the text. */
  chosen = $state<string | null>(null);
  readonly open = $derived.by(() => this.list.filter(({ resolved_at }) => resolved_at === null));
  #page: string | null = null;
  #turn = 0;
  #asking = false;
  #isOutdated = false;
  #unmark: (() => void) | null = null;

  constructor(host: Host, guest = '') {
    this.#host = host;
    this.me = guest;
  }

  /** The page on screen. */
  show(page: string | null): void {
    if (page !== this.#page) {
      this.#page = page;
      this.#turn++;
      this.draft = null;
      this.chosen = null;
      this.list = [];
      void this.#mark();
    }
    void this.refresh();
  }

  /** Pages changed: places may be different. */
  changed(paths: readonly string[]): void {
    const isMeant = paths.length === 0 || (this.#page !== null && paths.includes(this.#page));
    if (isMeant && (this.isOpen || this.list.length > 0)) void this.refresh();
  }

  async refresh(): Promise<void> {
    this.#isOutdated = true;
    if (this.#asking) return;
    this.#asking = true;
    while (this.#isOutdated) {
      this.#isOutdated = false;
      await this.#ask().catch(() => {});
    }
    this.#asking = false;
  }

  async #ask(): Promise<void> {
    const client = this.#host.client();
    const page = this.#page;
    if (!client || page === null) return;
    const turn = this.#turn;
    const typed = this.#host.isEditing() ? (this.#host.editor()?.textOf(page) ?? null) : null;
    const { comments } = await client.call('list_comments', { page, state: 'all', limit: 1000, ...(typed === null || this.list.length === 0 ? {} : { text: typed }) });
    if (turn !== this.#turn) return;
    const isFirst = this.list.length === 0 && comments.length > 0;
    this.list = comments;
    // The first answer does not know what was typed since the page was saved.
    if (isFirst && typed !== null) this.#isOutdated = true;
    else this.#host.editor()?.showComments(page, this.open.flatMap(({ comment, place }) => (place ? [{ id: comment, from: place.range[0] ?? 0, to: place.range[1] ?? 0 }] : [])), typed);
    await this.#mark();
  }

  /** Marks the texts in the article. */
  async #mark(): Promise<void> {
    this.#clear();
    const marked = this.open.filter(({ place }) => place !== null);
    if (marked.length === 0 || this.#host.isEditing()) return;
    const turn = this.#turn;
    const { markComments } = await import('./marks');
    if (turn === this.#turn && !this.#host.isEditing()) {
      this.#clear();
      this.#unmark = markComments(marked, (id) => this.choose(id));
    }
  }

  #clear(): void {
    this.#unmark?.();
    this.#unmark = null;
  }

  choose(id: string): void {
    this.isOpen = true;
    this.chosen = id;
  }
}
