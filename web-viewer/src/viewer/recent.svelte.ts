// Recently opened pages, kept in this browser for each project.

const KEPT = 30;

export class Recent {
  pages = $state.raw<readonly string[]>([]);
  readonly #key: string;

  constructor(project: string) {
    this.#key = `ubp:recent:${project}`;
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.#key) ?? '[]');
      if (Array.isArray(kept)) this.pages = kept.filter((page): page is string => typeof page === 'string').slice(0, KEPT);
    } catch {
      // Storage may be forbidden or contain something else: start with an empty list.
    }
  }

  opened(page: string): void {
    if (this.pages[0] === page) return;
    this.#keep([page, ...this.pages.filter((other) => other !== page)].slice(0, KEPT));
  }

  moved(from: string, to: string): void {
    this.#keep([...new Set(this.pages.map((page) => (page === from ? to : page)))]);
  }

  #keep(pages: readonly string[]): void {
    this.pages = pages;
    try {
      localStorage.setItem(this.#key, JSON.stringify(pages));
    } catch {
      // Without storage, it lasts until the page is closed.
    }
  }
}
