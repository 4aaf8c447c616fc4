// The project that is open: where its answers come from, what is known of it, and which page is shown.
import type { GetPageOutput, ListedPage, RenderPageOutput } from '#contract';
import { ClientError, type ClientEvents, type Meaning, type UbpClient } from '../client/client';
import { connect, openFolder } from '../client/connect';
import type { Opening } from '../client/protocol';
import type { Folder } from '../folder/read';
import type { Site } from '../site';
import { FEW, listed, patched, reconciled } from './changes';

export type Phase = 'opening' | 'ready' | 'failed' | 'nothing';

/** The page that is shown, as far as navigating and the rail need it. */
export type Shown = Pick<RenderPageOutput, 'filepath' | 'title' | 'headings'>;

const KEPT_PAGES = 40;
/** Changes that come closer together than this, in milliseconds, are taken in at once. */
const TOGETHER_MS = 120;

export class Session {
  readonly site: Site;
  client = $state.raw<UbpClient | null>(null);
  phase = $state<Phase>('opening');
  opening = $state.raw<Opening | null>(null);
  failure = $state.raw<ClientError | null>(null);
  pages = $state.raw<ListedPage[]>([]);
  /** Name of the reader's own folder, where one is open. */
  folder = $state.raw<string | null>(null);
  shown = $state.raw<Shown | null>(null);
  details = $state.raw<GetPageOutput | null>(null);
  meaning = $state.raw<Meaning>({ state: 'none' });
  vectors = $state.raw<{ done: number; total: number } | null>(null);
  /** Told after changes were taken in: the pages they were of, none for any. */
  onFollowed: ((paths: readonly string[]) => void) | null = null;
  readonly byPath = $derived(new Map(this.pages.map((page) => [page.filepath, page])));
  readonly #rendered = new Map<string, Promise<RenderPageOutput>>();
  #changed = new Set<string>();
  #changedAny = false;
  #taking: ReturnType<typeof setTimeout> | undefined;

  constructor(site: Site) {
    this.site = site;
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
    this.vectors = null;
    try {
      const client = await connecting();
      if (!client) {
        this.pages = [];
        this.phase = 'nothing';
        return;
      }
      client.on('meaning', (meaning) => (this.meaning = meaning));
      client.on('vectors', (vectors) => (this.vectors = vectors));
      client.on('changed', (change) => this.#note(client, change));
      this.meaning = client.meaning;
      this.pages = (await client.call('list_pages', {})).pages;
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

  #note(client: UbpClient, { paths, all }: ClientEvents['changed']): void {
    this.#rendered.clear();
    for (const path of paths) this.#changed.add(path);
    if (all || paths.length === 0) this.#changedAny = true;
    this.#taking ??= setTimeout(() => {
      this.#taking = undefined;
      void this.#take(client);
    }, TOGETHER_MS);
  }

  async #take(client: UbpClient): Promise<void> {
    const paths = [...this.#changed];
    const any = this.#changedAny || paths.length > FEW;
    this.#changed = new Set();
    this.#changedAny = false;
    try {
      if (any) {
        this.pages = reconciled(this.pages, (await client.call('list_pages', {})).pages);
        if (this.shown) await this.loadDetails(this.shown.filepath);
      } else {
        // A link on any of them may lead to the page that is shown.
        const asked = new Set([...paths, ...(this.shown ? [this.shown.filepath] : [])]);
        const changes = new Map(await Promise.all([...asked].map(async (path) => [path, await this.#listed(client, path)] as const)));
        this.pages = patched(this.pages, changes);
      }
    } catch {
      // What is shown stays true to what it was; the next change asks again.
    }
    if (this.client === client) this.onFollowed?.(any ? [] : paths);
  }

  /** What the list says of a page that changed; null if it is gone. The page that is shown is looked at closer. */
  async #listed(client: UbpClient, path: string): Promise<ListedPage | null> {
    try {
      const page = await client.call('get_page', { filepath: path });
      // Where there is no page at a path, one of that name in another folder answers.
      if (page.filepath !== path) return null;
      if (this.shown?.filepath === path) this.details = page;
      return listed(page);
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
    const details = await this.#client().call('get_page', { filepath: page });
    if (this.shown?.filepath === page) this.details = details;
  }

  #client(): UbpClient {
    if (!this.client) throw new ClientError('not_open', 'The project is not open yet.');
    return this.client;
  }
}
