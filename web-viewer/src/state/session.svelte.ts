// The open project: its client, its pages, and the current page.
import type { GetPageOutput, ListedPage, RenderPageOutput } from '#contract';
import { ClientError, type ClientEvents, type Meaning, type UbpClient } from '../client/client';
import { connect, openFolder } from '../client/connect';
import { HubClient, type LinksElsewhere } from '../client/hub.svelte';
import type { Opening } from '../client/protocol';
import type { Folder } from '../folder/read';
import type { Site } from '../site';
import { FEW, endsOf, listed, movedBy, newsOf, patched, reconciled, type Ends } from './changes';
import { words } from '../words/words';

export type Phase = 'opening' | 'ready' | 'failed' | 'nothing';

/** The current page, as needed by navigation and the sidebar. */
export type Shown = Pick<RenderPageOutput, 'filepath' | 'title' | 'headings'>;

const KEPT_PAGES = 40;
/** Changes within this time, in milliseconds, are processed together. */
const TOGETHER_MS = 120;
/** Number of pages whose links are remembered, to find out which links a change added or removed. */
const KEPT_LINKS = 400;
/** Milliseconds without a change before the whole list is requested, if single pages were not sufficient. */
const QUIET_MS = 4000;

export class Session {
  readonly site: Site;
  client = $state.raw<UbpClient | null>(null);
  phase = $state<Phase>('opening');
  opening = $state.raw<Opening | null>(null);
  failure = $state.raw<ClientError | null>(null);
  #pages = $state.raw<readonly ListedPage[]>([]);
  #byPath = new Map<string, ListedPage>();
  /** Name of the reader's own folder, if one is open. */
  folder = $state.raw<string | null>(null);
  shown = $state.raw<Shown | null>(null);
  details = $state.raw<GetPageOutput | null>(null);
  /** All projects of the hub that the project is in. */
  readonly hub: HubClient | null;
  /** Links between the current page and other projects. */
  elsewhere = $state.raw<LinksElsewhere | null>(null);
  meaning = $state.raw<Meaning>({ state: 'none' });
  vectors = $state.raw<{ done: number; total: number } | null>(null);
  /** Number of processed changes, for views that depend on more than the page list. */
  taken = $state(0);
  /** Called after changes were processed, with the paths of the changed pages; empty for any page. */
  onFollowed: ((paths: readonly string[]) => void) | null = null;
  readonly #ends = new Map<string, Ends>();
  readonly #rendered = new Map<string, Promise<RenderPageOutput>>();
  #changed = new Set<string>();
  #changedAny = false;
  #taking: ReturnType<typeof setTimeout> | undefined;
  #askingAll: ReturnType<typeof setTimeout> | undefined;

  constructor(site: Site) {
    this.site = site;
    this.hub = site.hub && new HubClient(site.hub.root, site.hub.project);
  }

  /** All pages: the same array and objects, unless they changed. */
  get pages(): readonly ListedPage[] {
    return this.#pages;
  }

  get byPath(): ReadonlyMap<string, ListedPage> {
    // Updated together with the list.
    void this.#pages;
    return this.#byPath;
  }

  #setPages(pages: readonly ListedPage[]): void {
    if (pages === this.#pages) return;
    this.#byPath = new Map(pages.map((page) => [page.filepath, page]));
    this.#pages = pages;
  }

