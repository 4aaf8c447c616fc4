// A project that can be written: what the parts around the editor share, and what is done to pages from any of them.
import type { CreatePageOutput, Mention, Suggestion } from '#contract';
import { tick } from 'svelte';
import { ClientError, type ClientEvents, type UbpClient } from '../client/client';
import type { HeadingsAbove, MountedEditor, PageStats, SaveStatus } from '../editor/mount';
import type { Navigator } from '../routing/navigator.svelte';
import { layout } from '../state/layout.svelte';
import type { Session } from '../state/session.svelte';
import { settings } from '../state/settings.svelte';
import { isApple } from '../shell/keys';
import { Recent } from './recent.svelte';
import { toasts } from './toasts.svelte';
import { TypeAhead } from './type-ahead';

/** Milliseconds after which it is shown that something is on its way. */
const PATIENCE_MS = 200;

export type Dialog = { kind: 'new'; name: string; folder: string; problem?: ClientError } | { kind: 'rename'; page: string } | { kind: 'delete'; page: string };

/** Folders may stand before a name. */
export function placeOf(name: string, folder: string): { title: string; into: string } {
  const parts = name.split('/').map((part) => part.trim()).filter(Boolean);
  const title = parts.pop() ?? name;
  return { title, into: [folder, ...parts].filter(Boolean).join('/') };
}

export class Workspace {
  readonly session: Session;
  readonly navigator: Navigator;
  readonly onApple = isApple(globalThis.navigator.userAgent);
  readonly recent: Recent;
  editor = $state.raw<MountedEditor | null>(null);
  /** Why pages cannot be edited here, if that is so. */
  editorProblem = $state.raw<ClientError | null>(null);
  save = $state.raw<SaveStatus>({ state: 'saved', message: '' });
  stats = $state.raw<PageStats | null>(null);
  /** Headings above the cursor of the editor. */
  headingsAbove = $state.raw<HeadingsAbove>({ count: 0, first: '' });
  favorites = $state.raw<readonly string[]>([]);
  dialog = $state.raw<Dialog | null>(null);
  /** Whether a page is being made for longer than a moment. */
  isMaking = $state(false);
  /** What was typed for a page that could not be made yet. */
  typedAhead = $state('');
  connection = $state<ClientEvents['connection']['state']>('open');
  /** Whether pages are shown in the editor now. */
  readonly isEditing = $derived.by(() => settings.face === 'edit' && this.session.shown !== null && this.editorProblem === null);
  /** Whether the page that is shown is in the project; not if it was moved or deleted outside of this window. */
  readonly isThere = $derived.by(() => this.session.shown !== null && this.session.byPath.has(this.session.shown.filepath));
  /** Whether the text of the page that is shown and gone is still in the editor. */
  readonly keepsGone = $derived.by(() => this.save.state === 'gone' && this.session.shown !== null && (this.editor?.keeps(this.session.shown.filepath) ?? false));
  readonly stale = $derived.by(() => {
    let count = 0;
    for (const { staleness } of this.session.pages) if (staleness === 'stale' || staleness === 'possibly_stale') count++;
    return count;
  });

  #favoritesAsked = 0;

  constructor(session: Session, navigator: Navigator) {
    this.session = session;
    this.navigator = navigator;
    this.recent = new Recent(`${session.site.root} ${session.site.name}`);
  }

  get client(): UbpClient {
    if (!this.session.client) throw new ClientError('not_open', 'The project is not open yet.');
    return this.session.client;
  }

  get page(): string | null {
    return this.session.shown?.filepath ?? null;
  }

  title(page: string): string {
    return this.session.byPath.get(page)?.title ?? page;
  }

  /** After the project opened: what is kept beside its pages, and what happens to it. */
  follow(): void {
    const { client } = this.session;
    if (!client) return;
    client.on('connection', ({ state }) => (this.connection = state));
    this.session.onFollowed = (paths) => this.#changed(paths);
    void this.#loadFavorites();
  }

