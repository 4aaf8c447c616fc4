// One editor for all pages: each page has its own text, undo history, cursor and saver, which continues to save after
// leaving the page.
import { syntaxTree } from '@codemirror/language';
import { isolateHistory, redo, undo } from '@codemirror/commands';
import { getChunks } from '@codemirror/merge';
import { Annotation, EditorState, Transaction, type TransactionSpec } from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';
import { ClientError } from '../client/client';
import { Drafts } from '../saving/drafts';
import { pageFile, readFile, type OpenedFile } from '../saving/page-file';
import { Saver, type Buffer, type PageFile } from '../saving/saver';
import { timers } from '../saving/timers';
import { finishTyping } from './accept-soon';
import { attachFiles } from './attachments';
import { comments, placeOfComment, quoteOf, showComments } from './comments';
import type { SharedPage } from './coediting/shared-page';
import { conflictWith, showConflict } from './conflict';
import { pageExtensions } from './extensions';
import { toggleInline } from './formatting';
import { lineOf } from './fragment';
import { frontMatterOf } from './front-matter';
import { leastChange } from './least-change';
import { LinkAnswers } from './link-answers';
import { linksAnswered } from './link-marks';
import { switchTo } from './live/live';
import { registerRenderers } from './live/renderers';
import type { CommentMark, EditorHost, MountedEditor, Quote, SaveStatus } from './mount';
import { tell } from './notices';
import { pageContext, type PageContext } from './page-context';
import { changesProperties, editProperties, finishProperties, propertiesOf } from './properties/panel';
import { belowTitle, hasHeading, headingsAbove, pageStats, placeIn, titleIn, type WritingPlace } from './stats';
import { withoutStyleElements } from './style-sheets';
import { writing } from '../words/writing';

/** Marks changes that come from the file, not from a person. */
const fromFile = Annotation.define<true>();

/** Number of pages whose history is kept, besides the current one. */
const KEPT = 24;
/** Maximum length of a title. */
const LONGEST_TITLE = 200;
/** Delay in milliseconds before words are counted again. */
const COUNT_PAUSE = 400;
/** Delay in milliseconds before the outline follows the cursor. */
const FOLLOW_PAUSE = 100;
/** Milliseconds after the end of a composition until its text is in the document. */
const AFTER_COMPOSITION = 80;

interface OpenPage {
  path: string;
  /** State while the page is not on screen. */
  state: EditorState;
  file: PageFile;
  saver: Saver;
  status: SaveStatus;
  answers: LinkAnswers;
  /** Editing together with others, while the page is on screen. */
  shared: SharedPage | null;
  /** Resolves when the page has been left by the others. */
  left: Promise<void>;
  /** Whether its text has had the focus. */
  isPlaced: boolean;
}

/** Whether the file has the text of a page. */
function isSettled({ shared, saver }: OpenPage): boolean {
  return shared?.isShared ? shared.isSettled : saver.isSettled;
}

export class PageEditor implements MountedEditor {
  readonly #host: EditorHost;
  readonly #view: EditorView;
  readonly #drafts: Drafts;
  readonly #pages = new Map<string, OpenPage>();
  readonly #unlisten: (() => void)[] = [];
  #shown: OpenPage | null = null;
  #wanted = '';
  #counting: ReturnType<typeof setTimeout> | undefined;
  #following: ReturnType<typeof setTimeout> | undefined;
  #composed: ReturnType<typeof setTimeout> | undefined;
  #conflicts = 0;
  #isLive: boolean;
  /** The window that this one follows from page to page. */
  #followed: string | null = null;