  #patchPages(heard: ReadonlyMap<string, ListedPage | null>): void {
    const news = newsOf(this.#byPath, heard);
    const pages = patched(this.#pages, this.#byPath, news);
    for (const [path, page] of news) {
      if (page) this.#byPath.set(path, page);
      else this.#byPath.delete(path);
    }
    this.#pages = pages;
  }

  get name(): string {
    return this.folder ?? this.site.name;
  }

  /** Path of the home page. */
  get home(): string | null {
    if (this.folder === null) return this.site.home;
    const names = ['home', 'index', 'readme', 'welcome'];
    const rank = ({ filepath }: ListedPage) => {
      const name = names.indexOf(filepath.replace(/\.[^.]*$/, '').toLowerCase());
      return name < 0 ? names.length : name;
    };
    const roots = this.pages.filter((page) => !page.filepath.includes('/'));
    const named = roots.filter((page) => rank(page) < names.length).sort((a, b) => rank(a) - rank(b));
    return (named[0] ?? roots[0] ?? this.pages[0])?.filepath ?? null;
  }

  async start(): Promise<void> {
    this.phase = 'opening';
    await this.#open(() => connect(this.site, (opening) => (this.opening = opening)));
  }

  /** Opens the reader's folder in place of the project. If that fails, the project stays open. */
  async openFolder(folder: Folder, onOpening: (opening: Opening) => void): Promise<void> {
    const client = await openFolder(folder, this.site, onOpening);
    const { pages } = await client.call('list_pages', {});
    if (pages.length === 0) {
      client.close();
      throw new ClientError('no_pages', words.app.noPages(folder.name), words.app.pagesEnd);
    }
    this.folder = folder.name;
    this.shown = null;
    this.details = null;
    await this.#open(() => Promise.resolve(client));
  }

  async #open(connecting: () => Promise<UbpClient | null>): Promise<void> {
    this.client?.close();
    this.client = null;
    this.#rendered.clear();
    this.#ends.clear();
    clearTimeout(this.#askingAll);
    this.#askingAll = undefined;
    this.vectors = null;
    try {
      const client = await connecting();
      if (!client) {
        this.#setPages([]);
        this.phase = 'nothing';
        return;
      }
      client.on('meaning', (meaning) => (this.meaning = meaning));
      client.on('vectors', (vectors) => (this.vectors = vectors));
      client.on('changed', (change) => this.#note(client, change));
      this.meaning = client.meaning;
      this.#setPages((await client.call('list_pages', {})).pages);
      this.client = client;
      this.phase = 'ready';
    } catch (error) {
      this.failure = ClientError.from(error);
      this.phase = 'failed';
    } finally {
      this.opening = null;
    }
  }

  /** Clears the cache of rendered pages. */
  forget(): void {
    this.#rendered.clear();
  }

  /** Processes changes made here without waiting for the event; no paths stand for any page. */
  noteChange(paths: string[]): void {
    if (this.client) this.#note(this.client, { paths });
  }

  /** Adds a page that was created here, before it is opened. */
  async learn(path: string): Promise<void> {
    const client = this.#client();
    const page = await this.#found(client, path);
    if (!page || this.client !== client) return;
    this.#rendered.clear();
    this.#remember(path, page);
    this.#patchPages(new Map([[path, listed(page)]]));
    // Links to other pages, or broken ones, may now point to it.
    this.#askAllLater(client);
  }

  #note(client: UbpClient, { paths, all }: ClientEvents['changed']): void {
    this.#rendered.clear();
    for (const path of paths) this.#changed.add(path);
    if (all || paths.length === 0) this.#changedAny = true;
    this.#takeSoon(client);
  }

  #takeSoon(client: UbpClient): void {
    this.#taking ??= setTimeout(() => {
      void this.#take(client).finally(() => {
        // One at a time, so that answers are not mixed up.
        this.#taking = undefined;
        if (this.client && (this.#changed.size > 0 || this.#changedAny)) this.#takeSoon(this.client);
      });
    }, TOGETHER_MS);
  }

  async #take(client: UbpClient): Promise<void> {
    const paths = [...this.#changed];
    let any = this.#changedAny || paths.length > FEW;
    this.#changed = new Set();
    this.#changedAny = false;
    if (this.#askingAll !== undefined) this.#askAllLater(client);
    try {
      if (!any) any = !(await this.#takeFew(client, paths));
      if (any) {
        await this.#askAll(client);
        if (this.shown) await this.loadDetails(this.shown.filepath);
      }
    } catch {
      // What is shown may be outdated; the next change requests it again.
    }
    this.taken++;
    if (this.client === client) this.onFollowed?.(any ? [] : paths);
  }

  /** Requests the changed pages and those whose links changed. False if there are too many. */
  async #takeFew(client: UbpClient, paths: readonly string[]): Promise<boolean> {
    const ask = (paths: Iterable<string>) => Promise.all([...paths].map(async (path) => [path, await this.#found(client, path)] as const));
    // Any of them may have changed the backlinks of the current page.
    const found = await ask(new Set([...paths, ...(this.shown ? [this.shown.filepath] : [])]));
    const moved = new Set<string>();
    let isSure = true;
    for (const [path, page] of found) {
      const listed = this.#byPath.get(path);
      const now: Ends = page ? endsOf(page) : new Set();
      const before = this.#ends.get(path) ?? (listed ? null : new Set<string>());
      // Its former links are unknown, so removed links cannot be found; too many links to request all targets.
      if (!before && now.size > FEW) isSure = false;
      else for (const end of movedBy(before ?? new Set(), now)) moved.add(end);
      // Names may resolve differently when a page is added, removed or renamed.
      if (paths.includes(path) && (!before || listed?.title !== page?.title)) isSure = false;
    }
    for (const [path] of found) moved.delete(path);
    if (moved.size > FEW) return false;
    const heard = [...found, ...(await ask(moved))];
    if (this.client !== client) return true;
    for (const [path, page] of heard) this.#remember(path, page);
    this.#patchPages(new Map(heard.map(([path, page]) => [path, page && listed(page)])));
    if (!isSure) this.#askAllLater(client);
    return true;
  }

  async #askAll(client: UbpClient): Promise<void> {
    clearTimeout(this.#askingAll);
    this.#askingAll = undefined;
    const { pages } = await client.call('list_pages', {});
    if (this.client === client) this.#setPages(reconciled(this.#pages, this.#byPath, pages));
  }

  /** Requests the whole list once nothing has changed for a while, for example after typing. */
  #askAllLater(client: UbpClient): void {
    clearTimeout(this.#askingAll);
    this.#askingAll = setTimeout(() => void this.#askAll(client).catch(() => {}), QUIET_MS);
  }

  #remember(path: string, page: GetPageOutput | null): void {
    this.#ends.delete(path);
    if (page) this.#ends.set(path, endsOf(page));
    const oldest = this.#ends.keys().next().value;
    if (this.#ends.size > KEPT_LINKS && oldest !== undefined) this.#ends.delete(oldest);
  }

  /** Requests a changed page; null if it does not exist. Updates the details of the current page. */
  async #found(client: UbpClient, path: string): Promise<GetPageOutput | null> {
    try {
      const page = await client.call('get_page', { filepath: path, answers: false });
      // If there is no page at a path, the engine may answer with a page of the same name in another folder.
      if (page.filepath !== path) return null;
      if (this.shown?.filepath === path) this.details = page;
      return page;
    } catch (error) {
      if (ClientError.from(error).code === 'page_not_found') return null;
      throw error;
    }
  }

  /** The HTML of a page, cached because previews and visits need the same pages. */
  rendered(page: string): Promise<RenderPageOutput> {
    const known = this.#rendered.get(page);
    if (known) return known;
    const asked = this.#client().call('render_page', { page });
    this.#rendered.set(page, asked);
    asked.catch(() => this.#rendered.delete(page));
    const oldest = this.#rendered.keys().next().value;
    if (this.#rendered.size > KEPT_PAGES && oldest !== undefined) this.#rendered.delete(oldest);
    return asked;
  }

  async loadDetails(page: string): Promise<void> {
    const client = this.#client();
    const details = await client.call('get_page', { filepath: page, answers: false });
    const known = this.#byPath.get(details.filepath);
    const now = listed(details);
    // It changed without an event, and so may have the pages linked with it.
    if (known && this.client === client && (known.link_count !== now.link_count || known.backlink_count !== now.backlink_count)) this.#askAllLater(client);
    this.#remember(details.filepath, details);
    if (this.shown?.filepath === page) this.details = details;
    void this.#loadElsewhere(page);
  }

  async #loadElsewhere(page: string): Promise<void> {
    if (!this.hub || this.folder !== null) return;
    // The page itself has no error if another project has one.
    const links = await this.hub.links(page).catch(() => null);
    if (links && this.shown?.filepath === page) this.elsewhere = links;
  }

  #client(): UbpClient {
    if (!this.client) throw new ClientError('not_open', words.app.notOpen);
    return this.client;
  }
}
