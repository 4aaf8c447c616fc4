// The project that is open: where its answers come from, what is known of it, and which page is shown.
import type { GetPageOutput, ListedPage, RenderPageOutput } from '#contract';
import { ClientError, type ClientEvents, type Meaning, type UbpClient } from '../client/client';
import { connect, openFolder } from '../client/connect';
import type { Opening } from '../client/protocol';
import type { Folder } from '../folder/read';
import type { Site } from '../site';
import { FEW, endsOf, listed, movedBy, newsOf, patched, reconciled, type Ends } from './changes';

export type Phase = 'opening' | 'ready' | 'failed' | 'nothing';

/** The page that is shown, as far as navigating and the rail need it. */
export type Shown = Pick<RenderPageOutput, 'filepath' | 'title' | 'headings'>;

const KEPT_PAGES = 40;
/** Changes that come closer together than this, in milliseconds, are taken in at once. */
const TOGETHER_MS = 120;
/** Pages whose links are remembered, to know which links came and went when one of them changes. */
const KEPT_LINKS = 400;
/** Milliseconds without a change after which all pages are asked for, where a few did not tell everything. */
const QUIET_MS = 4000;

export class Session {
  readonly site: Site;
  client = $state.raw<UbpClient | null>(null);
  phase = $state<Phase>('opening');
  opening = $state.raw<Opening | null>(null);
  failure = $state.raw<ClientError | null>(null);
  #pages = $state.raw<readonly ListedPage[]>([]);
  #byPath = new Map<string, ListedPage>();
  /** Name of the reader's own folder, where one is open. */
  folder = $state.raw<string | null>(null);
  shown = $state.raw<Shown | null>(null);
  details = $state.raw<GetPageOutput | null>(null);
  meaning = $state.raw<Meaning>({ state: 'none' });
  vectors = $state.raw<{ done: number; total: number } | null>(null);
  /** How often changes were taken in: for what depends on more of a page than the list tells. */
  taken = $state(0);
  /** Told after changes were taken in: the pages they were of, none for any. */
  onFollowed: ((paths: readonly string[]) => void) | null = null;
  readonly #ends = new Map<string, Ends>();
  readonly #rendered = new Map<string, Promise<RenderPageOutput>>();
  #changed = new Set<string>();
  #changedAny = false;
  #taking: ReturnType<typeof setTimeout> | undefined;
  #askingAll: ReturnType<typeof setTimeout> | undefined;

  constructor(site: Site) {
    this.site = site;
  }

  /** All pages: the same list, and the same objects in it, unless something of them changed. */
  get pages(): readonly ListedPage[] {
    return this.#pages;
  }

  get byPath(): ReadonlyMap<string, ListedPage> {
    // Kept beside the list, and as true as that is.
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

  /** Path of the page to begin with. */
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

  /** Opens a folder of the reader's in the place of the project; if that fails, the project stays. */
  async openFolder(folder: Folder, onOpening: (opening: Opening) => void): Promise<void> {
    const client = await openFolder(folder, this.site, onOpening);
    const { pages } = await client.call('list_pages', {});
    if (pages.length === 0) {
      client.close();
      throw new ClientError('no_pages', `“${folder.name}” holds no Markdown pages.`, 'Pages are files that end in .md or .markdown.');
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

  /** Asks anew for every page that is shown from here on. */
  forget(): void {
    this.#rendered.clear();
  }

  /** Takes in what was changed from here, without waiting to be told; no paths stand for any. */
  noteChange(paths: string[]): void {
    if (this.client) this.#note(this.client, { paths });
  }

  /** Takes in a page that was made from here, before somebody goes there. */
  async learn(path: string): Promise<void> {
    const client = this.#client();
    const page = await this.#found(client, path);
    if (!page || this.client !== client) return;
    this.#rendered.clear();
    this.#remember(path, page);
    this.#patchPages(new Map([[path, listed(page)]]));
    // Links that led nowhere, or elsewhere, may lead there now.
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
        // One after another, so that no answer is taken for a later one's.
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
      // What is shown stays true to what it was; the next change asks again.
    }
    this.taken++;
    if (this.client === client) this.onFollowed?.(any ? [] : paths);
  }

  /** Asks for pages that changed, and for those at the other end of links that came or went. False where that is many. */
  async #takeFew(client: UbpClient, paths: readonly string[]): Promise<boolean> {
    const ask = (paths: Iterable<string>) => Promise.all([...paths].map(async (path) => [path, await this.#found(client, path)] as const));
    // A link on any of them may lead to the page that is shown.
    const found = await ask(new Set([...paths, ...(this.shown ? [this.shown.filepath] : [])]));
    const moved = new Set<string>();
    let isSure = true;
    for (const [path, page] of found) {
      const listed = this.#byPath.get(path);
      const now: Ends = page ? endsOf(page) : new Set();
      const before = this.#ends.get(path) ?? (listed ? null : new Set<string>());
      // Nobody looked at it before: which links went is not known, and that many that are there came is not likely.
      if (!before && now.size > FEW) isSure = false;
      else for (const end of movedBy(before ?? new Set(), now)) moved.add(end);
      // Names may lead elsewhere when a page comes, goes, or is called otherwise.
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

  /** Asks for all pages when nothing changed for a while: somebody may be typing. */
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

  /** A page that changed; null if it is gone. The page that is shown is looked at closer. */
  async #found(client: UbpClient, path: string): Promise<GetPageOutput | null> {
    try {
      const page = await client.call('get_page', { filepath: path });
      // Where there is no page at a path, one of that name in another folder answers.
      if (page.filepath !== path) return null;
      if (this.shown?.filepath === path) this.details = page;
      return page;
    } catch (error) {
      if (ClientError.from(error).code === 'page_not_found') return null;
      throw error;
    }
  }

  /** A page as HTML, kept for a while: previews and visits ask for the same ones. */
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
    const details = await client.call('get_page', { filepath: page });
    const known = this.#byPath.get(details.filepath);
    const now = listed(details);
    // It changed before it was looked at, and so did pages at the other ends of its links.
    if (known && this.client === client && (known.link_count !== now.link_count || known.backlink_count !== now.backlink_count)) this.#askAllLater(client);
    this.#remember(details.filepath, details);
    if (this.shown?.filepath === page) this.details = details;
  }

  #client(): UbpClient {
    if (!this.client) throw new ClientError('not_open', 'The project is not open yet.');
    return this.client;
  }
}
