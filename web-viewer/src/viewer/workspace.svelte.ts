// A project that is more than read: the shared state of the UI around the page, and the actions on pages.
import type { CreatePageOutput, Mention, OperationName, Suggestion } from '#contract';
import { tick } from 'svelte';
import { SvelteSet } from 'svelte/reactivity';
import { ClientError, type ClientEvents, type Output, type UbpClient } from '../client/client';
import type { Guest, HeadingsAbove, MountedEditor, PageStats, PropertiesState, SaveStatus } from '../editor/mount';
import type { Navigator } from '../routing/navigator.svelte';
import { bare, decoded } from '../routing/urls';
import { layout } from '../state/layout.svelte';
import { may } from '../site';
import type { Session } from '../state/session.svelte';
import { filesOf } from '../state/project-files';
import { settings, type Face } from '../state/settings.svelte';
import { isApple } from '../shell/keys';
import { Comments } from './comments/comments.svelte';
import { Faces } from './faces.svelte';
import { Problems } from './problems/problems.svelte';
import { OpenProposals } from './proposals/open-proposals.svelte';
import { Queue } from './queue/queue.svelte';
import { Recent } from './recent.svelte';
import { Second } from './second/second.svelte';
import { Tabs } from './tabs/tabs.svelte';
import { toasts } from './toasts.svelte';
import { TypeAhead } from './type-ahead';
import { afterLanguage } from '../words/follow.svelte';
import { writing } from '../words/writing';

/** Milliseconds after which an indicator is shown for a running action. */
const PATIENCE_MS = 200;

/** A template, and values for its fields. */
export interface FromTemplate {
  template: string;
  fields: Record<string, string>;
}

export type Dialog = { kind: 'new'; name: string; folder: string; from?: FromTemplate | null; problem?: ClientError } | { kind: 'rename'; page: string; isMove?: boolean } | { kind: 'delete' | 'history' | 'as-agent'; page: string } | { kind: 'folder'; path: string; isMove?: boolean } | { kind: 'delete-folder'; path: string };

/** Folders may come before a name. */
export function placeOf(name: string, folder: string): { title: string; into: string } {
  const parts = name.split('/').map((part) => part.trim()).filter(Boolean);
  const title = parts.pop() ?? name;
  return { title, into: [folder, ...parts].filter(Boolean).join('/') };
}

export const linkTo = (page: string): string => `[[${page.replace(/\.(md|markdown)$/i, '')}]]`;

