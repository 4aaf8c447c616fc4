// What a palette can offer beside what it finds in the project.

export interface Offer {
  kind: 'recent' | 'command' | 'create';
  id: string;
  label: string;
  /** Fainter, beside it. */
  about: string;
  /** The caps of its keys. */
  keys: readonly string[];
  run(): void;
}

export interface Offers {
  /** Where somebody was before; shown while nothing is typed. */
  recent(): Offer[];
  /** `only`: all that match, because nothing else is asked for. */
  commands(typed: string, only: boolean): Offer[];
  /** A page by this name, unless there is one. */
  creation(typed: string): Offer | null;
}
