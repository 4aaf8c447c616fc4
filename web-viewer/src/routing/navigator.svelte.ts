// Navigation between pages without reloading the document: addresses, history, scrolling, focus.
import { tick, untrack } from 'svelte';
import { ClientError } from '../client/client';
import type { WritingPlace } from '../editor/stats';
import { articleOf, enhance, headingsOf, remember, show, showFacts, update, type Addresses } from '../reading/article';
import { side } from '../pages/view.svelte';
import { layout } from '../state/layout.svelte';
import { isWritable } from '../site';
import type { Session } from '../state/session.svelte';
import { settings } from '../state/settings.svelte';
import type { ListedPage, RenderPageOutput } from '#contract';
import { addressOf, bare, decoded as decode, DEFAULT_DEPTH, fragment, placeOf, usualUrl, type Place, type View } from './urls';
import { language } from '../words/language.svelte';

export interface Destination {
  page: string;
  anchor?: string;
  view?: View;
  /** The tab that shows it, if it is not the current one. */
  tab?: string;
  /** Where the article is scrolled to, in pixels, unless `anchor` says it. */
  y?: number;
}

/** The state of a history entry, besides its address. */
interface Entry {
  page: string | null;
  folder: string | null;
  y: number;
  tab: string;
}

/** Pages kept open besides the current one. */
export interface Tabs {
  has(tab: string): boolean;
  /** A tab shows this place now. */
  arrived(tab: string, place: Place): void;
  /** Opens a page in a new tab, and shows it if `isInFront`. */
  open(to: Destination, isInFront: boolean): void;
}

/** Shows pages in place of the article: the editor. */
export interface Desk {
  /** Whether it shows the current page. */
  readonly isUsed: boolean;
  /** Whether it would show this page. */
  edits(page: string): boolean;
  /** Resolves when the page is on screen, or cannot be shown. */
  show(page: string, anchor: string): Promise<void>;
  /** Whether it still has the text of a deleted page. */
  keeps(page: string): boolean;
  goTo(anchor: string): void;
  /** Goes to a line of the page, from 1, once it is on screen. */
  toLine(page: string, line: number): Promise<void>;
  /** Focuses the text of the page if it has had the focus, or else the page. */
  focus(): void;
  /** Focuses the text of a page once it is on screen, behind the text typed for it. False if it cannot be shown. */
  write(page: string, typed?: { composed(): Promise<void>; end(): string }, at?: WritingPlace): Promise<boolean>;
}

const READING: View = { kind: 'page' };

/** The name of a project, and something on it. After the colon of a title, there is a space. */
const NAMES_PROJECT = /^[\p{L}\p{N}_./@-]+:\S/u;

/** Milliseconds that loading images may move a heading, before it is left where it is. */
const SETTLING_MS = 4000;

export class Navigator {
  place = $state.raw<Place>({ page: null, anchor: '', view: READING });
  /** Whether loading a page takes longer than a moment. */
  waiting = $state(false);
  problem = $state.raw<ClientError | null>(null);
  desk: Desk | null = null;
  tabs: Tabs | null = null;
  /** Id of the current tab; empty without tabs. */
  tab = $state('');
  readonly #session: Session;
  readonly #main: HTMLElement;
  #pageUrl: URL;
  #latest = 0;
  /** A page that was opened while the article was hidden. */
  #unseen: RenderPageOutput | null = null;