  constructor(host: EditorHost, parent: HTMLElement) {
    withoutStyleElements();
    this.#host = host;
    this.#isLive = host.isLive;
    registerRenderers(host, () => this.#shown?.path ?? host.filepath);
    this.#drafts = new Drafts(host.project);
    this.#view = new EditorView({ parent, dispatchTransactions: (transactions, view) => view.update(transactions) });
    this.#listen(document, 'visibilitychange', () => document.visibilityState === 'hidden' && this.#leaveAll());
    this.#listen(window, 'pagehide', () => {
      this.#leaveAll();
      this.#drafts.keepNow();
    });
    const scroller = parent.parentElement ?? parent;
    this.#listen(scroller, 'scroll', () => this.#shown?.shared?.scrolled());
    // Whoever does something here follows nobody any more.
    for (const event of ['wheel', 'touchmove', 'pointerdown', 'keydown']) this.#listen(scroller, event, () => this.follow(null));
    this.#listen(window, 'online', () => {
      void this.#shown?.saver.fileChanged();
      this.#shown?.shared?.reconnect();
    });
  }

  #listen(target: EventTarget, event: string, run: () => unknown): void {
    const listener = () => void run();
    target.addEventListener(event, listener);
    this.#unlisten.push(() => target.removeEventListener(event, listener));
  }

  /** Puts everything that is typed into the document. */
  #finish(): void {
    finishTyping(this.#view);
    finishProperties(this.#view);
  }

  #leaveAll(): void {
    this.#finish();
    for (const page of this.#pages.values()) if (!isSettled(page)) void this.#save(page);
  }

  /** Saves a page, whoever does that. */
  async #save(page: OpenPage): Promise<void> {
    if (page.shared?.isShared) await page.shared.save();
    else await page.saver.leave();
  }

  /** Lets others edit the page on screen. */
  async #share(page: OpenPage): Promise<void> {
    const { together } = this.#host;
    if (!together || page.status.state === 'read-only') return;
    await page.left;
    const { SharedPage } = await import('./coediting/shared-page');
    if (this.#shown !== page || page.shared || this.#pages.get(page.path) !== page) return;
    page.shared = new SharedPage({
      address: together,
      path: () => page.path,
      name: () => this.#host.name(),
      state: () => this.#stateOf(page),
      update: (make) => {
        const made = make(this.#stateOf(page));
        if (made instanceof Transaction && this.#shown !== page) page.state = made.state;
        else this.#update(page, made instanceof Transaction ? made : { ...made, annotations: [fromFile.of(true), ...[made.annotations ?? []].flat()] });
      },
      park: () => page.saver.park(),
      unpark: (known) => page.saver.unpark(known),
      onStatus: (status) => this.#setStatus(page, status),
      onDraft: (draft) => this.#drafts.keep(page.path, draft),
      onGuests: (guests) => this.#shown === page && this.#host.onGuests?.(guests),
      onMoved: (to) => to !== page.path && this.#host.onMoved?.(page.path, to),
      onAgent: (name) => this.#shown === page && this.#host.onAgent?.(name),
      top: () => (this.#shown === page ? this.#view.lineBlockAtHeight(Math.max(0, this.#topOfScroller() + 2 - this.#view.documentTop)).from : null),
      scrollTo: (top) => this.#shown === page && this.#view.dispatch({ effects: EditorView.scrollIntoView(top, { y: 'start', yMargin: 0 }) }),
      onFollowing: (guest) => this.#host.onFollowing?.(guest),
      onWent: (to, window) => {
        this.#followed = window;
        this.#host.open({ page: to });
      },
      followed: () => this.#followed,
    });
  }

  /** The page is left: others go on without this window. */
  #unshare(page: OpenPage): Promise<void> {
    const { shared } = page;
    if (!shared) return page.left;
    page.left = shared.leave().finally(() => (page.shared = null));
    return page.left;
  }

  async openPage(filepath: string, fragment?: string): Promise<void> {
    this.#finish();
    this.#wanted = filepath;
    const left = this.#shown;
    if (left && left.path !== filepath && !left.shared?.isShared) void left.saver.leave();
    let page = this.#pages.get(filepath);
    if (page) void page.saver.fileChanged();
    else {
      const file = await readFile(this.#host.client, filepath);
      const draft = file.editable ? await this.#drafts.takeOver(file.filepath) : null;
      // While it was read, another page may have been opened, or this one a second time.
      if (this.#wanted !== filepath) return;
      page = this.#pages.get(file.filepath) ?? this.#adopt(file);
      this.#show(page);
      if (draft) page.saver.takeUp(draft);
    }
    this.#show(page);
    this.#forgetOld();
    if (fragment) this.goTo(fragment);
  }

  #adopt(file: OpenedFile): OpenPage {
    const page = { path: file.filepath, isPlaced: false, shared: null as SharedPage | null, left: Promise.resolve() } as OpenPage;
    page.answers = new LinkAnswers(
      this.#host.client,
      () => page.path,
      (what) => this.#update(page, { effects: linksAnswered.of(what) }),
    );
    const host = this.#host;
    const context: PageContext = {
      host,
      answers: page.answers,
      get filepath() {
        return page.path;
      },
      state: () => this.#stateOf(page),
      change: (spec) => this.#change(page, spec),
      tell: (text) => tell(this.#view, { text }),
      refuse: () => tell(this.#view, { text: page.status.message || writing.editor.unchangeable }),
    };
    page.status = { state: file.editable ? 'saved' : 'read-only', message: file.reason ?? '' };
    const listed = host.pages().find(({ filepath }) => filepath === file.filepath);
    page.state = EditorState.create({
      doc: file.text,
      extensions: [
        pageContext.of(context),
        pageExtensions(() => writing.editor.textOf(listed?.title ?? file.filepath), file.editable, this.#isLive),
        comments((id) => host.onComment?.(id)),
        EditorView.updateListener.of((update) => this.#updated(page, update)),
        EditorView.domEventHandlers({
          compositionstart: () => this.#composing(page, true),
          compositionend: () => this.#composing(page, false),
          focus: () => void (page.isPlaced = true),
          blur: () => this.#blurred(page),
        }),
      ],
    });
    page.state = page.state.update({ selection: { anchor: belowTitle(page.state) } }).state;
    const known = { text: page.state.doc.toString(), hash: file.hash };
    page.file = pageFile(host.client, () => page.path, () => this.#titleOf(page));
    page.saver = new Saver(page.file, this.#buffer(page), known, timers, {
      onStatus: (status) => this.#setStatus(page, status),
      onNotice: (text) => {
        if (this.#shown === page) tell(this.#view, { text, action: { label: writing.editor.undo, run: undo } });
      },
      onDraft: (draft) => this.#drafts.keep(page.path, draft),
    }, host.isProposing);
    this.#pages.set(page.path, page);
    return page;
  }

  #buffer(page: OpenPage): Buffer {
    return {
      text: () => this.#stateOf(page).doc.toString(),
      adopt: (text) => {
        const changes = leastChange(this.#stateOf(page).doc.toString(), text);
        this.#update(page, { changes, annotations: [fromFile.of(true), Transaction.addToHistory.of(false)] });
      },
      showConflict: (theirs) => {
        const number = ++this.#conflicts;
        const decided = () => {
          const isOpen = number === this.#conflicts || this.#shown !== page;
          if (isOpen && getChunks(this.#stateOf(page))?.chunks.length === 0) void page.saver.resolve();
        };
        this.#update(page, { effects: showConflict(theirs === null ? [] : conflictWith(theirs, decided)) });
      },
    };
  }

  #stateOf(page: OpenPage): EditorState {
    return this.#shown === page ? this.#view.state : page.state;
  }

  /** The title of the page, or else its file name. */
  #titleOf(page: OpenPage): string {
    const said = titleIn(this.#stateOf(page))?.trim() ?? '';
    return said && said.length <= LONGEST_TITLE ? said : page.path.replace(/^.*\/|\.[^./]*$/gs, '').slice(0, LONGEST_TITLE);
  }

  #update(page: OpenPage, spec: TransactionSpec): void {
    if (this.#shown === page) this.#view.dispatch(spec);
    else page.state = page.state.update(spec).state;
  }

  /** As `#update`, for a change that is to be saved. */
  #change(page: OpenPage, spec: TransactionSpec): void {
    const before = this.#stateOf(page).doc;
    this.#update(page, spec);
    // The view, which tells of changes, knows only the page that is shown.
    if (this.#shown !== page && !before.eq(page.state.doc)) this.#edited(page, 'typed');
  }

  #show(page: OpenPage): void {
    const left = this.#shown;
    if (left === page) return;
    if (left) {
      left.state = this.#view.state;
      void this.#unshare(left);
    }
    this.#shown = page;
    this.#view.setState(page.state);
    void this.#share(page);
    // The last one wins.
    this.#pages.delete(page.path);
    this.#pages.set(page.path, page);
    this.#host.onStatus(page.status);
    this.#host.onHeading?.(hasHeading(page.state));
    this.#host.onProperties?.(propertiesOf(page.state));
    this.#count();
    this.#follow();
  }

  #forgetOld(): void {
    for (const [path, page] of this.#pages) {
      if (this.#pages.size <= KEPT) return;
      if (page === this.#shown || page.shared || !page.saver.isSettled) continue;
      page.saver.close();
      page.answers.close();
      this.#pages.delete(path);
    }
  }

  #updated(page: OpenPage, update: ViewUpdate): void {
    if (this.#shown !== page) return;
    // The tree reaches a position that the cursor jumped to later.
    if (update.docChanged || update.selectionSet || syntaxTree(update.state) !== syntaxTree(update.startState)) this.#follow();
    if (!update.docChanged) return;
    if (changesProperties(update)) this.#host.onProperties?.(propertiesOf(update.state));
    const typed = update.transactions.filter((transaction) => transaction.docChanged && !transaction.annotation(fromFile) && !transaction.annotation(Transaction.remote));
    if (typed.length > 0) {
      const isPasted = typed.some((transaction) => transaction.isUserEvent('input.paste') || transaction.isUserEvent('input.drop'));
      this.#edited(page, isPasted ? 'pasted' : 'typed');
    }
    this.#count();
  }

  #edited(page: OpenPage, how: 'typed' | 'pasted'): void {
    if (page.shared?.isShared) page.shared.edited();
    else page.saver.edited(how);
  }

  #composing(page: OpenPage, isComposing: boolean): void {
    clearTimeout(this.#composed);
    const tell = () => {
      page.saver.composing(isComposing);
      page.shared?.composing(isComposing);
    };
    if (isComposing) tell();
    else this.#composed = setTimeout(tell, AFTER_COMPOSITION);
  }

  #blurred(page: OpenPage): void {
    // Closing or switching windows may end a composition without an event.
    if (!this.#view.compositionStarted) {
      page.saver.composing(false);
      page.shared?.composing(false);
    }
    if (!page.shared?.isShared && !page.saver.isSettled) void page.saver.save();
  }

  #setStatus(page: OpenPage, status: SaveStatus): void {
    const { state } = page.status;
    page.status = status;
    if (status.state === 'saved') page.shared?.saverSettled();
    if (status.state !== state) this.#host.onUnsaved?.(page.path, !['saved', 'read-only', 'proposed'].includes(status.state));
    if (this.#shown === page) this.#host.onStatus(status);
    else if (status.state === 'gone' && state !== 'gone' && this.#shown && page.saver.hasEdits) this.#tellLeft(page);
  }

  /** The page was left during the save: nothing on screen shows that saving failed. */
  #tellLeft({ path }: OpenPage): void {
    tell(this.#view, {
      text: writing.editor.leftUnsaved(path),
      action: { label: writing.editor.showEdits, run: () => this.#host.open({ page: path }) },
    });
  }

  #count(): void {
    clearTimeout(this.#counting);
    this.#counting = setTimeout(() => {
      this.#host.onStats(pageStats(this.#view.state));
      this.#host.onHeading?.(hasHeading(this.#view.state));
    }, COUNT_PAUSE);
  }

  #follow(): void {
    if (!this.#host.onHeadings) return;
    this.#following ??= setTimeout(() => {
      this.#following = undefined;
      if (this.#shown) this.#host.onHeadings?.(headingsAbove(this.#view.state));
    }, FOLLOW_PAUSE);
  }

  get shown(): string | null {
    return this.#shown?.path ?? null;
  }

  get isPlaced(): boolean {
    return this.#shown?.isPlaced ?? false;
  }

  get line(): number {
    const { doc, selection } = this.#view.state;
    return doc.lineAt(selection.main.head).number;
  }

  focus(): void {
    this.#view.focus();
  }

  append(filepath: string, text: string, at: WritingPlace = 'end'): boolean {
    const page = this.#pages.get(filepath);
    if (!page) return false;
    const from = placeIn(this.#stateOf(page), at);
    this.#change(page, { changes: { from, insert: text }, selection: { anchor: from + text.length }, userEvent: 'input.type', scrollIntoView: true });
    return true;
  }

  async save(isAsked = false): Promise<void> {
    this.#finish();
    const page = this.#shown;
    if (page && isAsked && this.#host.isProposing) await page.saver.save(true);
    else if (page) await this.#save(page);
  }

  goTo(fragment: string): void {
    void lineOf(this.#host.client, this.#shown?.path ?? '', this.#view.state.doc, decodeURIComponent(fragment.replace(/^#/, ''))).then((number) => {
      const { doc } = this.#view.state;
      if (number === null || number > doc.lines) return;
      const { from, to } = doc.line(number);
      // Behind the heading's text: text typed before the `#` would break the heading.
      this.#view.dispatch({ selection: { anchor: to }, effects: EditorView.scrollIntoView(from, { y: 'start', yMargin: 80 }) });
    });
  }

  goToLine(line: number): void {
    const { state } = this.#view;
    const { from, to } = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
    const matter = frontMatterOf(state);
    if (matter && to <= matter.to && editProperties(this.#view)) return;
    this.#view.dispatch({ selection: { anchor: to }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
  }

  replaceText(filepath: string, from: string, to: string): boolean {
    const page = this.#pages.get(filepath);
    if (!page || this.#stateOf(page).doc.toString() !== from) return false;
    // One undo takes back exactly this.
    this.#change(page, { changes: leastChange(from, to), annotations: isolateHistory.of('full'), userEvent: 'input.restore' });
    return true;
  }

  async restore(): Promise<void> {
    await this.#shown?.saver.restore();
  }

  letGo(): () => Promise<void> {
    const page = this.#shown;
    if (!page) return () => Promise.resolve();
    const text = this.#view.state.doc.toString();
    page.saver.letGo();
    this.#host.onUnsaved?.(page.path, false);
    page.answers.close();
    void this.#unshare(page);
    this.#pages.delete(page.path);
    return async () => void (await page.file.create(text));
  }

  keeps(filepath: string): boolean {
    return this.#pages.get(filepath)?.status.state === 'gone';
  }

  insert(text: string): void {
    this.#view.dispatch(this.#view.state.replaceSelection(text), { scrollIntoView: true, userEvent: 'input' });
  }

  attach(files: readonly File[]): void {
    attachFiles(this.#view, files);
    this.#view.focus();
  }

  setLive(isLive: boolean): void {
    this.#isLive = isLive;
    for (const page of this.#pages.values()) {
      const effects = switchTo(isLive, this.#stateOf(page));
      if (effects.length > 0) this.#update(page, { effects });
    }
  }

  relabel(): void {
    this.#view.dispatch({});
  }

  named(): void {
    this.#shown?.shared?.named();
  }

  textOf(filepath: string): string | null {
    const page = this.#pages.get(filepath);
    return page ? this.#stateOf(page).doc.toString() : null;
  }

  quoted(): Quote | null {
    return quoteOf(this.#view.state);
  }

  showComments(filepath: string, marks: readonly CommentMark[], of: string | null): void {
    const page = this.#pages.get(filepath);
    if (page) this.#update(page, { effects: showComments(this.#stateOf(page), marks, of) });
  }

  goToComment(id: string): void {
    const place = placeOfComment(this.#view.state, id);
    if (place) this.#view.dispatch({ selection: { anchor: place.from }, effects: EditorView.scrollIntoView(place.from, { y: 'center' }) });
  }

  /** Where the visible part of the text begins, in the window. */
  #topOfScroller(): number {
    return this.#view.dom.parentElement?.parentElement?.getBoundingClientRect().top ?? 0;
  }

  follow(id: number | null): void {
    this.#followed = null;
    this.#shown?.shared?.follow(id);
  }

  goToGuest(id: number): void {
    const place = this.#shown?.shared?.placeOf(this.#view, id) ?? null;
    if (place !== null) this.#view.dispatch({ effects: EditorView.scrollIntoView(place, { y: 'center' }) });
  }

  editProperties(): void {
    editProperties(this.#view);
  }

  makeBold(): boolean {
    return this.#view.hasFocus && !this.#view.state.selection.main.empty && toggleInline('bold')(this.#view);
  }

  undo(): boolean {
    return undo(this.#view);
  }

  redo(): boolean {
    return redo(this.#view);
  }

  changed(paths: readonly string[]): void {
    for (const page of this.#pages.values()) page.answers.changed();
    const page = this.#shown;
    if (page && (paths.length === 0 || paths.includes(page.path))) void page.saver.fileChanged();
  }

  async renamed(from: string, to: string): Promise<void> {
    const page = this.#pages.get(from);
    if (!page) return;
    this.#pages.delete(from);
    page.path = to;
    this.#pages.set(to, page);
    this.#drafts.renamed(from, to);
    if (this.#wanted === from) this.#wanted = to;
    // The others are at the new path.
    if (!page.shared?.isShared) page.shared?.reconnect();
    // The file may have been missed at its old path.
    if (page.status.state === 'gone') await page.saver.fileChanged();
  }

  async destroy(): Promise<void> {
    finishProperties(this.#view);
    for (const run of this.#unlisten) run();
    clearTimeout(this.#counting);
    clearTimeout(this.#following);
    const pages = [...this.#pages.values()];
    // The state of hidden pages is stored here; that of the current page is in the view.
    if (this.#shown) this.#shown.state = this.#view.state;
    this.#shown = null;
    this.#view.destroy();
    await Promise.all(pages.map((page) => this.#unshare(page)));
    await Promise.all(pages.map((page) => (page.saver.isSettled ? undefined : page.saver.leave())));
    for (const page of pages) {
      page.answers.close();
      page.saver.close();
    }
    await this.#drafts.flush();
  }
}

/** Opens the first page of an editor. Rejects with a `ClientError` if it cannot be read. */
export async function openEditor(host: EditorHost, parent: HTMLElement): Promise<PageEditor> {
  const editor = new PageEditor(host, parent);
  try {
    await editor.openPage(host.filepath, host.fragment);
    return editor;
  } catch (error) {
    await editor.destroy();
    throw ClientError.from(error);
  }
}

