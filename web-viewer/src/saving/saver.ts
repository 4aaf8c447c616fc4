// Saves the text of one page and follows its file. It decides when to write, adopts changes of the file if there are no
// unsaved edits, merges edits of both sides, and asks a person about conflicts. No accepted letter is ever lost: it is in
// the file, in a pending request, or in the draft.
import { mergeTexts } from './merge';
import type { SaveStatus } from '../editor/mount';
import { writing } from '../words/writing';

/** A file as read: the hash belongs to the text. */
export interface FileText {
  text: string;
  hash: string;
}

/** The answer to a write. */
export interface WrittenText extends FileText {
  /** Whether the text was only proposed: a person decides, and the file is as before. */
  isProposed?: boolean;
}

export type Problem =
  /** The file does not match `expectedHash`; nothing was written. */
  | 'conflict'
  /** No answer: the write may have succeeded, or may still succeed. */
  | 'unreachable'
  /** It was rejected; nothing was written. */
  | 'refused'
  /** The file does not exist. */
  | 'gone';

export class FileProblem extends Error {
  constructor(
    readonly problem: Problem,
    message: string,
  ) {
    super(message);
  }
}

/** The file of a page. All methods reject with a `FileProblem`. */
export interface PageFile {
  read(): Promise<FileText>;
  /** Writes if the file matches `expectedHash`; resolves to the new file, which the engine may have completed. */
  write(text: string, expectedHash: string): Promise<WrittenText>;
  /** Creates the deleted file again and resolves to it. Never overwrites a file that came back. */
  create(text: string): Promise<FileText>;
}

/** The text in the editor. */
export interface Buffer {
  text(): string;
  /** Changes it to this text with the smallest change, so that cursor, selection and undo history are kept. */
  adopt(text: string): void;
  /** Shows the conflicts with `theirs`, each with a choice; null removes them. */
  showConflict(theirs: string | null): void;
}

/** Text that may not be in the file yet. */
export interface Draft {
  text: string;
  /** The file when the edits began. */
  base: FileText;
}

export interface Timers {
  /** Milliseconds, from any origin. */
  now(): number;
  after(milliseconds: number, run: () => void): () => void;
}

export interface SaverEvents {
  onStatus(status: SaveStatus): void;
  /** Reports an event about the text to the user. */
  onNotice(text: string): void;
  /** Stores or deletes the draft; called often, so the implementation may delay it. */
  onDraft(draft: () => Draft | null): void;
}

const AFTER_TYPING = 300;
/** Also the limit during continuous typing, and the delay of the first retry. */
const IDLE = 2000;
const LONGEST_WAIT = 30_000;
/** Maximum number of texts that may or may not have been written. */
const MOST_IN_DOUBT = 16;

export class Saver {
  readonly #file: PageFile;
  readonly #buffer: Buffer;
  readonly #timers: Timers;
  readonly #events: SaverEvents;
  /** The last adopted version of the file. */
  #known: FileText;
  #inDoubt: string[] = [];
  /** The conflicting version of the file. `isWhole`: every difference needs a choice, not only conflicts. */
  #conflict: { theirs: FileText; isWhole: boolean } | null = null;
  /** Whether the file is deleted. */
  #isGone = false;
  #mustCreate = false;
  /** Why the file could not be restored. */
  #refusal = '';
  #isDirty = false;
  #dirtySince = 0;
  #isComposing = false;
  #mustRead = false;
  #mustWrite = false;
  #failures = 0;
  #running: Promise<void> | null = null;
  #cancelSave: (() => void) | null = null;
  #cancelRetry: (() => void) | null = null;
  #isClosed = false;
  /** Whether somebody else keeps text and file in sync. */
  #isParked = false;
  /** Whether edits are written only when the user asks. */
  readonly #isHeld: boolean;

  constructor(file: PageFile, buffer: Buffer, known: FileText, timers: Timers, events: SaverEvents, isHeld = false) {
    this.#isHeld = isHeld;
    this.#file = file;
    this.#buffer = buffer;
    this.#known = known;
    this.#timers = timers;
    this.#events = events;
  }

  /** Whether the file contains the text. */
  get isSettled(): boolean {
    return !this.#isDirty && !this.#conflict && !this.#running;
  }

