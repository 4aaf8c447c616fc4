// Entries of `source_refs`: what completes them, and whether they match files. The engine decides what they match.
import type { ProjectFile } from '#contract';
import type { FileList, ProjectFiles } from '../../state/project-files';
import { fold } from '../../text/fold';
import type { Choice } from './suggestions';
import { writing } from '../../words/writing';

/** Milliseconds for which entries to count, and keys of a glob, are collected. */
const PAUSE = 120;
const MOST = 8;

export const isGlob = (path: string): boolean => /[*?[\]{}]/.test(path);

const asWritten = (entry: string): string => entry.trim().replace(/^\.\//, '');

interface Candidate extends Choice {
  key: string;
  /** The place of the file's or folder's own name in `key`. */
  name: number;
}

export function pathChoice(path: string, note: string): Candidate {
  const key = fold(path);
  return { text: path, label: path, note, key, name: key.replace(/\/$/, '').lastIndexOf('/') + 1 };
}

/** All files and folders, prepared for matching. */
export function candidates({ files, folders }: FileList): Candidate[] {
  return [...folders.map(({ path, files: count }) => pathChoice(path, writing.properties.folder(count))), ...files.map(({ path }) => pathChoice(path, ''))];
}

/** How well a path matches, smaller is better; `null` if it does not. */
function rank({ key, name }: Candidate, wanted: string): number | null {
  const at = key.indexOf(wanted);
  if (at < 0) return null;
  if (at === 0) return 0;
  return key.startsWith(wanted, name) ? 1 : key.includes(wanted, name) ? 2 : 3;
}

export function matchingPaths(all: readonly Candidate[], typed: string): Choice[] {
  const wanted = fold(asWritten(typed));
  const found: { choice: Candidate; rank: number }[] = [];
  for (const choice of all) {
    const fit = rank(choice, wanted);
    if (fit !== null) found.push({ choice, rank: fit });
  }
  found.sort((a, b) => a.rank - b.rank || a.choice.key.length - b.choice.key.length || (a.choice.key < b.choice.key ? -1 : 1));
  return found.slice(0, MOST).map(({ choice: { text, label, note } }) => ({ text, label, note }));
}

/** Globs for the kinds of files in a folder that is typed with its `/`, the most frequent first. */
export function globsBelow(files: readonly ProjectFile[], typed: string): Choice[] {
  const folder = asWritten(typed);
  if (!folder.endsWith('/')) return [];
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (!path.startsWith(folder)) continue;
    const ending = /[^/.][^/]*(\.[^./]+)$/.exec(path)?.[1];
    if (ending && !isGlob(ending)) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  const escaped = folder.replace(/[\\*?[\]{}]/g, '\\$&');
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 2)
    .map(([ending, count]) => ({ text: `${escaped}**/*${ending}`, label: `${escaped}**/*${ending}`, note: writing.properties.glob(count) }));
}

/** What completes an entry. `used`: entries of pages, which come first. */
export class SourceChoices {
  readonly #files: ProjectFiles;
  readonly #used: () => Promise<readonly string[]>;
  #prepared: { list: FileList; all: Candidate[] } | null = null;
  #turn = 0;

  constructor(files: ProjectFiles, used: () => Promise<readonly string[]>) {
    this.#files = files;
    this.#used = used;
  }

  async for(typed: string): Promise<Choice[]> {
    const turn = ++this.#turn;
    const [list, used] = await Promise.all([this.#files.known(), this.#used()]);
    const anchor = /^([^#]+)#(.*)$/.exec(asWritten(typed));
    if (anchor) {
      const [, file = '', name = ''] = anchor;
      return (await this.#files.symbols(file, name, MOST)).map(({ name, kind }) => ({ text: `${file}#${name}`, label: name, note: kind }));
    }
    if (this.#prepared?.list !== list) this.#prepared = { list, all: candidates(list) };
    // A name may have brackets, as in `app/[id]/page.ts`.
    if (isGlob(typed)) return [...matchingPaths(this.#prepared.all, typed).slice(0, MOST / 2), ...(await this.#glob(asWritten(typed), used, turn))];
    const known = used.map((path) => pathChoice(path, isGlob(path) ? 'glob' : writing.properties.usedByPage));
    if (!typed.trim()) return [...matchingPaths(known.filter(({ text }) => isGlob(text)), ''), ...matchingPaths(this.#prepared.all, '')].slice(0, MOST);
    const globs = matchingPaths(known.filter(({ text }) => isGlob(text)), typed).slice(0, 2);
    const below = globsBelow(list.files, typed).filter(({ text }) => !globs.some((glob) => glob.text === text));
    const paths = matchingPaths(list.more > 0 ? await this.#searched(typed, turn) : this.#prepared.all, typed);
    return [...paths.slice(0, MOST - globs.length - below.length), ...globs, ...below];
  }

  /** In a project with more files than a list holds, the engine looks for what is typed. */
  async #searched(typed: string, turn: number): Promise<Candidate[]> {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    return turn === this.#turn ? candidates(await this.#files.search(asWritten(typed))) : [];
  }

  /** The glob itself, with the number of files that it matches, and those of other pages. */
  async #glob(typed: string, used: readonly string[], turn: number): Promise<Choice[]> {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (turn !== this.#turn) return [];
    const others = used.filter((path) => isGlob(path) && path !== typed && path.startsWith(typed)).slice(0, MOST / 2 - 1);
    const counts = await this.#files.matches([typed, ...others]);
    return [typed, ...others].map((glob, at) => ({ text: glob, label: glob, note: writing.properties.glob(counts[at] ?? 0) }));
  }
}

/** How many files entries match. Old answers are used until new ones arrive, so that nothing flickers. */
export class SourceMatches {
  readonly #files: ProjectFiles;
  readonly #onAnswers: () => void;
  readonly #known = new Map<string, { count: number; isFresh: boolean }>();
  readonly #asked = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(files: ProjectFiles, onAnswers: () => void) {
    this.#files = files;
    this.#onAnswers = onAnswers;
  }

  /** The number of files; `undefined` if it is not known yet. */
  of(entry: string): number | undefined {
    const known = this.#known.get(entry);
    if (!known?.isFresh && !this.#asked.has(entry)) {
      this.#asked.add(entry);
      this.#timer ??= setTimeout(() => void this.#ask(), PAUSE);
    }
    return known?.count;
  }

  /** Files may have been added or removed. */
  changed(): void {
    for (const known of this.#known.values()) known.isFresh = false;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    this.#timer = undefined;
    const entries = [...this.#asked];
    this.#asked.clear();
    try {
      const counts = await this.#files.matches(entries);
      entries.forEach((entry, at) => this.#known.set(entry, { count: counts[at] ?? 0, isFresh: true }));
      this.#onAnswers();
    } catch {
      // Without an answer nothing is marked; the next change of the pages asks again.
    }
  }
}
