// What the links of each note lead to, as the engine resolves them: for reading views and editors alike.
import { Component } from 'obsidian';
import { LinkAnswers } from '../../../../web-viewer/src/editor/link-answers';
import type { VaultEngine } from '../engine';

/** Notes without a reader whose answers are kept. */
const KEPT = 30;

interface Note {
  answers: LinkAnswers;
  readers: Set<() => void>;
}

export class LinksOfNotes extends Component {
  readonly #engine: VaultEngine;
  readonly #notes = new Map<string, Note>();

  constructor(engine: VaultEngine) {
    super();
    this.#engine = engine;
  }

  override onload(): void {
    this.register(this.#engine.on('changed', () => this.tellAll()));
  }

  override onunload(): void {
    for (const { answers } of this.#notes.values()) answers.close();
    this.#notes.clear();
  }

  /** All answers may be outdated, or are shown differently. */
  tellAll(): void {
    for (const { answers } of this.#notes.values()) answers.changed();
  }

  /** The answers for a note, by its path in the vault; null if it is outside of the project. */
  of(path: string): LinkAnswers | null {
    return this.#note(path)?.answers ?? null;
  }

  /** Calls `reader` when there are new answers. */
  read(path: string, reader: () => void): () => void {
    const note = this.#note(path);
    note?.readers.add(reader);
    return () => void note?.readers.delete(reader);
  }

  #note(path: string): Note | null {
    const page = this.#engine.pageOf(path);
    if (page === null) return null;
    const known = this.#notes.get(path);
    if (known) return known;
    const readers = new Set<() => void>();
    const note = { answers: new LinkAnswers(this.#engine, () => page, () => readers.forEach((reader) => reader())), readers };
    this.#notes.set(path, note);
    this.#forget();
    return note;
  }

  #forget(): void {
    let extra = this.#notes.size - KEPT;
    for (const [path, { answers, readers }] of this.#notes) {
      if (extra-- <= 1) return;
      if (readers.size > 0) continue;
      answers.close();
      this.#notes.delete(path);
    }
  }
}