  /** Whether there are edits that are not in the last known version of the file. */
  get hasEdits(): boolean {
    return this.#buffer.text() !== this.#known.text;
  }

  get hasConflict(): boolean {
    return this.#conflict !== null;
  }

  /** Restores a leftover draft after the file was opened as `known`. */
  takeUp(draft: Draft): void {
    const now = this.#known;
    // An unedited draft was only kept because the file was deleted.
    const isUnedited = draft.text === draft.base.text;
    if (isUnedited || draft.text === now.text) return this.#events.onDraft(() => null);
    this.#setDirty();
    if (draft.base.hash === now.hash || draft.base.text === now.text) {
      this.#buffer.adopt(draft.text);
      this.#events.onNotice(writing.saving.restored);
      this.#tell('unsaved');
      this.#scheduleSave(AFTER_TYPING);
      return;
    }
    // The file changed since, perhaps long ago: every edit needs a choice.
    this.#known = draft.base;
    this.#buffer.adopt(mergeTexts(draft.base.text, draft.text, now.text).ours);
    this.#ask(now, now.text, true);
  }

  /** The user changed the text. */
  edited(how: 'typed' | 'pasted' = 'typed'): void {
    if (this.#isClosed || this.#isParked) return;
    this.#setDirty();
    this.#keepDraft();
    if (this.#conflict || this.#isGone) return;
    if (!this.#cancelRetry) this.#tell('unsaved');
    if (how === 'pasted' && !this.#isHeld) return void this.save();
    this.#scheduleSave(Math.min(AFTER_TYPING, Math.max(0, this.#dirtySince + IDLE - this.#timers.now())));
  }

  /** During a composition, the text is neither read nor changed. */
  composing(isComposing: boolean): void {
    this.#isComposing = isComposing;
    if (!isComposing) void this.#run();
  }

  /** Saves now, unless there is a conflict or the file is deleted. Resolves when it is done or impossible. */
  save(isAsked = false): Promise<void> {
    this.#cancelTimers();
    if (this.#inDoubt.length > 0) this.#mustRead = true;
    if (this.#isDirty && (isAsked || !this.#isHeld)) this.#mustWrite = true;
    return this.#run();
  }

  /** The page is about to be closed, perhaps during a composition. */
  leave(): Promise<void> {
    this.#isComposing = false;
    return this.save();
  }

  /**
   * Saves, and leaves text and file to somebody else. Resolves to the file, which may lack recent edits; null if that is not
   * possible now, because there is a conflict or a problem.
   */
  async park(): Promise<FileText | null> {
    await this.save();
    if (this.#isClosed || this.#isParked || this.#isComposing || this.#conflict || this.#isGone || this.#running || this.#inDoubt.length > 0 || this.#failures > 0 || !this.#known.hash) return null;
    this.#isParked = true;
    this.#isDirty = false;
    this.#cancelTimers();
    return this.#known;
  }

  /** Goes on, with a version that the file has or had. What the text has more is saved. */
  unpark(known: FileText): Promise<void> {
    this.#isParked = false;
    this.#known = known;
    this.#inDoubt = [];
    this.#failures = 0;
    this.#mustRead = true;
    if (this.hasEdits) this.#resume();
    this.#keepDraft();
    return this.#run();
  }

  /** The file may have changed. */
  fileChanged(): Promise<void> {
    this.#mustRead = true;
    return this.#run();
  }

  /** All conflicts are resolved: the text is the result. */
  resolve(): Promise<void> {
    if (!this.#conflict) return Promise.resolve();
    this.#known = this.#conflict.theirs;
    this.#endConflict();
    this.#setDirty();
    if (this.#isHeld) this.#tell('unsaved');
    return this.save();
  }

  /** Restores the deleted file with the current text. Resolves when it is done or impossible. */
  restore(): Promise<void> {
    this.#mustCreate = this.#isGone;
    return this.#run();
  }

  /** Discards the edits that are not in the file. */
  letGo(): void {
    this.close();
    this.#events.onDraft(() => null);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimers();
  }

  /** Runs one request at a time; its answer is processed before the next request. */
  #run(): Promise<void> {
    this.#running ??= this.#work().then(() => {
      this.#running = null;
      // Requests made while the last answer was processed.
      if (this.#next) return this.#run();
    });
    return this.#running;
  }

  get #next(): 'read' | 'create' | 'write' | null {
    if (this.#isClosed || this.#isParked || this.#isComposing) return null;
    const writes = this.#mustWrite && !this.#conflict && !this.#isGone;
    if (this.#mustRead || (writes && !this.#known.hash)) return 'read';
    if (this.#mustCreate) return 'create';
    return writes ? 'write' : null;
  }

  async #work(): Promise<void> {
    for (let next = this.#next; next; next = this.#next) {
      if (next === 'read') {
        this.#mustRead = false;
        await this.#pull();
      } else if (next === 'create') {
        this.#mustCreate = false;
        await this.#create();
      } else {
        this.#mustWrite = false;
        await this.#push();
      }
    }
  }

  async #push(): Promise<void> {
    const text = this.#buffer.text();
    if (text === this.#known.text && this.#inDoubt.length === 0) return this.#settle();
    this.#tell('saving');
    this.#inDoubt.push(text);
    try {
      this.#written(text, await this.#file.write(text, this.#known.hash));
    } catch (error) {
      const problem = asProblem(error);
      if (problem.problem !== 'unreachable') this.#inDoubt.pop();
      this.#inDoubt = this.#inDoubt.slice(-MOST_IN_DOUBT);
      if (problem.problem !== 'conflict') return this.#fail(problem);
      this.#mustRead = true;
      this.#mustWrite = true;
    }
  }

  async #create(): Promise<void> {
    const text = this.#buffer.text();
    this.#inDoubt.push(text);
    try {
      const written = await this.#file.create(text);
      this.#endConflict();
      this.#written(text, written);
    } catch (error) {
      const problem = asProblem(error);
      if (problem.problem === 'unreachable') return this.#fail(problem);
      this.#inDoubt.pop();
      this.#refusal = problem.message;
      // The file may exist again.
      this.#mustRead = true;
    }
  }

  #written(text: string, written: WrittenText): void {
    if (this.#isClosed) return;
    this.#isGone = false;
    this.#inDoubt = [];
    this.#failures = 0;
    if (written.isProposed) {
      // The draft is kept until a person has decided.
      this.#keepDraft();
      return this.#tell(this.#buffer.text() === text ? 'proposed' : 'unsaved');
    }
    if (written.text !== text) {
      // Treat the engine's completion as an edit by someone else of this text.
      this.#known = { text, hash: '' };
      return this.#take(written);
    }
    this.#known = written;
    if (this.#buffer.text() === text) return this.#settle();
    this.#dirtySince = this.#timers.now();
    this.#keepDraft();
    this.#tell('unsaved');
    this.#scheduleSave(AFTER_TYPING);
  }

  async #pull(): Promise<void> {
    let found: FileText;
    try {
      found = await this.#file.read();
    } catch (error) {
      return this.#fail(asProblem(error));
    }
    this.#take(found);
  }

  #take(found: FileText): void {
    if (this.#isClosed) return;
    // A composition started during the request: read again when it ends, because the answer may be outdated then.
    if (this.#isComposing) {
      this.#mustRead = true;
      return;
    }
    const wasStuck = this.#cancelRetry !== null || this.#inDoubt.length > 0 || this.#isGone;
    this.#isGone = false;
    this.#mustCreate = false;
    this.#refusal = '';
    if (this.#cancelRetry) this.#cancelTimers();
    this.#failures = 0;
    const ours = this.#buffer.text();
    if (found.text === ours) {
      this.#known = found;
      this.#inDoubt = [];
      this.#endConflict();
      return this.#settle();
    }
    if (this.#conflict) return this.#pullInConflict(this.#conflict, found, ours);
    // A write without an answer did succeed.
    if (this.#inDoubt.includes(found.text)) this.#known = found;
    const known = this.#known;
    if (found.hash === known.hash) {
      this.#known = found;
      if (wasStuck) this.#resume();
      else if (this.#isDirty && !this.#cancelSave) this.#scheduleSave(AFTER_TYPING);
      return;
    }
    if (ours === known.text) {
      this.#known = found;
      this.#buffer.adopt(found.text);
      return this.#settle();
    }
    const merged = mergeTexts(known.text, ours, found.text);
    this.#buffer.adopt(merged.ours);
    if (merged.ours !== merged.theirs) return this.#ask(found, merged.theirs, false);
    this.#takeIn(found, known.hash ? writing.saving.merged : '');
  }

  #pullInConflict({ theirs, isWhole }: { theirs: FileText; isWhole: boolean }, found: FileText, ours: string): void {
    if (found.hash === theirs.hash) return this.#tellConflict();
    const merged = mergeTexts(this.#known.text, ours, found.text);
    this.#buffer.adopt(merged.ours);
    if (isWhole) return this.#ask(found, found.text, true);
    if (merged.ours !== merged.theirs) return this.#ask(found, merged.theirs, false);
    this.#endConflict();
    this.#takeIn(found, writing.saving.mergedAgain);
  }

  /** The text contains the file's version and more. */
  #takeIn(found: FileText, notice: string): void {
    this.#known = found;
    if (this.#buffer.text() === found.text) return this.#settle();
    this.#resume();
    this.#keepDraft();
    if (notice) this.#events.onNotice(notice);
  }

  /** Saves unsaved edits. */
  #resume(): void {
    this.#setDirty();
    if (this.#isHeld) this.#tell('unsaved');
    else this.#mustWrite = true;
  }

  #ask(theirs: FileText, shown: string, isWhole: boolean): void {
    this.#conflict = { theirs, isWhole };
    this.#mustWrite = false;
    this.#cancelTimers();
    this.#setDirty();
    this.#keepDraft();
    this.#buffer.showConflict(shown);
    this.#tellConflict();
  }

  #tellConflict(): void {
    this.#tell('conflict', writing.saving.conflict);
  }

  #endConflict(): void {
    if (!this.#conflict) return;
    this.#conflict = null;
    this.#buffer.showConflict(null);
  }

  #settle(): void {
    this.#isDirty = false;
    this.#cancelTimers();
    this.#events.onDraft(() => null);
    this.#tell('saved');
  }

  #fail({ problem, message }: FileProblem): void {
    if (this.#isClosed) return;
    if (problem === 'gone') return this.#lose();
    this.#keepDraft();
    this.#cancelTimers();
    const wait = Math.min(IDLE * 2 ** this.#failures++, LONGEST_WAIT);
    this.#cancelRetry = this.#timers.after(wait, () => {
      this.#cancelRetry = null;
      this.#mustRead = true;
      this.#mustWrite = this.#isDirty && !this.#isHeld;
      void this.#run();
    });
    this.#tell(problem === 'unreachable' ? 'offline' : 'failed', message);
  }

  /** The file is deleted. A file event reports when it exists again. */
  #lose(): void {
    this.#isGone = true;
    this.#failures = 0;
    this.#cancelTimers();
    // This text may not exist anywhere else.
    this.#setDirty();
    this.#keepDraft();
    this.#tell('gone', this.#refusal);
    this.#refusal = '';
  }

  #setDirty(): void {
    if (this.#isDirty) return;
    this.#isDirty = true;
    this.#dirtySince = this.#timers.now();
  }

  #keepDraft(): void {
    if (!this.#isDirty) return;
    this.#events.onDraft(() => (this.#isDirty ? { text: this.#buffer.text(), base: this.#known } : null));
  }

  #scheduleSave(wait: number): void {
    if (this.#cancelRetry || this.#isHeld) return;
    this.#cancelSave?.();
    this.#cancelSave = this.#timers.after(wait, () => {
      this.#cancelSave = null;
      this.#mustWrite = true;
      void this.#run();
    });
  }

  #cancelTimers(): void {
    this.#cancelSave?.();
    this.#cancelSave = null;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
  }

  #tell(state: SaveStatus['state'], message = ''): void {
    this.#events.onStatus({ state, message });
  }
}

function asProblem(error: unknown): FileProblem {
  return error instanceof FileProblem ? error : new FileProblem('refused', error instanceof Error ? error.message : String(error));
}
