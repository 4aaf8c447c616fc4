// The page beside the current one: which one it is, and where it was before. It is kept for a reload of the tab.
import { layout } from '../../state/layout.svelte';

export interface SecondPlace {
  page: string;
  /** Id of a heading or block, without `#`. */
  anchor: string;
}

const KEY = 'ubp:second';

export class Second {
  place = $state.raw<SecondPlace | null>(null);
  /** Earlier pages, the latest last. */
  before = $state.raw<readonly SecondPlace[]>([]);
  readonly #key: string;

  /** `project` identifies the project among others opened in this tab. */
  constructor(project: string) {
    this.#key = `${KEY} ${project}`;
    try {
      this.place = JSON.parse(sessionStorage.getItem(this.#key) ?? 'null') as SecondPlace | null;
    } catch {
      // Without storage, there is no second page after a reload.
    }
  }

  /** Whether there is room for a second page. */
  get isPossible(): boolean {
    return !layout.isNarrow;
  }

  get isOpen(): boolean {
    return this.place !== null && this.isPossible;
  }

  open(page: string, anchor = ''): void {
    const { place } = this;
    if (place && place.page !== page) this.before = [...this.before, place];
    this.#set({ page, anchor });
  }

  back(): void {
    const place = this.before.at(-1);
    if (!place) return;
    this.before = this.before.slice(0, -1);
    this.#set(place);
  }

  close(): void {
    this.before = [];
    this.#set(null);
  }

  /** A page was renamed. */
  moved(from: string, to: string): void {
    const renamed = (place: SecondPlace) => (place.page === from ? { ...place, page: to } : place);
    this.before = this.before.map(renamed);
    if (this.place?.page === from) this.#set(renamed(this.place));
  }

  #set(place: SecondPlace | null): void {
    this.place = place;
    try {
      if (place) sessionStorage.setItem(this.#key, JSON.stringify(place));
      else sessionStorage.removeItem(this.#key);
    } catch {
      // Without storage, it lasts until the page is reloaded.
    }
  }
}
