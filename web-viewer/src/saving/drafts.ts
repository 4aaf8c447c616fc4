// Drafts: text that is not in its file yet, kept in this browser. They are stored in IndexedDB, and in `localStorage` when
// the page is closed, because asynchronous writes would be too late. A draft belongs to the window that wrote it, as long as
// that is open.
import type { Draft } from './saver';

interface KeptDraft extends Draft {
  key: string;
  /** The window that owns it. */
  owner: string;
  /** When it was stored, in milliseconds since 1970. */
  at: number;
}

const STORE = 'drafts';
const PREFIX = 'ubp-draft:';
/** Milliseconds between two writes of a draft, plus the time per thousand characters, because long texts are slow. */
const PAUSE = 80;
const PAUSE_PER_THOUSAND = 2;
const LONGEST_PAUSE = 1_000;

/** The id of this window. It holds a lock, so that others know that it is open. */
const OWNER = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
const lockName = (owner: string) => `ubp-drafts-of-${owner}`;

function holdLock(): void {
  // Without locks, drafts of open windows may be offered twice, but nothing is lost.
  void navigator.locks?.request(lockName(OWNER), () => new Promise(() => {})).catch(() => {});
}

async function livingOwners(): Promise<Set<string>> {
  const held = (await navigator.locks?.query().catch(() => undefined))?.held ?? [];
  return new Set(held.map(({ name }) => name ?? ''));
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The browser does not store drafts.'));
  });
}

export class Drafts {
  readonly #project: string;
  readonly #database: Promise<IDBDatabase | null>;
  readonly #pending = new Map<string, () => Draft | null>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  /** Length of the last stored draft. */
  #length = 0;

  constructor(project: string) {
    this.#project = project;
    holdLock();
    const opening = indexedDB.open('ubp', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: ['key', 'owner'] });
    this.#database = done(opening).catch(() => null);
  }

  #key(page: string): string {
    return `${this.#project}\n${page}`;
  }

  /** Stores the draft after a delay, or deletes the draft of this window if there is none. */
  keep(page: string, draft: () => Draft | null): void {
    this.#pending.set(page, draft);
    if (this.#timers.has(page)) return;
    this.#timers.set(
      page,
      setTimeout(() => {
        this.#timers.delete(page);
        void this.#write(page);
      }, Math.min(LONGEST_PAUSE, PAUSE + (PAUSE_PER_THOUSAND * this.#length) / 1_000)),
    );
  }

  async #write(page: string): Promise<void> {
    const make = this.#pending.get(page);
    if (!make) return;
    this.#pending.delete(page);
    const draft = make();
    this.#length = draft?.text.length ?? 0;
    const key = this.#key(page);
    localStorage.removeItem(`${PREFIX}${OWNER}\n${key}`);
    const database = await this.#database;
    if (!database) {
      if (draft) this.#keepNow(page, draft);
      return;
    }
    const store = database.transaction(STORE, 'readwrite', { durability: 'relaxed' }).objectStore(STORE);
    if (draft) store.put({ key, owner: OWNER, at: Date.now(), ...draft } satisfies KeptDraft);
    else store.delete([key, OWNER]);
  }

  /** Resolves when everything is stored. */
  async flush(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    await Promise.all([...this.#pending.keys()].map((page) => this.#write(page)));
  }

  /** The window may be closed now: stores everything at once. */
  keepNow(): void {
    for (const [page, make] of this.#pending) {
      const draft = make();
      if (draft) this.#keepNow(page, draft);
    }
  }

  #keepNow(page: string, draft: Draft): void {
    const key = this.#key(page);
    try {
      const kept: KeptDraft = { key, owner: OWNER, at: Date.now(), ...draft };
      localStorage.setItem(`${PREFIX}${OWNER}\n${key}`, JSON.stringify(kept));
    } catch {
      // Too long for `localStorage`. IndexedDB has a recent version.
    }
  }

  /** The latest draft of a page whose window is closed. Assigns it to this window. */
  async takeOver(page: string): Promise<Draft | null> {
    const key = this.#key(page);
    const [found, living] = [await this.#all(key), await livingOwners()];
    // Includes drafts of this window, from an editor that was closed while the server was away.
    const left = found.filter(({ owner }) => owner === OWNER || !living.has(lockName(owner))).sort((a, b) => b.at - a.at);
    const [latest] = left;
    if (!latest) return null;
    const draft: Draft = { text: latest.text, base: latest.base };
    // Store it for this window before deleting it for the other one.
    this.#pending.set(page, () => draft);
    await this.#write(page);
    const database = await this.#database;
    const store = database?.transaction(STORE, 'readwrite').objectStore(STORE);
    if (latest.owner !== OWNER) {
      store?.delete([key, latest.owner]);
      localStorage.removeItem(`${PREFIX}${latest.owner}\n${key}`);
    }
    return draft;
  }

  async #all(key: string): Promise<KeptDraft[]> {
    const found: KeptDraft[] = [];
    for (const name of Object.keys(localStorage).filter((name) => name.startsWith(PREFIX) && name.endsWith(`\n${key}`))) {
      try {
        found.push(JSON.parse(localStorage.getItem(name) ?? '') as KeptDraft);
      } catch {
        // Incomplete write: the previous version is in IndexedDB.
      }
    }
    const database = await this.#database;
    if (!database) return found;
    const range = IDBKeyRange.bound([key, ''], [key, '\uffff']);
    return [...found, ...(await done(database.transaction(STORE).objectStore(STORE).getAll(range)))] as KeptDraft[];
  }

  /** A page was renamed: its drafts follow. */
  renamed(from: string, to: string): void {
    const make = this.#pending.get(from);
    this.keep(from, () => null);
    if (make) this.keep(to, make);
  }
}
