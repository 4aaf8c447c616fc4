// One page that may be edited together with others. Alone, its saver keeps text and file in sync. When somebody else comes, the
// server takes over: each change goes to it as it is made, and it saves the file. If that ends, in any way, the saver goes on
// from the last text that was in the file for certain, so nothing depends on the server's memory.
import { collab, getSyncedVersion, receiveUpdates, sendableUpdates } from '@codemirror/collab';
import { ChangeSet, Text, Transaction, type EditorState, type TransactionSpec } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { mergeTexts } from '../../saving/merge';
import type { Draft, FileText } from '../../saving/saver';
import { leastChange } from '../least-change';
import type { Guest, SaveStatus } from '../mount';
import { writing } from '../../words/writing';
import { Connection } from './connection';
import { AGENT_COLOUR, COLOURS, cursorOf, dropCursor, guests, keepCursors, putCursor } from './cursors';
import type { Member, Said, Told, UpdateMessage } from './messages';
import { sharing } from './place';

/** The page in the editor, and its saver. */
export interface SharedHost {
  address: string;
  path(): string;
  name(): string;
  state(): EditorState;
  /** Makes a change that is not the user's. */
  update(make: (state: EditorState) => TransactionSpec): void;
  /** Saves, and then stops the saver. Null if that is not possible now. */
  park(): Promise<FileText | null>;
  /** Starts the saver again, with a text that the file has or had. */
  unpark(known: FileText): Promise<void>;
  onStatus(status: SaveStatus): void;
  onDraft(draft: () => Draft | null): void;
  onGuests(guests: readonly Guest[]): void;
  onMoved(page: string): void;
  /** An agent changed the page, at this place if it is known. */
  onAgent(name: string, place: number | null): void;
  /** What is at the top of the window; null while the page is not on screen. */
  top(): number | null;
  /** Scrolls there. */
  scrollTo(top: number): void;
  /** The person that this window follows, while it does. */
  onFollowing(guest: Guest | null): void;
  /** The person that this window follows shows another page. */
  onWent(page: string, window: string): void;
  /** The person that this window followed to this page. */
  followed(): string | null;
}

interface Session {
  epoch: string;
  version: number;
  /** The text of `version`. */
  confirmed: Text;
  /** The text of the file, and the version that has it. */
  saved: { version: number; text: Text; hash: string };
  /** Texts of later versions. */
  texts: Map<number, Text>;
  /** The last version with a change of this window. */
  lastOwn: number;
  /** Recent changes, for cursors in earlier versions. */
  recent: { version: number; changes: ChangeSet }[];
  isPushing: boolean;
  trouble: string;
}

const MOST_RECENT = 300;
/** Milliseconds between two reports of the cursor. */
const CURSOR_PAUSE = 60;
/** Milliseconds between two reports of what is on screen. */
const VIEW_PAUSE = 100;
/** Identifies this window for those who follow it. */
const WINDOW = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
/** The id of the cursor of agents, which no window has. */
const AGENT = -1;
/** Milliseconds until somebody who left is not expected on another page. */
const GONE = 3_000;
/** Milliseconds for which the cursor of an agent is shown. */
const AGENT_STAYS = 6_000;
/** Milliseconds without connection until that is shown, if nothing was typed. */
const LATE = 1_500;
/** Milliseconds that leaving the page waits for the server. */
const FAREWELL = 4_000;

export class SharedPage {
  readonly #host: SharedHost;
  readonly #connection: Connection;
  readonly #client = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  #session: Session | null = null;
  #members: readonly Member[] = [];
  /** Messages during a composition. They must not change the text. */
  #waiting: Told[] = [];
  #isComposing = false;
  #isTaking = false;
  /** Whether to come back to the others once the saver is done. */
  #mustReturn = false;
  #isLeft = false;
  #pointed = '';
  #pointing: ReturnType<typeof setTimeout> | undefined;
  #late: ReturnType<typeof setTimeout> | undefined;
  #isLate = false;
  #turn = 0;
  #viewing: ReturnType<typeof setTimeout> | undefined;
  #viewed = '';
  /** What others have at the top of their windows, in the version that they told. */
  readonly #views = new Map<number, { version: number; top: number }>();
  #followed: number | null = null;
  #leaving: ReturnType<typeof setTimeout> | undefined;
  readonly #windows = new Map<number, string>();
  readonly #settled = new Set<() => void>();

