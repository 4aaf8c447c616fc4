// Options of the palette other than search results.

export interface Offer {
  kind: 'recent' | 'command' | 'create';
  id: string;
  label: string;
  /** Shown next to it in a muted colour. */
  about: string;
  /** The keys of its shortcut. */
  keys: readonly string[];
  /** Whether the palette stays open. */
  stays?: boolean;
  run(): void;
}

export interface Offers {
  /** Recently opened pages, shown while nothing is typed. */
  recent(): Offer[];
  /** `only`: all matching ones, because only commands are requested. */
  commands(typed: string, only: boolean): Offer[];
  /** Creates a page with this name, unless it exists. */
  creation(typed: string): Offer | null;
}
