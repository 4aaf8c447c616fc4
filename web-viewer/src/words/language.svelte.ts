// The language of the interface: the reader's choice, or the browser's. English is part of the app; another language is loaded
// when it is needed.

export type Language = 'en' | 'ja';
/** What the reader chose. */
export type LanguageChoice = 'system' | Language;

/** All languages, each by its own name. */
export const LANGUAGES: readonly { value: Language; name: string }[] = [
  { value: 'en', name: 'English' },
  { value: 'ja', name: '日本語' },
];

let now = $state<Language>('en');

/** The language that is shown. */
export function language(): Language {
  return now;
}

const primary = (tag: string) => tag.split('-')[0]?.toLowerCase() ?? '';

/** The first language of the browser that the app speaks; English if there is none. */
export function languageOf(choice: LanguageChoice, browser: readonly string[]): Language {
  if (LANGUAGES.some(({ value }) => value === choice)) return choice as Language;
  return browser.map(primary).find((tag): tag is Language => LANGUAGES.some(({ value }) => value === tag)) ?? 'en';
}

/** The browser's variant of the language, such as `en-GB`: numbers and dates look as its user is used to. */
export function locale(): string {
  const tags = typeof navigator === 'undefined' ? [] : navigator.languages;
  return tags.find((tag) => primary(tag) === now) ?? now;
}

interface Shown {
  /** Loads the messages, and returns what shows them. */
  load(language: Language): Promise<() => void>;
}

const catalogues: Shown[] = [];
let wanted: Language = 'en';
let arriving: Promise<void> = Promise.resolve();

/**
 * Messages in the language that is shown. A message must be read when it is shown, not kept, because the language may change.
 * `japanese` has the same shape as `english`.
 */
export function catalogue<T extends object>(english: T, japanese: () => Promise<{ default: T }>): T {
  let shown = $state.raw(english);
  const load = async (language: Language) => {
    const messages = language === 'ja' ? (await japanese()).default : english;
    return () => void (shown = messages);
  };
  catalogues.push({ load });
  // This part of the app may have been loaded after the language was chosen.
  if (wanted !== 'en') arriving = Promise.all([arriving, load(wanted).then((show) => show(), () => {})]).then(() => {});
  const groups = Object.keys(english).map((group) => [group, { enumerable: true, get: () => shown[group as keyof T] }] as const);
  return Object.defineProperties({}, Object.fromEntries(groups)) as T;
}

/** Resolves when the messages of all loaded parts of the app are here. */
export function spoken(): Promise<void> {
  return arriving;
}

/** Changes the language, at once everywhere. If its messages cannot be loaded, the language stays. */
export function speak(language: Language): Promise<void> {
  wanted = language;
  arriving = Promise.all(catalogues.map(({ load }) => load(language))).then(
    (all) => {
      if (wanted !== language) return;
      for (const show of all) show();
      now = language;
      document.documentElement.lang = language;
    },
    () => void (wanted = now),
  );
  return arriving;
}
