// Vectors of texts, kept on the device: computing those of a vault takes minutes, and the index is built anew whenever Obsidian
// starts. They are in the browser's database, because a plugin's folder may be synchronised.
import type { Encoder } from '../../../web-viewer/src/client/engine-thread';

const STORE = 'vectors';
/** Milliseconds after which new vectors are stored. */
const PAUSE = 1_000;
/** Milliseconds without any text after which vectors of former texts are deleted. */
const IDLE = 60_000;

/** Two independent 53-bit hashes: the chance that two of a million texts have the same is below one in 10^19. */
function keyOf(model: string, text: string): string {
  const hash = (seed: number) => {
    let [a, b] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      a = Math.imul(a ^ code, 2654435761);
      b = Math.imul(b ^ code, 1597334677);
    }
    a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
    b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
    return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
  };
  return `${model} ${hash(0)} ${hash(0x9e3779b9)}`;
}

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The database failed.'));
  });

export class VectorCache {
  readonly #database: IDBDatabase | null;
  readonly #known: Map<string, Float32Array>;
  readonly #used = new Set<string>();
  readonly #unsaved = new Map<string, Float32Array>();
  #saving: ReturnType<typeof setTimeout> | undefined;
  #pruning: ReturnType<typeof setTimeout> | undefined;

  private constructor(database: IDBDatabase | null, known: Map<string, Float32Array>) {
    this.#database = database;
    this.#known = known;
  }

  /** Without a database, vectors are computed anew. */
  static async open(name: string): Promise<VectorCache> {
    try {
      const opening = indexedDB.open(name, 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
      const database = await done(opening);
      const store = database.transaction(STORE).objectStore(STORE);
      const [keys, vectors] = await Promise.all([done(store.getAllKeys()), done<unknown[]>(store.getAll())]);
      const known = new Map<string, Float32Array>();
      keys.forEach((key, at) => {
        const vector = vectors[at];
        if (typeof key === 'string' && vector instanceof Float32Array) known.set(key, vector);
      });
      return new VectorCache(database, known);
    } catch {
      return new VectorCache(null, new Map());
    }
  }

  /** The encoder with this cache before it. Vectors of questions are not kept. */
  before(encoder: Encoder): Encoder {
    const { identity, dimensions } = encoder.info();
    return {
      info: () => encoder.info(),
      tokenRanges: (text) => encoder.tokenRanges(text),
      embed: (kind, texts) => {
        if (kind === 'query') return encoder.embed(kind, texts);
        const keys = texts.map((text) => keyOf(identity, text));
        // The same text may occur twice.
        const missing = new Map<string, string>();
        keys.forEach((key, at) => {
          this.#used.add(key);
          if (this.#known.get(key)?.length !== dimensions) missing.set(key, texts[at]!);
        });
        const made = missing.size > 0 ? encoder.embed(kind, [...missing.values()]) : [];
        [...missing.keys()].forEach((key, at) => this.#add(key, made[at]!));
        this.#soon();
        return keys.map((key) => this.#known.get(key)!);
      },
    };
  }

  #add(key: string, vector: Float32Array): void {
    this.#known.set(key, vector);
    this.#unsaved.set(key, vector);
  }

  #soon(): void {
    if (!this.#database) return;
    if (this.#unsaved.size > 0) this.#saving ??= setTimeout(() => this.#save(), PAUSE);
    clearTimeout(this.#pruning);
    this.#pruning = setTimeout(() => this.#prune(), IDLE);
  }

  #save(): void {
    this.#saving = undefined;
    const store = this.#store();
    for (const [key, vector] of this.#unsaved) store?.put(vector, key);
    this.#unsaved.clear();
  }

  /** Every text of the vault was asked for since the start. */
  #prune(): void {
    const store = this.#store();
    for (const key of this.#known.keys()) {
      if (this.#used.has(key)) continue;
      store?.delete(key);
      this.#known.delete(key);
    }
  }

  #store(): IDBObjectStore | undefined {
    try {
      return this.#database?.transaction(STORE, 'readwrite').objectStore(STORE);
    } catch {
      // The database was deleted or closed by the system.
      return undefined;
    }
  }
}
