// Which layers are open, and how much room there is.

export type Layer = 'pages' | 'about' | 'palette' | 'settings' | 'folder' | 'shortcuts' | 'guide' | 'projects';

function matches(query: string): { readonly now: boolean } {
  const list = matchMedia(query);
  let now = $state(list.matches);
  list.addEventListener('change', () => (now = list.matches));
  return {
    get now() {
      return now;
    },
  };
}

class Layout {
  /** Only one at a time. */
  layer = $state<Layer | null>(null);
  /** Focus mode: only the page is shown. */
  isFocused = $state(false);
  /** The last action, for screen readers. */
  announcement = $state('');
  /** Whether a second page takes the place of the right sidebar. */
  hasSecond = $state(false);
  readonly #small = matches('(width < 600px)');
  readonly #narrow = matches('(width < 1000px)');
  readonly #noSide = matches('(width < 860px)');
  readonly #noRail = matches('(width < 1180px)');

  get noSide(): boolean {
    return this.#noSide.now;
  }

  get noRail(): boolean {
    return this.#noRail.now || this.hasSecond;
  }

  /** Whether the window is as narrow as a telephone. */
  get isSmall(): boolean {
    return this.#small.now;
  }

  /** Whether there is room for one page only. */
  get isNarrow(): boolean {
    return this.#narrow.now;
  }

  announce(text: string): void {
    this.announcement = text;
  }
}

export const layout = new Layout();
