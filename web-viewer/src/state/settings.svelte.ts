// What a reader chose. Kept in this browser only; `before-paint.js` reads the same entry.

export type Theme = 'system' | 'light' | 'dark';

interface Kept {
  theme: Theme;
  /** Whether the page list is open beside the page. */
  side: boolean;
  /** Whether the palette may load the model for search by meaning. */
  meaning: boolean;
}

const KEY = 'ubp';

function kept(): Kept {
  const defaults: Kept = { theme: 'system', side: true, meaning: true };
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Kept>) };
  } catch {
    return defaults;
  }
}

class Settings {
  #kept = $state<Kept>(kept());

  get theme(): Theme {
    return this.#kept.theme;
  }

  set theme(theme: Theme) {
    this.#keep({ theme });
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  }

  get side(): boolean {
    return this.#kept.side;
  }

  set side(side: boolean) {
    this.#keep({ side });
    if (side) delete document.documentElement.dataset['side'];
    else document.documentElement.dataset['side'] = 'closed';
  }

  get meaning(): boolean {
    return this.#kept.meaning;
  }

  set meaning(meaning: boolean) {
    this.#keep({ meaning });
  }

  #keep(change: Partial<Kept>): void {
    Object.assign(this.#kept, change);
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#kept));
    } catch {
      // Where nothing may be stored, the choice holds until the page is left.
    }
  }
}

export const settings = new Settings();
