// What a reader chose. Kept in this browser only; `before-paint.js` reads the same entry.

export type Theme = 'system' | 'light' | 'dark';
/** How a page of a project that can be written is shown: its source, or as it reads. */
export type Face = 'edit' | 'read';
export type Font = 'sans' | 'serif' | 'mono';
export type Width = 'narrow' | 'normal' | 'wide' | 'full';

interface Kept {
  theme: Theme;
  /** Whether the page list is open beside the page. */
  side: boolean;
  /** Whether the palette may load the model for search by meaning. */
  meaning: boolean;
  face: Face;
  font: Font;
  /** Of the text of pages, in pixels. */
  size: number;
  width: Width;
  spelling: boolean;
}

const KEY = 'ubp';
const DEFAULTS: Kept = { theme: 'system', side: true, meaning: true, face: 'edit', font: 'sans', size: 17, width: 'normal', spelling: true };

export const SIZES = { least: 13, most: 24 } as const;

function kept(): Kept {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Kept>) };
  } catch {
    return { ...DEFAULTS };
  }
}

/** Puts a choice where style sheets see it; the default is no attribute at all. */
function mark(name: string, value: string, usual: string): void {
  if (value === usual) delete document.documentElement.dataset[name];
  else document.documentElement.dataset[name] = value;
}

class Settings {
  #kept = $state<Kept>(kept());

  get theme(): Theme {
    return this.#kept.theme;
  }

  set theme(theme: Theme) {
    this.#keep({ theme });
    mark('theme', theme, 'system');
  }

  get side(): boolean {
    return this.#kept.side;
  }

  set side(side: boolean) {
    this.#keep({ side });
    mark('side', side ? 'open' : 'closed', 'open');
  }

  get meaning(): boolean {
    return this.#kept.meaning;
  }

  set meaning(meaning: boolean) {
    this.#keep({ meaning });
  }

  get face(): Face {
    return this.#kept.face;
  }

  set face(face: Face) {
    this.#keep({ face });
  }

  get font(): Font {
    return this.#kept.font;
  }

  set font(font: Font) {
    this.#keep({ font });
    mark('font', font, DEFAULTS.font);
  }

  get size(): number {
    return this.#kept.size;
  }

  set size(size: number) {
    const within = Math.min(SIZES.most, Math.max(SIZES.least, Math.round(size)));
    if (Number.isNaN(within)) return;
    this.#keep({ size: within });
    showSize(within);
  }

  get width(): Width {
    return this.#kept.width;
  }

  set width(width: Width) {
    this.#keep({ width });
    mark('width', width, DEFAULTS.width);
  }

  get spelling(): boolean {
    return this.#kept.spelling;
  }

  set spelling(spelling: boolean) {
    this.#keep({ spelling });
  }

  /** Shows what was kept from an earlier visit and is not seen to before the first paint. */
  show(): void {
    mark('font', this.font, DEFAULTS.font);
    mark('width', this.width, DEFAULTS.width);
    showSize(this.size);
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

function showSize(size: number): void {
  if (size === DEFAULTS.size) document.documentElement.style.removeProperty('--text-body');
  else document.documentElement.style.setProperty('--text-body', `${size / 16}rem`);
}

export const settings = new Settings();
