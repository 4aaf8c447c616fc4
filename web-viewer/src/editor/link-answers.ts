// The targets of links, as resolved by the engine. Visible links are resolved in batches, a moment after typing. Answers are
// valid until pages change, and old ones are shown until new ones arrive, so that nothing flickers.
import type { ResolvedLink } from '#contract';
import type { UbpClient } from '../client/client';
import { LINK_TYPES } from '../text/link-types';

/** Milliseconds for which requests are collected. */
const PAUSE = 120;
const MOST = 400;
const AFTER_FAILURE = 3_000;

/** New answers arrived, or pages changed and old answers may be outdated. */
export type News = 'answers' | 'pages';

type Answer = { fresh: boolean; link: ResolvedLink | null };

export class LinkAnswers {
  linkTypes: readonly string[] = LINK_TYPES;
  labelFirst = false;
  readonly #client: UbpClient;
  readonly #page: () => string;
  readonly #onAnswers: (what: News) => void;
  #links = new Map<string, Answer>();
  #pictures = new Map<string, { fresh: boolean; url: string | null }>();
  readonly #asked = { links: new Set<string>(), pictures: new Set<string>() };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;
  #isClosed = false;

  constructor(client: UbpClient, page: () => string, onAnswers: (what: News) => void) {
    this.#client = client;
    this.#page = page;
    this.#onAnswers = onAnswers;
  }

  /** The target of a link as written; `undefined` if it is not known yet. Requests it if necessary. */
  link(written: string): ResolvedLink | null | undefined {
    const known = this.#links.get(written);
    if (!known?.fresh) this.#ask(this.#asked.links, written);
    return known?.link;
  }

  /** The same for a Markdown image: its address relative to the root of the site. */
  picture(destination: string): string | null | undefined {
    const known = this.#pictures.get(destination);
    if (!known?.fresh) this.#ask(this.#asked.pictures, destination);
    return known?.url;
  }

  /** Resolves a link at once, to follow or preview it. */
  async now(written: string): Promise<ResolvedLink | null> {
    const known = this.#links.get(written);
    if (known?.fresh) return known.link;
    const { links } = await this.#client.call('resolve_links', { page: this.#page(), links: [written], pictures: [] });
    return links[0] ?? null;
  }

  /** Pages were added or removed: all answers may be outdated. */
  changed(): void {
    for (const answer of this.#links.values()) answer.fresh = false;
    for (const answer of this.#pictures.values()) answer.fresh = false;
    this.#onAnswers('pages');
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #ask(asked: Set<string>, what: string): void {
    asked.add(what);
    this.#schedule(PAUSE);
  }

  #schedule(wait: number): void {
    if (this.#timer || this.#isAsking || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, wait);
  }

  async #send(): Promise<void> {
    const links = [...this.#asked.links].slice(0, MOST);
    const pictures = [...this.#asked.pictures].slice(0, MOST);
    this.#isAsking = true;
    let wait = PAUSE;
    try {
      const answer = await this.#client.call('resolve_links', { page: this.#page(), links, pictures });
      links.forEach((link, index) => this.#links.set(link, { fresh: true, link: answer.links[index] ?? null }));
      pictures.forEach((picture, index) => this.#pictures.set(picture, { fresh: true, url: answer.pictures[index] ?? null }));
      for (const link of links) this.#asked.links.delete(link);
      for (const picture of pictures) this.#asked.pictures.delete(picture);
      this.linkTypes = answer.link_types;
      this.labelFirst = answer.label_first;
      if (!this.#isClosed) this.#onAnswers('answers');
    } catch {
      wait = AFTER_FAILURE;
    } finally {
      this.#isAsking = false;
      if (this.#asked.links.size + this.#asked.pictures.size > 0) this.#schedule(wait);
    }
  }
}
