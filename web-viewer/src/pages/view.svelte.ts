// The state of the list, kept in this browser: the view and the expanded groups.

export type SideView = 'pages' | 'folders' | 'tags';
export type Section = 'favorites' | 'recent';

interface Kept {
  view: SideView;
  folders: string[];
  tags: string[];
  folded: Section[];
}

const KEY = 'ubp:side';

function kept(): Kept {
  const defaults: Kept = { view: 'pages', folders: [], tags: [], folded: [] };
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Kept>) };
  } catch {
    return defaults;
  }
}

class Side {
  #kept = $state.raw<Kept>(kept());
  readonly openFolders = $derived.by<ReadonlySet<string>>(() => new Set(this.#kept.folders));
  readonly openTags = $derived.by<ReadonlySet<string>>(() => new Set(this.#kept.tags));
  readonly folded = $derived.by<ReadonlySet<Section>>(() => new Set(this.#kept.folded));

  /** The key of a group for the list to scroll to and focus. */
  sought = $state<string | null>(null);

  get view(): SideView {
    return this.#kept.view;
  }

  set view(view: SideView) {
    this.#keep({ view });
  }

  toggleFolder(path: string): void {
    this.#keep({ folders: toggled(this.#kept.folders, path) });
  }

  toggleTag(tag: string): void {
    this.#keep({ tags: toggled(this.#kept.tags, tag) });
  }

  fold(section: Section): void {
    this.#keep({ folded: toggled(this.#kept.folded, section) });
  }

  /** Expands every folder above a page. */
  reveal(page: string): void {
    const above = page.split('/').slice(0, -1).map((_, at, parts) => parts.slice(0, at + 1).join('/'));
    const closed = above.filter((folder) => !this.openFolders.has(folder));
    if (closed.length > 0) this.#keep({ folders: [...this.#kept.folders, ...closed] });
  }

  /** Shows a folder expanded in its place, and focuses it. */
  show(folder: string): void {
    this.view = 'folders';
    this.reveal(`${folder}/`);
    this.sought = `${folder}/`;
  }

  /** Shows the pages with a tag, and focuses it. */
  showTag(tag: string): void {
    const key = `#${tag}`;
    this.#keep({ view: 'tags', ...(this.openTags.has(key) ? {} : { tags: [...this.#kept.tags, key] }) });
    this.sought = key;
  }

  /** A folder was moved: it and its folders stay expanded. */
  moved(from: string, to: string): void {
    this.#keep({ folders: this.#kept.folders.map((path) => (path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path)) });
    this.reveal(`${to}/`);
  }

  #keep(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change };
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#kept));
    } catch {
      // Without storage, it lasts until the page is closed.
    }
  }
}

function toggled<T>(all: readonly T[], one: T): T[] {
  return all.includes(one) ? all.filter((other) => other !== one) : [...all, one];
}

export const side = new Side();