  constructor(host: SharedHost) {
    this.#host = host;
    this.#connection = new Connection(host.address, {
      hello: () => this.#hello(),
      onTold: (told) => this.#hear(told),
      onLost: () => this.#lose(),
    });
  }

  /** Whether the server saves the page. */
  get isShared(): boolean {
    return this.#session !== null;
  }

  get isSettled(): boolean {
    const session = this.#session;
    return !session || (this.#unsent.length === 0 && session.lastOwn <= session.saved.version);
  }

  get #unsent() {
    return this.#session ? sendableUpdates(this.#host.state()) : [];
  }

  #hello(): Said {
    const session = this.#session;
    if (session) session.isPushing = false;
    this.#pointed = '';
    const known = session ? { epoch: session.epoch, version: session.version } : {};
    return { type: 'join', page: this.#host.path(), client: this.#client, name: this.#host.name(), window: WINDOW, ...known };
  }

  #hear(told: Told): void {
    this.#waiting.push(told);
    void this.#take();
  }

  /** Processes messages in their order, one at a time. */
  async #take(): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      while (!this.#isComposing && !this.#isLeft) {
        const told = this.#waiting.shift();
        if (!told) break;
        await this.#process(told);
      }
    } finally {
      this.#isTaking = false;
    }
    this.#push();
    this.#tell();
  }

  async #process(told: Told): Promise<void> {
    switch (told.type) {
      case 'here':
        return this.#meet(told.you, told.members);
      case 'share':
        return this.#enter(told);
      case 'alone':
      case 'ended':
        // Nothing is shared any more. The others come back in the same way.
        this.#mustReturn = told.type === 'ended';
        return this.#exit();
      case 'refused':
        // A push that does not fit: start again from the text of the server.
        this.#mustReturn = told.code !== 'full';
        return this.#exit();
      case 'resumed': {
        const session = this.#session;
        this.#isLate = false;
        clearTimeout(this.#late);
        if (session) this.#note(told.saved, told.hash);
        return;
      }
      case 'updates':
        return this.#receive(told);
      case 'saved':
        if (this.#session) this.#session.trouble = '';
        return this.#note(told.version, told.hash);
      case 'trouble':
        if (this.#session) this.#session.trouble = told.message;
        return;
      case 'cursor':
        return this.#show(told);
      case 'view':
        this.#views.set(told.id, told);
        if (told.id === this.#followed) this.#scroll();
        return;
      case 'went': {
        const window = this.#windows.get(told.id);
        this.#views.delete(told.id);
        if (told.id !== this.#followed || window === undefined) return;
        this.follow(null);
        return this.#host.onWent(told.page, window);
      }
      case 'by':
        return this.#credit(told.name, told.version);
      case 'moved':
        return this.#host.onMoved(told.page);
    }
  }

  #meet(you: number, members: readonly Member[]): void {
    this.#members = members.filter(({ id }) => id !== you);
    this.#host.onGuests(this.#members.map((member) => ({ id: member.id, ...this.#looks(member) })));
    if (this.#session) this.#host.update(() => ({ effects: keepCursors.of(new Map(this.#members.map((member) => [member.id, this.#looks(member)]))) }));
    // Who has just come does not know where the cursor is.
    [this.#pointed, this.#viewed] = ['', ''];
    this.#point();
    this.scrolled();
    const wanted = this.#host.followed();
    for (const { id, window } of this.#members) {
      this.#windows.set(id, window);
      if (window && window === wanted) this.follow(id);
    }
    const isHere = this.#members.some(({ id }) => id === this.#followed);
    // Who leaves may only go to another page, of which the server tells in a moment.
    if (this.#followed !== null && !isHere) this.#leaving = setTimeout(() => this.follow(null), GONE);
    else clearTimeout(this.#leaving);
  }

  /** Follows what somebody has on screen; null for nobody. */
  follow(id: number | null): void {
    clearTimeout(this.#leaving);
    if (this.#followed === id) return;
    const member = this.#members.find((member) => member.id === id);
    this.#followed = member ? id : null;
    this.#host.onFollowing(member ? { id: member.id, ...this.#looks(member) } : null);
    this.#scroll();
  }

  /** The window was scrolled. */
  scrolled(): void {
    this.#viewing ??= setTimeout(() => {
      this.#viewing = undefined;
      const top = this.#host.top();
      // Two that follow each other would move each other.
      if (!this.#session || this.#followed !== null || top === null || this.#unsent.length > 0) return;
      const version = getSyncedVersion(this.#host.state());
      if (this.#viewed === `${version} ${top}`) return;
      this.#viewed = `${version} ${top}`;
      this.#connection.send({ type: 'view', version, top });
    }, VIEW_PAUSE);
  }

  #scroll(): void {
    const view = this.#followed === null ? undefined : this.#views.get(this.#followed);
    const top = view && this.#placeNow(view.version, view.top);
    if (top !== undefined && top !== null) this.#host.scrollTo(top);
  }

  /** The last change came from the disk, and an agent made it. */
  #credit(name: string, version: number): void {
    const update = this.#session?.recent.find((update) => update.version === version);
    let end: number | null = null;
    update?.changes.iterChanges((_fromA, _toA, _fromB, toB) => (end ??= toB));
    const place = end === null ? null : this.#placeNow(version, end);
    if (place !== null) {
      const turn = ++this.#turn;
      this.#host.update(() => ({ effects: putCursor.of({ id: AGENT, name, colour: AGENT_COLOUR, anchor: place, head: place, turn }) }));
      setTimeout(() => {
        if (this.#session && this.#turn >= turn) this.#host.update(() => ({ effects: dropCursor.of({ id: AGENT, turn }) }));
      }, AGENT_STAYS);
    }
    this.#host.onAgent(name, place);
  }

  #looks({ name, number }: Member): { name: string; colour: number } {
    return { name: name || writing.editor.guest(number), colour: (number - 1) % COLOURS };
  }

  /** Takes over the text of the server, with everything that was typed here. */
  async #enter({ epoch, version, text, saved, hash }: Extract<Told, { type: 'share' }>): Promise<void> {
    const before = this.#session;
    const known = before ? { text: before.saved.text.toString(), hash: before.saved.hash } : await this.#host.park();
    if (!known) {
      this.#mustReturn = true;
      return;
    }
    this.#session = null;
    if (this.#isLeft) return this.#host.unpark(known);
    const ours = this.#host.state().doc.toString();
    const merged = mergeTexts(known.text, ours, text);
    if (merged.ours !== merged.theirs) {
      // The saver shows both versions, and asks.
      this.#mustReturn = true;
      this.#host.update(() => ({ effects: sharing.reconfigure([]) }));
      return this.#host.unpark(known);
    }
    const confirmed = Text.of(text.split('\n'));
    // If the file is behind, the text that it has is not known: the last one that was there is older, which is safe.
    const inFile = saved === version ? { version, text: confirmed, hash } : { version: saved, text: Text.of(known.text.split('\n')), hash: known.hash };
    this.#session = { epoch, version, confirmed, saved: inFile, texts: new Map([[version, confirmed]]), lastOwn: 0, recent: [], isPushing: false, trouble: '' };
    const quietly = Transaction.addToHistory.of(false);
    this.#host.update(() => ({ effects: sharing.reconfigure([]) }));
    this.#host.update(() => ({
      changes: leastChange(ours, text),
      effects: sharing.reconfigure([
        collab({ startVersion: version, clientID: this.#client }),
        guests,
        EditorView.updateListener.of((update) => {
          if (update.selectionSet || update.focusChanged) this.#point();
          if (update.viewportChanged || update.geometryChanged) this.scrolled();
        }),
      ]),
      annotations: quietly,
    }));
    if (merged.ours !== text) this.#host.update(() => ({ changes: leastChange(text, merged.ours), annotations: quietly }));
    this.#mustReturn = false;
  }

  /** The saver goes on. */
  async #exit(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    this.#session = null;
    this.#host.update(() => ({ effects: sharing.reconfigure([]) }));
    this.#host.onGuests(this.#members.map((member) => ({ id: member.id, ...this.#looks(member) })));
    await this.#host.unpark({ text: session.saved.text.toString(), hash: session.saved.hash });
  }

  /** The saver has done its work: comes back to the others. */
  saverSettled(): void {
    if (!this.#mustReturn || this.#session || this.#isLeft) return;
    this.#mustReturn = false;
    this.#connection.reconnect();
  }

  #receive({ version, updates }: UpdateMessage): void {
    const session = this.#session;
    if (!session) return;
    // After a pause, some may be known.
    const fresh = updates.slice(Math.max(0, session.version - version));
    if (version > session.version) return this.#connection.reconnect();
    if (fresh.length === 0) return;
    const received = fresh.map(({ client, changes }) => ({ clientID: client, changes: ChangeSet.fromJSON(changes) }));
    for (const { clientID, changes } of received) {
      session.version++;
      session.confirmed = changes.apply(session.confirmed);
      session.texts.set(session.version, session.confirmed);
      session.recent.push({ version: session.version, changes });
      if (clientID !== this.#client) continue;
      session.lastOwn = session.version;
      session.isPushing = false;
    }
    session.recent.splice(0, session.recent.length - MOST_RECENT);
    // One after the other, as the server does it: over all of them as one change, the result could differ.
    for (const update of received) this.#host.update((state) => receiveUpdates(state, [update]));
    // Who types is where the text changes.
    const last = received.at(-1);
    const author = last && this.#members.find(({ client }) => client === last.clientID);
    if (last && author) {
      let end: number | null = null;
      last.changes.iterChanges((_fromA, _toA, _fromB, toB) => (end = toB));
      if (end !== null) this.#show({ id: author.id, version: session.version, anchor: end, head: end });
    }
  }

  #note(version: number, hash: string): void {
    const session = this.#session;
    const text = session?.texts.get(version);
    if (!session || !text) return;
    session.saved = { version, text, hash };
    for (const older of session.texts.keys()) if (older < version) session.texts.delete(older);
  }

  #show({ id, version, anchor, head }: { id: number; version: number; anchor: number; head: number }): void {
    const member = this.#members.find((member) => member.id === id);
    const [from, to] = [this.#placeNow(version, anchor), this.#placeNow(version, head)];
    if (!member || from === null || to === null) return;
    this.#host.update(() => ({ effects: putCursor.of({ id, ...this.#looks(member), anchor: from, head: to, turn: ++this.#turn }) }));
  }

  /** Where a place in the text of a version is in the text here; null if that is not known. */
  #placeNow(version: number, place: number): number | null {
    const session = this.#session;
    const first = session?.recent[0]?.version ?? session?.version;
    if (!session || first === undefined || version < first - 1 || version > session.version) return null;
    const later = [...session.recent.filter((update) => update.version > version), ...this.#unsent];
    try {
      const now = later.reduce((at, { changes }) => changes.mapPos(at, -1), place);
      return now <= this.#host.state().doc.length ? now : null;
    } catch {
      // A place outside of the text is shown nowhere.
      return null;
    }
  }

  /** Reports the cursor, once the server knows the text around it. */
  #point(): void {
    this.#pointing ??= setTimeout(() => {
      this.#pointing = undefined;
      if (!this.#session || this.#isComposing || this.#unsent.length > 0) return;
      const state = this.#host.state();
      const { anchor, head } = state.selection.main;
      const version = getSyncedVersion(state);
      if (this.#pointed === `${version} ${anchor} ${head}`) return;
      this.#pointed = `${version} ${anchor} ${head}`;
      this.#connection.send({ type: 'cursor', version, anchor, head });
    }, CURSOR_PAUSE);
  }

  #push(): void {
    const session = this.#session;
    if (!session || session.isPushing || this.#isComposing || this.#isTaking || !this.#connection.isOpen) return;
    const unsent = this.#unsent;
    if (unsent.length === 0) return this.#point();
    session.isPushing = true;
    this.#connection.send({ type: 'push', version: session.version, updates: unsent.map(({ changes }) => changes.toJSON() as unknown) });
  }

  /** The user changed the text. */
  edited(): void {
    this.#push();
    this.#tell();
  }

  composing(isComposing: boolean): void {
    this.#isComposing = isComposing;
    if (!isComposing) void this.#take();
  }

  #lose(): void {
    this.#waiting = this.#waiting.filter(({ type }) => type !== 'here');
    clearTimeout(this.#late);
    this.#late = setTimeout(() => {
      this.#isLate = true;
      this.#tell();
    }, LATE);
    this.#tell();
  }

  reconnect(): void {
    this.#connection.reconnect();
  }

  named(): void {
    this.#connection.send({ type: 'name', name: this.#host.name() });
  }

  /** The place of somebody's cursor. */
  placeOf(view: EditorView, id: number): number | null {
    return cursorOf(view, id);
  }

  #tell(): void {
    const session = this.#session;
    if (!session) return;
    const isSent = this.#unsent.length === 0;
    this.#host.onDraft(() => {
      const now = this.#session;
      return now && this.#unsent.length > 0 ? { text: this.#host.state().doc.toString(), base: { text: now.confirmed.toString(), hash: '' } } : null;
    });
    if (!this.#connection.isOpen && (!isSent || this.#isLate)) this.#host.onStatus({ state: 'offline', message: writing.editor.apart });
    else if (session.trouble) this.#host.onStatus({ state: 'failed', message: session.trouble });
    else this.#host.onStatus({ state: this.isSettled ? 'saved' : 'unsaved', message: '' });
    if (this.isSettled || !this.#connection.isOpen) {
      for (const done of this.#settled) done();
      this.#settled.clear();
    }
  }

  /** Saves now. Resolves when it is done or impossible. */
  async save(): Promise<void> {
    this.#isComposing = false;
    await this.#take();
    if (!this.#session || !this.#connection.isOpen) return;
    const isDone = this.isSettled;
    this.#connection.send({ type: 'save' });
    if (isDone) return;
    await new Promise<void>((done) => {
      this.#settled.add(done);
      setTimeout(done, FAREWELL);
    });
  }

  /** The page is left: the saver has it again, as it is in the file. */
  async leave(): Promise<void> {
    await this.save();
    const session = this.#session;
    this.#isLeft = true;
    this.#session = null;
    this.#connection.close();
    clearTimeout(this.#pointing);
    clearTimeout(this.#viewing);
    clearTimeout(this.#late);
    this.follow(null);
    this.#host.onGuests([]);
    if (!session) return;
    const isSafe = sendableUpdates(this.#host.state()).length === 0 && session.lastOwn <= session.saved.version;
    const saved = session.saved.text.toString();
    this.#host.update((state) => ({
      // What others have typed since is safe with the server.
      changes: isSafe ? leastChange(state.doc.toString(), saved) : [],
      effects: sharing.reconfigure([]),
      annotations: Transaction.addToHistory.of(false),
    }));
    await this.#host.unpark({ text: saved, hash: session.saved.hash });
  }
}
