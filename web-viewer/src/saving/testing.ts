// A model of a page that is saved, for tests: timers, a server and a window, each of which goes on when it is told to.
import { expect } from 'vitest';
import type { SaveStatus } from '../editor/mount';
import { FileProblem, Saver, type Draft, type FileText, type PageFile } from './saver';

/** Timers that run on request. */
class ModelTimers {
  time = 0;
  #waiting: { at: number; run: () => void }[] = [];
  now = () => this.time;
  after = (milliseconds: number, run: () => void) => {
    const entry = { at: this.time + milliseconds, run };
    this.#waiting.push(entry);
    return () => void (this.#waiting = this.#waiting.filter((other) => other !== entry));
  };
  get isIdle() {
    return this.#waiting.length === 0;
  }
  pass(milliseconds: number) {
    const end = this.time + milliseconds;
    for (;;) {
      const [first] = this.#waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!first) break;
      this.#waiting = this.#waiting.filter((other) => other !== first);
      this.time = first.at;
      first.run();
    }
    this.time = end;
  }
}

export type Weather = 'fine' | 'gone-before' | 'gone-after' | 'full';

/** A file behind a server: requests and their answers arrive on request. */
export class ModelServer {
  text: string;
  weather: Weather = 'fine';
  isThere = true;
  /** Whether every write updates the time in front matter. */
  completes = false;
  writes = 0;
  open = 0;
  #steps: (() => void)[] = [];
  constructor(text: string) {
    this.text = text;
  }
  static hash = (text: string) => `#${text}`;
  get isQuiet() {
    return this.#steps.length === 0;
  }
  /** Lets request or answer number `which` arrive. */
  step(which: number) {
    this.#steps.splice(which % Math.max(1, this.#steps.length), 1)[0]?.();
  }
  file(): PageFile {
    return {
      read: () =>
        this.#ask(() => {
          if (!this.isThere) throw new FileProblem('gone', 'There is no such file.');
          return { text: this.text, hash: ModelServer.hash(this.text) };
        }),
      create: (text) =>
        this.#ask(() => {
          if (this.weather === 'full') throw new FileProblem('refused', 'No space is left.');
          if (this.isThere) throw new FileProblem('refused', 'There is such a file.');
          this.isThere = true;
          this.text = text;
          return { text, hash: ModelServer.hash(text) };
        }),
      write: (text, expected) =>
        this.#ask(() => {
          if (!this.isThere) throw new FileProblem('gone', 'There is no such file.');
          if (this.weather === 'full') throw new FileProblem('refused', 'No space is left.');
          if (expected !== ModelServer.hash(this.text)) throw new FileProblem('conflict', 'It changed.');
          this.writes++;
          this.text = this.completes ? text.replace(/^(---\nat: )?\d*/, `$1${this.writes}`) : text;
          return { text: this.text, hash: ModelServer.hash(this.text) };
        }),
    };
  }
  async #ask<T>(answer: () => T): Promise<T> {
    this.open++;
    expect(this.open).toBe(1);
    const pause = () => new Promise<void>((resolve) => this.#steps.push(resolve));
    try {
      await pause();
      if (this.weather === 'gone-before') throw new FileProblem('unreachable', 'No answer.');
      const answered = answer();
      await pause();
      if (this.weather === 'gone-after') throw new FileProblem('unreachable', 'No answer.');
      return answered;
    } finally {
      this.open--;
    }
  }
}

export class World {
  timers = new ModelTimers();
  server: ModelServer;
  text = '';
  theirs: string | null = null;
  draft: Draft | null = null;
  status: string[] = [];
  messages: string[] = [];
  notices: string[] = [];
  isComposing = false;
  saver!: Saver;
  constructor(text: string) {
    this.server = new ModelServer(text);
    this.open();
  }
  /** Opens the page again, as after a crash: only the draft is left. */
  open() {
    const known: FileText = { text: this.server.text, hash: ModelServer.hash(this.server.text) };
    this.text = known.text;
    this.theirs = null;
    this.server.open = 0;
    const draft = this.draft;
    const self: { saver?: Saver } = {};
    const isMine = () => self.saver === undefined || this.saver === self.saver || this.saver === undefined;
    const buffer = {
      text: () => this.text,
      adopt: (adopted: string) => {
        expect(this.isComposing, 'the text was changed in the middle of a composition').toBe(false);
        if (isMine()) this.text = adopted;
      },
      showConflict: (theirs: string | null) => void (isMine() && (this.theirs = theirs)),
    };
    const events = {
      onStatus: ({ state, message }: SaveStatus) => {
        if (!isMine()) return;
        this.status.push(state);
        this.messages.push(message);
      },
      onNotice: (notice: string) => void this.notices.push(notice),
      onDraft: (make: () => Draft | null) => void (isMine() && (this.draft = make())),
    };
    const saver = new Saver(this.server.file(), buffer, known, this.timers, events);
    self.saver = saver;
    this.saver = saver;
    if (draft) saver.takeUp(draft);
  }
  compose(isComposing: boolean) {
    this.isComposing = isComposing;
    this.saver.composing(isComposing);
  }
  crash() {
    this.isComposing = false;
    this.saver.close();
    // A deleted page cannot be opened.
    this.server = Object.assign(new ModelServer(this.server.text), { completes: this.server.completes, writes: this.server.writes });
    this.open();
  }
  type(at: number, typed: string, how: 'typed' | 'pasted' = 'typed') {
    const place = at % (this.text.length + 1);
    this.text = this.text.slice(0, place) + typed + this.text.slice(place);
    this.saver.edited(how);
  }
  /** Lets all requests and answers arrive. */
  async settleSteps() {
    for (let round = 0; round < 20; round++) {
      await tick();
      this.server.step(0);
    }
  }
  async settle() {
    for (let round = 0; round < 400; round++) {
      await tick();
      if (!this.server.isQuiet) this.server.step(0);
      else if (this.theirs !== null || (this.status.at(-1) === 'gone' && this.timers.isIdle)) return;
      else if (this.timers.isIdle && this.saver.isSettled) return;
      else this.timers.pass(1_000);
    }
    throw new Error(`it does not come to rest: ${this.status.slice(-6).join(' ')}`);
  }
}

export const tick = async () => {
  for (let turn = 0; turn < 12; turn++) await Promise.resolve();
};
