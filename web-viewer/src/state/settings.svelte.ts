// The settings, kept in this browser only; `before-paint.js` reads the same entry.
import { languageOf, speak, type LanguageChoice } from '../words/language.svelte';

export type Theme = 'system' | 'light' | 'dark';
/** How a page of a writable project is shown: for editing or for reading. */
export type Face = 'edit' | 'read';
export type Font = 'sans' | 'serif' | 'mono';
/** What gives the pages of the graph their colours. */
export type GraphColours = 'none' | 'type' | 'folder';
export type Width = 'narrow' | 'normal' | 'wide' | 'full';

interface Kept {
  theme: Theme;
  language: LanguageChoice;
  /** Whether the page list is open beside the page. */
  side: boolean;
  /** Whether the palette may load the model for search by meaning. */
  meaning: boolean;
  /** How pages open. */
  opening: Face;
  /** Whether the editor shows pages as readers see them, with their Markdown at the cursor only. */
  live: boolean;
  /** Whether the form of front matter is unfolded. */
  properties: boolean;
  font: Font;
  /** Font size of pages, in pixels. */
  size: number;
  width: Width;
  spelling: boolean;
  /** The address that opens a file in the user's editor, with `{path}` and `{line}`, or `EDITOR`; null: as the server says. */
  opener: string | null;
  graphColours: GraphColours;
  /** Whether the graph shows pages that do not exist; null: if they can be created. */
  graphWanted: boolean | null;
  /** Whether the palette searches all projects of a hub. */
  everywhere: boolean;
  /** The name that others see who edit the same page; empty for a number. */
  name: string;
}

const KEY = 'ubp';
const DEFAULTS: Kept = { theme: 'system', language: 'system', side: true, meaning: true, opening: 'read', live: true, properties: true, font: 'sans', size: 17, width: 'normal', spelling: true, opener: null, graphColours: 'none', graphWanted: null, everywhere: true, name: '' };

export const SIZES = { least: 13, most: 24 } as const;

function kept(): Kept {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Kept>) };
  } catch {
    return { ...DEFAULTS };
  }
}

/** Applies a setting to style sheets; the default is no attribute. */
function mark(name: string, value: string, usual: string): void {
  if (value === usual) delete document.documentElement.dataset[name];
  else document.documentElement.dataset[name] = value;
}

function show({ theme, side, font, width, size }: Kept): void {
  const { style } = document.documentElement;
  mark('theme', theme, DEFAULTS.theme);
  mark('side', side ? 'open' : 'closed', 'open');
  mark('font', font, DEFAULTS.font);
  mark('width', width, DEFAULTS.width);
  if (size === DEFAULTS.size) style.removeProperty('--text-body');
  else style.setProperty('--text-body', `${size / 16}rem`);
}

let chosen = $state.raw(kept());

function choose(change: Partial<Kept>): void {
  const next = { ...chosen, ...change };
  if ('size' in change) next.size = Math.min(SIZES.most, Math.max(SIZES.least, Math.round(next.size)));
  if (Number.isNaN(next.size)) return;
  chosen = next;
  show(chosen);
  if ('language' in change) void speakChosen();
  try {
    localStorage.setItem(KEY, JSON.stringify(chosen));
  } catch {
    // Without storage, settings last until the page is closed.
  }
}

/** Each setting is stored and applied at once. */
export const settings = Object.create(null) as Kept;
for (const name of Object.keys(DEFAULTS) as (keyof Kept)[]) {
  Object.defineProperty(settings, name, { get: () => chosen[name], set: (value: Kept[typeof name]) => choose({ [name]: value }) });
}

/** Speaks the language of the settings, as soon as its messages are here. */
export function speakChosen(): Promise<void> {
  return speak(languageOf(chosen.language, navigator.languages));
}

/** Applies stored settings that `before-paint.js` does not handle. */
export function showSettings(): void {
  show(chosen);
}