export class Workspace {
  readonly session: Session;
  readonly navigator: Navigator;
  readonly onApple = isApple(globalThis.navigator.userAgent);
  readonly recent: Recent;
  readonly faces: Faces;
  readonly problems: Problems;
  readonly proposals: OpenProposals;
  readonly queue: Queue;
  readonly comments: Comments;
  readonly second: Second;
  readonly tabs: Tabs;
  /** Pages whose edits are not in their files yet. */
  readonly unsaved = new SvelteSet<string>();
  editor = $state.raw<MountedEditor | null>(null);
  /** Why pages cannot be edited here, if so. */
  editorProblem = $state.raw<ClientError | null>(null);
  saveStatus = $state.raw<SaveStatus>({ state: 'saved', message: '' });
  stats = $state.raw<PageStats | null>(null);
  /** Who else has the page in the editor open. */
  guests = $state.raw<readonly Guest[]>([]);
  /** Whose view this window follows. */
  following = $state.raw<Guest | null>(null);
  /** Headings above the cursor of the editor. */
  headingsAbove = $state.raw<HeadingsAbove>({ count: 0, first: '' });
  favorites = $state.raw<readonly string[]>([]);
  dialog = $state.raw<Dialog | null>(null);
  /** Whether creating a page takes longer than a moment. */
  isMaking = $state(false);
  /** Text typed for a page that could not be created yet. */
  typedAhead = $state('');
  #ahead: TypeAhead | null = null;
  connection = $state<ClientEvents['connection']['state']>('open');
  /** The front matter of the text in the editor. */
  properties = $state.raw<PropertiesState>({ isThere: false, problem: null });
  /** Whether the text of the current page begins with a heading, its title. */
  hasHeading = $state(true);
  /** Whether the current page is shown in the editor. */
  readonly isEditing = $derived.by(() => this.face === 'edit' && this.session.shown !== null && this.editorProblem === null);
  /** Whether the current page is in the project; false if it was moved or deleted outside of this window. */
  readonly isThere = $derived.by(() => this.session.shown !== null && this.session.byPath.has(this.session.shown.filepath));
  /** Whether the text of the deleted current page is still in the editor. */
  readonly keepsGone = $derived.by(() => this.save.state === 'gone' && this.session.shown !== null && (this.editor?.keeps(this.session.shown.filepath) ?? false));
  /** Whether the current page was deleted, or moved outside of this window. */
  readonly isGone = $derived.by(() => this.keepsGone || (this.#changing === 0 && this.session.phase === 'ready' && this.session.shown !== null && !this.isThere));
  readonly stale = $derived.by(() => {
    let count = 0;
    for (const { staleness } of this.session.pages) if (staleness === 'stale' || staleness === 'possibly_stale') count++;
    return count;
  });

  #favoritesAsked = 0;
  /** Changes that this window makes to the paths of pages. */
  #changing = $state(0);

  constructor(session: Session, navigator: Navigator) {
    this.session = session;
    this.navigator = navigator;
    this.recent = new Recent(`${session.site.root} ${session.site.name}`);
    this.faces = new Faces(`${session.site.root} ${session.site.name}`, this.may('save_page'));
    this.problems = new Problems(() => session.client);
    this.queue = new Queue(() => session.client);
    this.proposals = new OpenProposals(() => (this.connection === 'open' && this.may('list_proposals') ? session.client : null));
    this.comments = new Comments({ client: () => session.client, editor: () => this.editor, isEditing: () => this.isEditing }, session.site.guest?.name);
    this.second = new Second(session.site.root);
    this.tabs = new Tabs(
      `${session.site.root} ${session.site.name}`,
      navigator,
      {
        faces: this.faces,
        toggleFace: () => this.toggleFace(),
        isThere: (page) => session.phase !== 'ready' || this.#changing > 0 || session.byPath.has(page) || (this.editor?.keeps(page) ?? false),
        onGone: (page) => toasts.tell(writing.notices.tabClosed(page)),
      },
      bare(location.href) === session.site.root,
    );
  }

  /** Whether this browser may call an operation. */
  may(operation: OperationName): boolean {
    return may(this.session.site, operation);
  }

  /** Whether edits are proposed instead of saved. */
  get isProposing(): boolean {
    return this.session.site.guest?.right === 'propose';
  }

  get client(): UbpClient {
    if (!this.session.client) throw new ClientError('not_open', writing.notices.notOpen);
    return this.session.client;
  }

  /** The chosen mode of the current page. */
  get face(): Face {
    return this.faces.of(this.page);
  }

  /** The status of the editor. A file that is being moved is not deleted. */
  get save(): SaveStatus {
    return this.saveStatus.state === 'gone' && this.#changing > 0 ? { state: 'saving', message: '' } : this.saveStatus;
  }

  get page(): string | null {
    return this.session.shown?.filepath ?? null;
  }

  title(page: string): string {
    return this.session.byPath.get(page)?.title ?? page;
  }

  /** After opening the project: loads what is stored besides its pages, and listens to changes. */
  follow(): void {
    const { client } = this.session;
    if (!client) return;
    client.on('connection', ({ state }) => (this.connection = state));
    client.on('proposals', () => this.proposals.changed());
    client.on('comments', () => void this.comments.refresh());
    // Suggestions depend on vectors.
    client.on('vectors', ({ done, total }) => done >= total && this.#survey());
    this.session.onFollowed = (paths) => this.#changed(paths);
    // The server tells its messages in the language that is shown.
    afterLanguage(() => this.session.noteChange([]));
    void this.#loadFavorites();
    // The page was on screen before it could be asked for.
    void this.comments.refresh();
    this.#survey();
  }

  /** Asks again for what is counted in the status bar. */
  #survey(): void {
    if (this.may('doctor')) this.problems.changed();
    if (this.may('queue')) this.queue.changed();
    this.proposals.changed();
  }

  #changed(paths: readonly string[]): void {
    this.#survey();
    this.editor?.changed(paths);
    this.comments.changed(paths);
    if (paths.length === 0) void this.#loadFavorites();
    const { page } = this;
    if (page !== null && !this.session.byPath.has(page)) return;
    // Changes of embedded or linked pages may change how this one is rendered.
    if (page !== null && (!this.isEditing || paths.length === 0 || paths.includes(page))) void this.navigator.refresh();
  }

  async #loadFavorites(): Promise<void> {
    const turn = ++this.#favoritesAsked;
    if (!this.may('favorites')) return;
    try {
      const { pages } = await this.client.call('favorites', {});
      if (turn === this.#favoritesAsked) this.favorites = pages;
    } catch {
      // Without favourites, the list is only shorter.
    }
  }

  /** Opens the panel of comments with a new one on what is selected. */
  async comment(): Promise<void> {
    const { page } = this;
    if (page === null) return;
    const quote = this.isEditing ? (this.editor?.quoted() ?? null) : (await import('./comments/marks')).selectedText();
    if (!quote) return toasts.tell(writing.comments.noSelection);
    this.comments.draft = { page, quote };
    this.comments.isOpen = true;
  }

  /** Runs an action and reports its failure; the result is then `undefined`. */
  async attempt<T>(doing: () => Promise<T>): Promise<T | undefined> {
    try {
      return await doing();
    } catch (error) {
      const { message, hint } = ClientError.from(error);
      toasts.warn(hint ? `${message} ${hint}` : message);
      return undefined;
    }
  }

  /** Saves first, so that no action affects text that is not in its file yet. */
  async flush(): Promise<void> {
    await this.editor?.save();
  }

  /** Saves at once and reports the result, because the user pressed the shortcut. */
  async saveNow(): Promise<void> {
    await this.editor?.save(true);
    if (this.save.state === 'saved') layout.announce(writing.notices.saved);
    if (this.save.state === 'proposed') layout.announce(writing.desk.save.proposed);
  }

  toggleFocus(): void {
    layout.isFocused = !layout.isFocused;
    if (layout.isFocused) document.documentElement.dataset['focus'] = '';
    else delete document.documentElement.dataset['focus'];
    layout.announce(layout.isFocused ? writing.notices.focus : writing.notices.focusOff);
    this.navigator.focusPage();
  }

  async toggleFace(): Promise<void> {
    const { page } = this;
    if (page === null) return;
    if (this.face === 'edit') {
      await this.flush();
      this.faces.choose(page, 'read');
      // The article must be visible before it can be scrolled.
      await tick();
      this.navigator.reveal();
      await this.navigator.refresh();
    } else {
      this.editorProblem = null;
      this.faces.choose(page, 'edit');
    }
    // A touch keyboard would cover half of the page.
    if (this.face === 'edit' && !matchMedia('(pointer: coarse)').matches) void this.navigator.desk?.write(page);
    else this.navigator.focusPage();
    layout.announce(this.face === 'edit' ? writing.notices.editing : writing.notices.reading);
  }

  /** Opens a page: for editing at a line, from 1, or as a whole. */
  async openAt(page: string, line: number | null): Promise<void> {
    if (line === null) return this.navigator.go({ page });
    this.editorProblem = null;
    this.faces.choose(page, 'edit');
    await this.navigator.go({ page });
    await this.navigator.desk?.toLine(page, line);
  }

  /** Switches the editor between live preview and source. */
  toggleLive(): void {
    settings.live = !settings.live;
    layout.announce(settings.live ? writing.notices.live : writing.notices.source);
  }

  async toggleFavorite(page: string): Promise<void> {
    const isOne = this.favorites.includes(page);
    const before = this.favorites;
    const turn = ++this.#favoritesAsked;
    this.favorites = isOne ? before.filter((path) => path !== page) : [...before, page];
    layout.announce(isOne ? writing.notices.unfavoured(this.title(page)) : writing.notices.favoured(this.title(page)));
    const answer = await this.attempt(() => this.client.call('favorites', isOne ? { remove: [page] } : { add: [page] }));
    // A later request has a newer answer.
    if (turn === this.#favoritesAsked) this.favorites = answer?.pages ?? before;
  }

  /** Creates a page, empty or from a template. `name` may start with folders. */
  async #make(name: string, folder: string, evenIfTaken: boolean, from: FromTemplate | null): Promise<CreatePageOutput> {
    const { title, into } = placeOf(name, folder);
    // Without a template, the cursor goes below the title and a blank line.
    const text = from ? { template: from.template, fields: from.fields } : { content: `# ${title}\n\n` };
    const made = await this.client.call('create_page', { title, folder: into || null, ...text, allow_same_name: evenIfTaken });
    this.session.noteChange([made.filepath]);
    return made;
  }

  async create(name: string): Promise<string> {
    return (await this.#make(name, '', false, null)).filepath;
  }

  /**
   * Creates a page and opens it for editing. Text typed until it is shown is inserted into it. If it cannot be created, the
   * dialog for new pages shows the reason. `evenIfTaken`: also if another page has this name.
   */
  async begin(name: string, folder = '', evenIfTaken = false, from: FromTemplate | null = null): Promise<void> {
    // The dialog or palette that created the page has to close and release the focus first.
    await tick();
    const ahead = new TypeAhead(this.typedAhead);
    this.typedAhead = '';
    const before = this.page;
    const waiting = setTimeout(() => (this.isMaking = true), PATIENCE_MS);
    try {
      await this.flush();
      const { filepath, title, audit_id, template, cursor } = await this.#make(name, folder, evenIfTaken, from);
      // Only the list depends on this.
      await this.session.learn(filepath).catch(() => {});
      this.editorProblem = null;
      this.faces.choose(filepath, 'edit');
      await this.navigator.go({ page: filepath });
      if (!(await this.navigator.desk?.write(filepath, ahead, template === null ? 'end' : (cursor ?? 'title')))) this.#keep(filepath, title, ahead.giveUp());
      toasts.tell(writing.notices.created(title), audit_id ? this.undo(audit_id, () => this.unmade(filepath, before), writing.notices.notRemoved(title)) : null);
    } catch (error) {
      // Collects what is typed until the dialog takes it.
      await ahead.composed();
      this.#ahead = ahead;
      this.dialog = { kind: 'new', name, folder, from, problem: ClientError.from(error) };
    } finally {
      clearTimeout(waiting);
      this.isMaking = false;
    }
  }

  /** For the dialog that asks again: what was typed for the page that could not be created. The dialog has to take the focus. */
  takeTyped(): void {
    if (this.#ahead) this.typedAhead = this.#ahead.giveUp();
    this.#ahead = null;
  }

  /** Keeps text typed for a page that was not shown, because the user left or it could not be read. */
  #keep(page: string, title: string, typed: string): void {
    if (typed && !this.editor?.append(page, typed)) toasts.warn(writing.notices.notOpened(title, typed));
  }

  /** Creating the page was undone: shows the previous page. */
  async unmade(page: string, before: string | null): Promise<void> {
    if (this.page === page && before !== null && this.session.byPath.has(before)) await this.navigator.go({ page: before }, 'replace');
    await this.removed(page);
  }

  /** Shows a page beside the current one. `fragment` is encoded, without `#`. */
  openBeside(page: string, fragment = ''): void {
    layout.layer = null;
    this.second.open(page, decoded(fragment));
    layout.announce(writing.notices.openBeside(this.title(page)));
  }

  /** Opens the home page in a new tab, and the search for another page. */
  newTab(): void {
    const page = this.session.home ?? this.page;
    if (page === null) return;
    this.tabs.open({ page }, true);
    layout.layer = 'palette';
  }

  closeSecond(): void {
    const hadFocus = document.getElementById('ubp_second')?.contains(document.activeElement) ?? false;
    this.second.close();
    layout.announce(writing.notices.closedBeside);
    if (hadFocus) this.navigator.focusPage();
  }

  async copy(text: string): Promise<void> {
    await this.attempt(async () => {
      await window.navigator.clipboard.writeText(text);
      toasts.tell(writing.notices.copied(text));
    });
  }

  /**
   * Runs a change that may rename pages. The list of pages and the files may follow it earlier or later than the rest of the
   * window, so no page counts as deleted until it is done.
   */
  async changing<T>(doing: () => Promise<T>): Promise<T> {
    this.#changing++;
    try {
      return await doing();
    } finally {
      this.#changing--;
    }
  }

  /** A page was renamed: updates everything that refers to its old path. */
  async moved(from: string, to: string): Promise<void> {
    if (from === to) {
      await this.navigator.refresh();
      return;
    }
    this.session.forget();
    const followed = this.editor?.renamed(from, to);
    this.recent.moved(from, to);
    this.faces.moved(from, to);
    this.second.moved(from, to);
    this.tabs.moved(from, to);
    if (this.unsaved.delete(from)) this.unsaved.add(to);
    this.favorites = this.favorites.map((path) => (path === from ? to : path));
    // Only the list depends on this.
    if (this.page === from) await this.session.learn(to).catch(() => {});
    await Promise.all([followed, this.navigator.moved(from, to)]);
  }

  /** Somebody else renamed a page. What this window renames, it follows itself. */
  async movedElsewhere(from: string, to: string): Promise<void> {
    if (this.#changing === 0) await this.changing(() => this.moved(from, to));
  }

  /** Pages were deleted: shows another tab, or the previous page. */
  async removed(...pages: string[]): Promise<void> {
    this.session.noteChange(pages);
    let isShown = true;
    for (const page of pages) isShown = (await this.tabs.removed(page)) && isShown;
    if (isShown) return;
    const isLeft = (path: string) => !pages.includes(path) && this.session.byPath.has(path);
    const next = this.recent.pages.find(isLeft) ?? this.session.pages.find(({ filepath }) => isLeft(filepath))?.filepath;
    if (next) await this.navigator.go({ page: next }, 'replace');
    else location.assign(this.session.site.root);
  }

  /** Restores the deleted current page with the text in the editor. */
  async restore(): Promise<void> {
    const { page, editor } = this;
    if (page === null || !editor) return;
    await editor.restore();
    if (this.page !== page) return;
    if (!this.keepsGone) {
      this.session.noteChange([page]);
      toasts.tell(writing.notices.restored(this.session.shown?.title ?? page));
    }
    editor.focus();
  }

  /** Discards the text of the deleted current page. */
  async letGo(): Promise<void> {
    const { page, editor } = this;
    if (page === null || !editor) return;
    const title = this.session.shown?.title ?? page;
    const takeBack = editor.letGo();
    const offer = (text: string) =>
      toasts.tell(text, async () => {
        const stays = this.navigator.staying();
        const isBack = await this.attempt(async () => {
          await takeBack();
          this.session.noteChange([page]);
          await this.restored(page, stays);
          return true;
        });
        if (!isBack) offer(writing.notices.stillKept(title));
      });
    offer(writing.notices.discarded(title));
    await this.removed(page);
  }

  /** A deleted page is there again: shows it, unless the user has gone elsewhere in the meantime. */
  async restored(page: string, stays: () => boolean): Promise<void> {
    this.session.forget();
    if (stays()) await this.navigator.go({ page });
  }

  /** Lets the user choose files to attach. */
  chooseFiles(): void {
    const chooser = document.createElement('input');
    chooser.type = 'file';
    chooser.multiple = true;
    chooser.addEventListener('change', () => this.editor?.attach([...(chooser.files ?? [])]));
    chooser.click();
  }

  /** Files were stored for links in the text, or were there already. */
  attached(files: readonly Output<'add_attachment'>[], takeBack: () => void): void {
    filesOf(this.client).forget();
    const [stored, known] = [files.filter(({ existed }) => !existed), files.filter(({ existed }) => existed)];
    const names = (some: typeof files) => (some.length === 1 ? (some[0]?.filepath ?? '') : writing.notices.files(some.length));
    if (known.length > 0) toasts.tell(writing.notices.known(names(known)));
    if (stored.length === 0) return;
    const undo = async () => {
      for (const { audit_id } of stored) if (audit_id) await this.undo(audit_id)();
      takeBack();
    };
    toasts.tell(writing.notices.stored(names(stored)), undo);
  }

  /** `ifWritten` is the message if a page was edited since and is therefore kept. */
  undo(entry: string, follow?: (stays: () => boolean) => Promise<void>, ifWritten?: string): () => Promise<void> {
    return async () => {
      const stays = this.navigator.staying();
      await this.attempt(async () => {
        await this.flush();
        await this.changing(async () => {
          const { changed } = await this.client.call('undo', { entry }).catch((error: unknown) => {
            throw ifWritten && ClientError.from(error).code === 'conflict' ? new ClientError('conflict', ifWritten) : error;
          });
          this.session.noteChange(changed.map(({ filepath }) => filepath));
          await follow?.(stays);
        });
        toasts.tell(writing.notices.undone);
      });
    };
  }

  async review(pages: readonly string[]): Promise<void> {
    await this.attempt(async () => {
      const { reviewed, refused, without_sources, audit_id } = await this.client.call('review_page', { pages: [...pages], still_accurate: true });
      this.session.noteChange([]);
      const missing = reviewed.filter((page) => page.missing.length > 0);
      const [first] = reviewed;
      const parts = [reviewed.length === 1 && first ? writing.notices.reviewedOne(this.title(first.filepath)) : writing.notices.reviewedMany(reviewed.length)];
      if (missing.length > 0) parts.push(writing.notices.listMissing(missing.length));
      if (refused.length + without_sources.length > 0) parts.push(writing.notices.unmarked(refused.length + without_sources.length));
      const isSettled = reviewed.length > 0 && audit_id !== null;
      toasts.tell(parts.join(' '), isSettled ? this.undo(audit_id, async () => this.session.noteChange([])) : null);
    });
  }

  async acceptSuggestion({ source, target, place }: Suggestion | Mention): Promise<void> {
    await this.attempt(async () => {
      await this.flush();
      const done = await this.client.call('accept', { source: source.filepath, target: target.filepath, line: place?.line ?? null, text: place?.text ?? null });
      this.session.noteChange([done.source, done.target]);
      toasts.tell(writing.notices.linkedTo(target.title), done.audit_id ? this.undo(done.audit_id) : null);
    });
  }

  async dismissSuggestion({ source, target }: Suggestion | Mention): Promise<void> {
    await this.attempt(async () => {
      const { audit_id } = await this.client.call('dismiss', { source: source.filepath, target: target.filepath });
      toasts.tell(writing.notices.notSuggested(target.title), audit_id ? this.undo(audit_id, async () => this.session.noteChange([source.filepath])) : null);
    });
  }
}