  constructor(session: Session, main: HTMLElement) {
    this.#session = session;
    this.addresses = {
      page: (page, anchor) => (this.#session.folder === null ? undefined : this.href({ page, anchor: decode(anchor) })),
      file: (path) => this.#session.client?.fileUrl(path),
      ...(isWritable(session.site) ? { source: (path, lines) => this.fileHref(path, lines) } : {}),
      ...(session.site.hub ? { elsewhere: (links) => void this.#toOthers(links) } : {}),
      ticks: isWritable(session.site),
    };
    this.#main = main;
    this.#pageUrl = new URL(bare(location.href));
    history.scrollRestoration = 'manual';
    addEventListener('popstate', (event) => void this.#back(event.state as Entry | null));
    addEventListener('pagehide', () => this.#remember());
    addEventListener('scrollend', () => this.#remember());
    main.ownerDocument.addEventListener('click', (event) => this.#click(event));
    main.ownerDocument.addEventListener('auxclick', (event) => this.#middleClick(event));
  }

  readonly addresses: Addresses;

  /** Adopts the page of the document. */
  adopt(): void {
    const { site } = this.#session;
    this.place = placeOf(new URL(location.href), site.page);
    const article = articleOf(this.#main);
    const entry = history.state as Entry | null;
    this.tab = entry?.tab ?? '';
    if (article && site.page) {
      const title = article.querySelector('h1')?.textContent ?? '';
      this.#session.shown = { filepath: site.page, title, headings: headingsOf(article) };
      if (site.mode === 'server') remember(article);
      enhance(article, this.addresses);
    }
    if (!isWritable(site) && this.place.view.kind !== 'graph') this.place = { ...this.place, view: READING };
    if (entry?.y) scrollTo({ top: entry.y, behavior: 'instant' });
    else this.#scrollToAnchor(this.place.anchor);
    history.replaceState(this.#entry(), '');
  }

  /** Opens the project, then adds what needs it. */
  async start(): Promise<void> {
    await this.#session.start();
    if (!this.#session.client) return;
    const { page, anchor, view } = this.place;
    this.#setView(view);
    if (page !== null && this.#session.shown?.filepath === page) await this.#loadDetails(page);
    else if (page !== null) await this.go({ page, anchor, view }, 'replace');
  }

  /** After opening a folder: shows its first page, below the address of the document. */
  async openedFolder(): Promise<void> {
    this.#remember();
    this.place = { page: null, anchor: '', view: READING };
    const { home } = this.#session;
    if (home) await this.go({ page: home });
  }

  /** Back from the folder to the document of this address. */
  closeFolder(): void {
    location.assign(this.#pageUrl);
  }

  /** The address of a destination, for links. */
  href({ page, anchor = '', view = READING }: Destination): string {
    const away = this.away(page);
    if (away) return away + (anchor && `#${fragment(anchor)}`);
    return addressOf({ page, anchor, view }, this.#urlOf(page), this.#session.folder !== null);
  }

  /** The address of a page of another project of the hub; null for pages of this one. */
  away(page: string): string | null {
    const { mode, root, hub } = this.#session.site;
    if ((mode !== 'hub' && !hub) || !NAMES_PROJECT.test(page) || this.#session.byPath.has(page)) return null;
    return `${hub?.root ?? root}open?page=${encodeURIComponent(page)}`;
  }

  /** Lets links that lead nowhere in this project lead to other ones. */
  async #toOthers(links: HTMLAnchorElement[]): Promise<void> {
    const { site, shown } = this.#session;
    const page = shown?.filepath ?? site.page;
    if (page === null || links.length === 0) return;
    const { leadElsewhere } = await import('../reading/elsewhere');
    await leadElsewhere(links, page, site.root, (page, anchor) => this.href({ page, anchor }));
  }

  /** The address of a file of the project beside the current page. `lines`: `L10-L20`, or empty. */
  fileHref(path: string, lines = ''): string {
    return addressOf({ page: this.place.page, anchor: lines, view: { kind: 'file', path } }, this.#pageUrl, false);
  }

  #urlOf(page: string): URL {
    if (this.#session.folder !== null) return new URL(this.#pageUrl);
    if (page === this.place.page) return this.#pageUrl;
    return new URL(usualUrl(page), this.#session.site.root);
  }

  /** Whether the user is still here, and not on the way to another place; for what follows a late answer. */
  staying(): () => boolean {
    const [turn, place] = [this.#latest, this.place];
    return () => turn === this.#latest && place === this.place;
  }

  async go(to: Destination, how: 'push' | 'replace' = 'push'): Promise<void> {
    if (this.away(to.page)) return location.assign(this.href(to));
    const view = to.view ?? READING;
    const isHere = this.#session.shown?.filepath === to.page;
    const turn = ++this.#latest;
    const anchor = to.anchor ?? '';
    this.problem = null;
    if (!isHere && view.kind === 'page' && this.desk?.edits(to.page)) {
      const listed = this.#session.byPath.get(to.page) ?? this.#kept(to.page);
      if (listed) return this.#goToEdit(listed, { ...to, anchor }, how, turn);
    }
    const patience = setTimeout(() => (this.waiting = turn === this.#latest), 200);
    try {
      const page = isHere ? null : await this.#session.rendered(to.page);
      if (turn !== this.#latest) return;
      if (how === 'push') this.#remember();
      if (page && this.#session.folder === null) this.#pageUrl = new URL(page.url, this.#session.site.root);
      this.#arrive({ page: to.page, anchor, view }, to.tab);
      const address = addressOf(this.place, this.#pageUrl, this.#session.folder !== null);
      if (how === 'push') history.pushState(this.#entry(0), '', address);
      else history.replaceState(this.#entry(0), '', address);
      if (page && !isHere) this.#show(page);
      this.#setView(view);
      if (view.kind === 'page' && this.desk?.isUsed) {
        if (!isHere) void this.desk.show(to.page, anchor);
        else if (anchor) this.desk.goTo(anchor);
        this.desk.focus();
      } else if (view.kind === 'page') {
        if (!isHere || !anchor) this.#main.focus({ preventScroll: true });
        // In place of the editor, the article must be visible before it can be scrolled.
        await tick();
        if (turn === this.#latest && !this.#scrollToAnchor(anchor)) scrollTo({ top: to.y ?? 0, behavior: 'instant' });
      }
    } catch (error) {
      if (turn === this.#latest) this.problem = ClientError.from(error);
    } finally {
      clearTimeout(patience);
      if (turn === this.#latest) this.waiting = false;
    }
  }

  /** In editing mode, show the page before it is rendered, because the article is hidden. */
  async #goToEdit({ filepath, title }: Pick<ListedPage, 'filepath' | 'title'>, { anchor, tab }: { anchor: string; tab?: string }, how: 'push' | 'replace', turn: number): Promise<void> {
    if (how === 'push') this.#remember();
    this.#pageUrl = new URL(usualUrl(filepath), this.#session.site.root);
    this.#arrive({ page: filepath, anchor, view: READING }, tab);
    const address = addressOf(this.place, this.#pageUrl, false);
    if (how === 'push') history.pushState(this.#entry(0), '', address);
    else history.replaceState(this.#entry(0), '', address);
    this.#session.shown = { filepath, title, headings: [] };
    this.#session.details = null;
    this.#setView(READING);
    void this.desk?.show(filepath, anchor);
    this.desk?.focus();
    this.#title(title);
    layout.announce(title);
    void this.#loadDetails(filepath);
    const page = await this.#session.rendered(filepath).catch(() => null);
    if (!page || turn !== this.#latest) return;
    this.#session.shown = page;
    if (this.desk?.isUsed) this.#unseen = page;
    else this.#article(page);
    const own = new URL(page.url, this.#session.site.root);
    if (own.href === this.#pageUrl.href) return;
    this.#pageUrl = own;
    history.replaceState(this.#entry(), '', addressOf(this.place, own, false));
  }

  /** Switches between page, graph and files, or changes the options of the graph. `anchor`: the lines of a file. */
  look(view: View, how: 'push' | 'replace' = 'push', anchor = ''): void {
    if (how === 'push') this.#remember();
    this.#arrive({ ...this.place, anchor, view });
    const address = addressOf(this.place, this.#pageUrl, this.#session.folder !== null);
    if (how === 'push') history.pushState(this.#entry(0), '', address);
    else history.replaceState(this.#entry(), '', address);
    this.#setView(view);
    if (view.kind === 'page') this.focusPage();
  }

  /** Opens or closes a view in place of the page. */
  toggle(kind: 'graph' | 'review' | 'problems' | 'queue' | 'proposals' | 'sessions'): void {
    if (this.place.view.kind === kind) this.look({ kind: 'page' });
    else if (kind === 'graph') this.look({ kind, scope: this.place.page ? 'local' : 'all', depth: DEFAULT_DEPTH });
    else if (kind === 'queue') this.look({ kind, item: null });
    else if (kind === 'proposals') this.look({ kind, proposal: null });
    else if (kind === 'sessions') this.look({ kind, session: null });
    else this.look({ kind });
  }

  /** Focuses the page. */
  focusPage(): void {
    if (this.desk?.isUsed) this.desk.focus();
    else this.#main.focus({ preventScroll: true });
  }

  /** Updates the article to the page that was opened while it was hidden. */
  reveal(): void {
    if (this.#unseen) this.#article(this.#unseen);
    this.#scrollToAnchor(this.place.anchor);
  }

  /** Shows the changed page again without moving the reader. */
  async refresh(): Promise<void> {
    const { shown } = this.#session;
    if (!shown) return;
    const turn = this.#latest;
    const page = await this.#session.rendered(shown.filepath).catch(() => null);
    if (!page || turn !== this.#latest || this.#session.shown?.filepath !== page.filepath) return;
    this.#session.shown = page;
    this.#title(page.title);
    const article = articleOf(this.#main);
    if (this.desk?.isUsed || !article) this.#unseen = page;
    else update(article, page, this.addresses);
  }

  /** The current page was renamed. */
  async moved(from: string, to: string): Promise<void> {
    if (this.#session.shown?.filepath !== from) return;
    const page = await this.#session.rendered(to);
    if (this.#session.shown?.filepath !== from) return;
    this.#pageUrl = new URL(page.url, this.#session.site.root);
    this.#arrive({ ...this.place, page: to });
    history.replaceState(this.#entry(), '', addressOf(this.place, this.#pageUrl, false));
    this.#session.shown = page;
    this.#title(page.title);
    if (this.desk?.isUsed) this.#unseen = page;
    else this.#article(page);
    await this.#loadDetails(to);
  }

  async #back(entry: Entry | null): Promise<void> {
    const place = placeOf(new URL(location.href), entry?.page ?? null);
    const { shown, folder } = this.#session;
    // Pages of another folder, or of the site while a folder is open, need a reload.
    if (entry && entry.folder !== folder) return location.reload();
    const tab = entry && this.tabs?.has(entry.tab) ? entry.tab : this.tab;
    if (!place.page || place.page === shown?.filepath) {
      this.#arrive({ ...place, page: place.page ?? shown?.filepath ?? null }, tab);
      this.#setView(place.view);
      if (this.desk?.isUsed) {
        if (place.anchor) this.desk.goTo(place.anchor);
      } else if (entry) scrollTo({ top: entry.y, behavior: 'instant' });
      else this.#scrollToAnchor(place.anchor);
      return;
    }
    const turn = ++this.#latest;
    const kept = this.desk?.edits(place.page) && !this.#session.byPath.has(place.page) ? this.#kept(place.page) : null;
    if (kept) return this.#showKept(place, kept, tab);
    try {
      const page = await this.#session.rendered(place.page);
      if (turn !== this.#latest) return;
      if (folder === null) this.#pageUrl = new URL(bare(location.href));
      this.#arrive(place, tab);
      this.problem = null;
      this.#show(page);
      this.#setView(place.view);
      if (this.desk?.isUsed) {
        void this.desk.show(place.page, place.anchor);
        this.desk.focus();
      } else {
        await tick();
        if (turn === this.#latest) scrollTo({ top: entry?.y ?? 0, behavior: 'instant' });
      }
    } catch {
      location.reload();
    }
  }

  /** For a deleted page, only the text in the editor is left. */
  #kept(filepath: string): Pick<ListedPage, 'filepath' | 'title'> | null {
    return this.desk?.keeps(filepath) ? { filepath, title: filepath.replace(/^.*\/|\.[^./]*$/gs, '') } : null;
  }

  #showKept(place: Place, { filepath, title }: Pick<ListedPage, 'filepath' | 'title'>, tab: string): void {
    this.#pageUrl = new URL(bare(location.href));
    this.#arrive(place, tab);
    this.problem = null;
    this.#session.shown = { filepath, title, headings: [] };
    this.#session.details = null;
    this.#setView(place.view);
    this.#title(title);
    layout.announce(title);
    void this.desk?.show(filepath, place.anchor);
  }

  #show(page: RenderPageOutput): void {
    // Whether the desk is used depends on the page.
    this.#session.shown = page;
    this.#session.details = null;
    if (this.desk?.isUsed) this.#unseen = page;
    else this.#article(page);
    this.#title(page.title);
    layout.announce(page.title);
    void this.#loadDetails(page.filepath);
  }

  #article(page: RenderPageOutput): void {
    this.#unseen = null;
    const article = show(this.#main, page, this.addresses);
    for (const picture of article.querySelectorAll('img')) picture.decoding = 'async';
    if (this.#session.details?.filepath === page.filepath) showFacts(article, this.#session.details);
  }

  /** Shows the facts about the page in the language of the interface. */
  retell(): void {
    void language();
    untrack(() => this.#tellFacts());
  }

  #tellFacts(): void {
    const article = articleOf(this.#main);
    const { details } = this.#session;
    if (article && details && article.dataset['page'] === details.filepath) showFacts(article, details);
  }

  #title(title: string): void {
    document.title = title === this.#session.name ? title : `${title} · ${this.#session.name}`;
  }

  async #loadDetails(page: string): Promise<void> {
    try {
      await this.#session.loadDetails(page);
    } catch {
      return; // The page itself can be read; the rail says that there is nothing more.
    }
    this.#tellFacts();
  }

  #arrive(place: Place, tab = this.tab): void {
    this.place = place;
    this.tab = tab;
    this.tabs?.arrived(tab, place);
  }

  #setView(view: View): void {
    document.documentElement.dataset['view'] = view.kind;
  }

  #entry(y = scrollY): Entry {
    return { page: this.place.page, folder: this.#session.folder, y, tab: this.tab };
  }

  #remember(): void {
    if (this.place.view.kind === 'page') history.replaceState(this.#entry(), '');
  }

  #scrollToAnchor(anchor: string): boolean {
    const target = anchor ? document.getElementById(anchor) : null;
    if (!target || !this.#main.contains(target)) return false;
    this.#settleOn(target);
    target.classList.remove('arrived');
    void target.offsetWidth;
    target.classList.add('arrived');
    return true;
  }

  /** Scrolls to a heading, and stays there while images above it load, unless the reader scrolls. */
  #settleOn(target: HTMLElement): void {
    target.scrollIntoView({ block: 'start', behavior: 'instant' });
    let expected = scrollY;
    const stop = new AbortController();
    setTimeout(() => stop.abort(), SETTLING_MS);
    const again = () => {
      if (!target.isConnected || Math.abs(scrollY - expected) > 2) return stop.abort();
      target.scrollIntoView({ block: 'start', behavior: 'instant' });
      expected = scrollY;
    };
    this.#main.addEventListener('load', again, { capture: true, signal: stop.signal });
  }

  #click(event: MouseEvent): void {
    // With other keys, the click is the browser's: a tab or window of its own.
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (event.altKey) return this.#inTab(event, true);
    const tag = (event.target as Element).closest<HTMLElement>('button[data-tag]')?.dataset['tag'];
    if (tag !== undefined) {
      if (layout.noSide) layout.layer = 'pages';
      else settings.side = true;
      side.showTag(tag);
      return;
    }
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
    if (!link || link.target || link.hasAttribute('download')) return;
    if (link.classList.contains('skip')) {
      event.preventDefault();
      this.#main.focus();
      return;
    }
    const url = new URL(link.href);
    const file = link.dataset['projectFile'];
    if (file !== undefined) {
      event.preventDefault();
      layout.layer = null;
      this.look({ kind: 'file', path: file }, 'push', decode(url.hash.slice(1)));
      return;
    }
    const page = link.dataset['page'];
    if (page !== undefined && this.#session.client) {
      event.preventDefault();
      layout.layer = null;
      void this.go({ page, anchor: decode(url.hash.slice(1)) });
    } else if (page === undefined && url.hash && bare(url.href) === bare(location.href) && this.place.page) {
      const anchor = decode(url.hash.slice(1));
      if (!this.desk?.isUsed && !document.getElementById(anchor)) return;
      if (!link.closest('main, aside, dialog')) return;
      event.preventDefault();
      layout.layer = null;
      void this.go({ page: this.place.page, anchor });
    }
  }

  #middleClick(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 1 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    this.#inTab(event, event.altKey);
  }

  /** Opens the page of the clicked link in a new tab. */
  #inTab(event: MouseEvent, isInFront: boolean): void {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href][data-page]');
    const page = link?.dataset['page'];
    if (!link || page === undefined || !this.tabs || !this.#session.client) return;
    event.preventDefault();
    if (isInFront) layout.layer = null;
    this.tabs.open({ page, anchor: decode(new URL(link.href).hash.slice(1)) }, isInFront);
  }
}