  #changed(paths: readonly string[]): void {
    this.editor?.changed(paths);
    if (paths.length === 0) void this.#loadFavorites();
    const { page } = this;
    if (page !== null && !this.session.byPath.has(page)) return;
    // Others that are embedded or linked may have changed how this one reads.
    if (page !== null && (!this.isEditing || paths.length === 0 || paths.includes(page))) void this.navigator.refresh();
  }

  async #loadFavorites(): Promise<void> {
    const turn = ++this.#favoritesAsked;
    try {
      const { pages } = await this.client.call('favorites', {});
      if (turn === this.#favoritesAsked) this.favorites = pages;
    } catch {
      // Without them the list is only shorter.
    }
  }

  /** Runs what may fail and says so; the answer is nothing then. */
  async attempt<T>(doing: () => Promise<T>): Promise<T | undefined> {
    try {
      return await doing();
    } catch (error) {
      const { message, hint } = ClientError.from(error);
      toasts.warn(hint ? `${message} ${hint}` : message);
      return undefined;
    }
  }

  /** So that nothing is done to a text that is not in its file yet. */
  async flush(): Promise<void> {
    await this.editor?.save();
  }

  /** Saves at once, and says so: whoever presses the keys wants to know. */
  async saveNow(): Promise<void> {
    await this.flush();
    if (this.save.state === 'saved') layout.announce('Saved');
  }

  toggleFocus(): void {
    layout.isFocused = !layout.isFocused;
    if (layout.isFocused) document.documentElement.dataset['focus'] = '';
    else delete document.documentElement.dataset['focus'];
    layout.announce(layout.isFocused ? 'Focus mode' : 'Focus mode off');
    this.navigator.focusPage();
  }

  async toggleFace(): Promise<void> {
    if (settings.face === 'edit') {
      await this.flush();
      settings.face = 'read';
      // The article must be in sight before something on it can be scrolled to.
      await tick();
      this.navigator.reveal();
      await this.navigator.refresh();
    } else {
      this.editorProblem = null;
      settings.face = 'edit';
    }
    // A touch keyboard would cover half of what somebody came to look at.
    if (settings.face === 'edit' && this.page !== null && !matchMedia('(pointer: coarse)').matches) void this.navigator.desk?.write(this.page);
    else this.navigator.focusPage();
    layout.announce(settings.face === 'edit' ? 'Editing' : 'Reading');
  }

  async toggleFavorite(page: string): Promise<void> {
    const isOne = this.favorites.includes(page);
    const before = this.favorites;
    const turn = ++this.#favoritesAsked;
    this.favorites = isOne ? before.filter((path) => path !== page) : [...before, page];
    layout.announce(isOne ? `${this.title(page)} is not a favourite now` : `${this.title(page)} is a favourite`);
    const answer = await this.attempt(() => this.client.call('favorites', isOne ? { remove: [page] } : { add: [page] }));
    // Whoever asked later was told what came of this too.
    if (turn === this.#favoritesAsked) this.favorites = answer?.pages ?? before;
  }

  /** Makes an empty page. `name` may begin with folders. */
  async #make(name: string, folder: string, evenIfTaken: boolean): Promise<CreatePageOutput> {
    const { title, into } = placeOf(name, folder);
    // Writing begins on the line below the title and a blank one.
    const made = await this.client.call('create_page', { title, folder: into || null, content: `# ${title}\n\n`, allow_same_name: evenIfTaken });
    this.session.noteChange([made.filepath]);
    return made;
  }

  async create(name: string): Promise<string> {
    return (await this.#make(name, '', false)).filepath;
  }

  /**
   * Makes a page and goes there to write it. What is typed until it is there comes into its text. Where it cannot be made, the
   * dialog for new pages says why. `evenIfTaken`: also where another page has that name.
   */
  async begin(name: string, folder = '', evenIfTaken = false): Promise<void> {
    // A dialog or palette that asked for the page goes first, and gives up the keyboard.
    await tick();
    const ahead = new TypeAhead(this.typedAhead);
    this.typedAhead = '';
    const before = this.page;
    const waiting = setTimeout(() => (this.isMaking = true), PATIENCE_MS);
    try {
      await this.flush();
      const { filepath, title, audit_id } = await this.#make(name, folder, evenIfTaken);
      // Only that it is listed waits for this otherwise.
      await this.session.learn(filepath).catch(() => {});
      this.editorProblem = null;
      settings.face = 'edit';
      await this.navigator.go({ page: filepath });
      if (!(await this.navigator.desk?.write(filepath, ahead))) this.#keep(filepath, title, ahead.giveUp());
      toasts.tell(`Created “${title}”.`, audit_id ? this.undo(audit_id, () => this.unmade(filepath, before), `“${title}” has text by now, so it is still there. “Delete…” in its menu removes it.`) : null);
    } catch (error) {
      this.typedAhead = ahead.giveUp();
      this.dialog = { kind: 'new', name, folder, problem: ClientError.from(error) };
    } finally {
      clearTimeout(waiting);
      this.isMaking = false;
    }
  }

  /** What was typed for a page that is not seen, because somebody went on or it could not be read. */
  #keep(page: string, title: string, typed: string): void {
    if (typed && !this.editor?.append(page, typed)) toasts.warn(`“${title}” was made but could not be opened. You had typed: ${typed}`);
  }

  /** The making of a page was taken back: what was open before takes its place. */
  async unmade(page: string, before: string | null): Promise<void> {
    if (this.page === page && before !== null && this.session.byPath.has(before)) await this.navigator.go({ page: before }, 'replace');
    await this.removed(page);
  }

  /** A page has another path now: everything that knew it by the old one follows. */
  async moved(from: string, to: string): Promise<void> {
    if (from === to) {
      await this.navigator.refresh();
      return;
    }
    this.session.forget();
    this.editor?.renamed(from, to);
    this.recent.moved(from, to);
    this.favorites = this.favorites.map((path) => (path === from ? to : path));
    await this.navigator.moved(from, to);
  }

  /** A page is gone: what was open before it takes its place. */
  async removed(page: string): Promise<void> {
    this.session.noteChange([page]);
    if (this.page !== page) return;
    const next = this.recent.pages.find((path) => path !== page && this.session.byPath.has(path)) ?? this.session.pages.find(({ filepath }) => filepath !== page)?.filepath;
    if (next) await this.navigator.go({ page: next }, 'replace');
    else location.assign(this.session.site.root);
  }

  /** Makes the page that is shown and gone again, with the text that is in the editor. */
  async restore(): Promise<void> {
    const { page, editor } = this;
    if (page === null || !editor) return;
    await editor.restore();
    if (this.page !== page) return;
    if (!this.keepsGone) {
      this.session.noteChange([page]);
      toasts.tell(`“${this.session.shown?.title ?? page}” is in the project again.`);
    }
    editor.focus();
  }

  /** Gives up the text of the page that is shown and gone. */
  async letGo(): Promise<void> {
    const { page, editor } = this;
    if (page === null || !editor) return;
    const title = this.session.shown?.title ?? page;
    const takeBack = editor.letGo();
    const offer = (text: string) =>
      toasts.tell(text, async () => {
        const isBack = await this.attempt(async () => {
          await takeBack();
          this.session.noteChange([page]);
          await this.restored(page);
          return true;
        });
        if (!isBack) offer(`The text of “${title}” is still kept.`);
      });
    offer(`The text of “${title}” was discarded.`);
    await this.removed(page);
  }

  async restored(page: string): Promise<void> {
    this.session.forget();
    await this.navigator.go({ page });
  }

  /** `ifWritten` is told where a page was written since, and so is left as it is. */
  undo(entry: string, follow?: () => Promise<void>, ifWritten?: string): () => Promise<void> {
    return async () => {
      await this.attempt(async () => {
        await this.flush();
        const { changed } = await this.client.call('undo', { entry }).catch((error: unknown) => {
          throw ifWritten && ClientError.from(error).code === 'conflict' ? new ClientError('conflict', ifWritten) : error;
        });
        this.session.noteChange(changed.map(({ filepath }) => filepath));
        await follow?.();
        toasts.tell('Undone.');
      });
    };
  }

  async review(pages: readonly string[]): Promise<void> {
    await this.attempt(async () => {
      const { reviewed, refused, without_sources, audit_id } = await this.client.call('review_page', { pages: [...pages], still_accurate: true });
      this.session.noteChange([]);
      const missing = reviewed.filter((page) => page.missing.length > 0);
      const [first] = reviewed;
      const parts = [reviewed.length === 1 && first ? `“${this.title(first.filepath)}” is marked as reviewed.` : `${reviewed.length} pages are marked as reviewed.`];
      if (missing.length > 0) parts.push(`${missing.length === 1 ? 'One names' : `${missing.length} name`} code that is gone: correct that in the page.`);
      if (refused.length + without_sources.length > 0) parts.push(`${refused.length + without_sources.length} could not be marked.`);
      const isSettled = reviewed.length > 0 && audit_id !== null;
      toasts.tell(parts.join(' '), isSettled ? this.undo(audit_id, async () => this.session.noteChange([])) : null);
    });
  }

  async acceptSuggestion({ source, target, place }: Suggestion | Mention): Promise<void> {
    await this.attempt(async () => {
      await this.flush();
      const done = await this.client.call('accept', { source: source.filepath, target: target.filepath, line: place?.line ?? null, text: place?.text ?? null });
      this.session.noteChange([done.source, done.target]);
      toasts.tell(`Linked to “${target.title}”.`, done.audit_id ? this.undo(done.audit_id) : null);
    });
  }

  async dismissSuggestion({ source, target }: Suggestion | Mention): Promise<void> {
    await this.attempt(async () => {
      const { audit_id } = await this.client.call('dismiss', { source: source.filepath, target: target.filepath });
      toasts.tell(`“${target.title}” will not be suggested here again.`, audit_id ? this.undo(audit_id, async () => this.session.noteChange([source.filepath])) : null);
    });
  }
}
