// Pages that are open at the same time, one of them in the main pane. The editor keeps text, cursor and undo of every page, and
// saves a page when it is left; a tab only says what to show. The history of the browser is one for all tabs: going back leads to
// the tab of the earlier place.
import type { Destination, Navigator, Tabs as TabsOfNavigator } from '../../routing/navigator.svelte';
import type { Place } from '../../routing/urls';
import type { Face } from '../../state/settings.svelte';
import { at, neighbour, readKept, reordered, type Kept, type Tab } from './kept';

const KEY = 'ubp:tabs';
/** Read by `before-paint.js`. */
const HAS_TABS = 'ubp:has-tabs';
const MOST_CLOSED = 20;

/** What tabs need to know of the project. */
export interface TabsHost {
  faces: { of(page: string): Face; choose(page: string, face: Face): void };
  /** Shows the current page in the other way. */
  toggleFace(): Promise<void>;
  /** Whether the page can be shown. */
  isThere(page: string): boolean;
  /** A tab was closed, because its page is not there any more. */
  onGone(page: string): void;
}

export class Tabs implements TabsOfNavigator {
  list = $state.raw<readonly Tab[]>([]);
  #closed = $state.raw<Kept['closed']>([]);
  readonly #key: string;
  readonly #navigator: Navigator;
  readonly #host: TabsHost;
  /** Differs from ids of earlier windows, which the history of the browser may still have. */
  readonly #prefix = Date.now().toString(36);
  /** Pages that were renamed or opened here, until the list of pages has them. */
  readonly #fresh = new Set<string>();
  #last = 0;
  /** The tab to show after starting, if the window was opened without a page. */
  #resumed: Tab | null = null;

  /** `isStart` says that the address names no page: then the tabs of the last window are shown. */
  constructor(project: string, navigator: Navigator, host: TabsHost, isStart: boolean) {
    this.#key = `${KEY} ${project}`;
    this.#navigator = navigator;
    this.#host = host;
    const own = this.#stored('sessionStorage');
    const kept = own ?? (isStart ? this.#stored('localStorage') : null);
    if (kept) {
      this.list = kept.tabs;
      this.#closed = kept.closed;
      if (!this.has(navigator.tab)) navigator.tab = kept.current;
      if (!own && kept.tabs.length > 1) this.#resumed = this.current;
    } else {
      navigator.tab = this.#newId();
    }
    navigator.tabs = this;
    this.arrived(navigator.tab, navigator.place);
    addEventListener('scrollend', () => this.#leave());
    addEventListener('pagehide', () => this.#leave());
  }

  get current(): Tab | null {
    return this.list.find(({ id }) => id === this.#navigator.tab) ?? null;
  }

  get canReopen(): boolean {
    return this.#closed.length > 0;
  }

  has(id: string): boolean {
    return this.list.some((tab) => tab.id === id);
  }

  arrived(id: string, place: Place): void {
    if (this.#resumed || place.page === null) return;
    const known = this.list.find((tab) => tab.id === id);
    const tab = at(known ?? { id, page: place.page, view: place.view, anchor: '', y: 0, face: null }, place);
    this.#keep(known ? this.list.map((other) => (other === known ? tab : other)) : [...this.list, tab]);
  }

  /** Shows the tab that was current in the last window. */
  async resume(): Promise<void> {
    const tab = this.#resumed;
    this.#resumed = null;
    if (tab && this.#isThere(tab.page)) await this.#show(tab, 'replace');
    else this.arrived(this.#navigator.tab, this.#navigator.place);
  }

  async select(id: string): Promise<void> {
    this.#forgetGone();
    const tab = this.list.find((tab) => tab.id === id);
    if (!tab || id === this.#navigator.tab) return;
    this.#leave();
    await this.#show(tab, 'push');
  }

  /** Selects the tab after the current one, or before it. After the last one comes the first. */
  async step(by: 1 | -1): Promise<void> {
    this.#forgetGone();
    const place = this.list.findIndex(({ id }) => id === this.#navigator.tab);
    const next = this.list.at((place + by) % this.list.length);
    if (next) await this.select(next.id);
  }

  open(to: Destination, isInFront: boolean): void {
    if (this.#navigator.away(to.page)) return void window.open(this.#navigator.href(to), '_blank', 'noopener');
    const id = this.#newId();
    this.#fresh.add(to.page);
    this.#insert({ id, page: to.page, view: to.view ?? { kind: 'page' }, anchor: to.anchor ?? '', y: 0, face: null });
    if (isInFront) {
      this.#leave();
      void this.#navigator.go({ ...to, tab: id });
    }
  }

  async close(id: string): Promise<void> {
    this.#forgetGone();
    const place = this.list.findIndex((tab) => tab.id === id);
    const tab = this.list[place];
    const next = neighbour(this.list, id);
    if (!tab || !next) return;
    const isCurrent = id === this.#navigator.tab;
    if (isCurrent) this.#leave();
    this.#closed = [...this.#closed, { tab: this.list[place] ?? tab, at: place }].slice(-MOST_CLOSED);
    // At once: what the user does next belongs to the other tab.
    if (isCurrent) this.#navigator.tab = next.id;
    this.#keep(this.list.filter((other) => other.id !== id));
    if (isCurrent) await this.#show(next, 'replace');
  }

  async closeOthers(id: string): Promise<void> {
    await this.select(id);
    for (const tab of this.list) if (tab.id !== id) await this.close(tab.id);
  }

  async reopen(): Promise<void> {
    const last = this.#closed.at(-1);
    if (!last) return;
    this.#closed = this.#closed.slice(0, -1);
    if (!this.#isThere(last.tab.page)) {
      this.#host.onGone(last.tab.page);
      return;
    }
    this.#leave();
    this.#keep(this.list.toSpliced(last.at, 0, last.tab));
    await this.#show(last.tab, 'push');
  }

  move(id: string, place: number): void {
    this.#keep(reordered(this.list, id, place));
  }

  /** A page was renamed. */
  moved(from: string, to: string): void {
    this.#fresh.add(to);
    const renamed = (tab: Tab) => (tab.page === from ? { ...tab, page: to } : tab);
    this.#closed = this.#closed.map(({ tab, at }) => ({ tab: renamed(tab), at }));
    this.#keep(this.list.map(renamed));
  }

  /** A page was deleted: closes its tabs. False if no other page is open, so that the current tab has to show another one. */
  async removed(page: string): Promise<boolean> {
    this.#closed = this.#closed.filter(({ tab }) => tab.page !== page);
    const left = this.list.filter((tab) => tab.page !== page);
    const { current } = this;
    if (current?.page !== page) {
      this.#keep(left);
      return true;
    }
    const after = this.list.slice(this.list.indexOf(current)).find((tab) => tab.page !== page);
    const next = after ?? left.at(-1);
    if (!next) {
      this.#keep([current]);
      return false;
    }
    this.#navigator.tab = next.id;
    this.#keep(left);
    await this.#show(next, 'replace');
    return true;
  }

  async #show(tab: Tab, how: 'push' | 'replace'): Promise<void> {
    const { id, page, view, anchor, y, face } = tab;
    const isHere = page === this.#navigator.place.page;
    if (face && !isHere) this.#host.faces.choose(page, face);
    await this.#navigator.go({ page, view, anchor, tab: id, y }, how);
    if (face && isHere && face !== this.#host.faces.of(page)) await this.#host.toggleFace();
  }

  #isThere(page: string): boolean {
    const isThere = this.#host.isThere(page);
    if (isThere) this.#fresh.delete(page);
    return isThere || this.#fresh.has(page);
  }

  /** Closes tabs other than the current one whose pages were deleted, or moved outside of this window. */
  #forgetGone(): void {
    const gone = this.list.filter((tab) => tab.id !== this.#navigator.tab && !this.#isThere(tab.page));
    if (gone.length === 0) return;
    this.#keep(this.list.filter((tab) => !gone.includes(tab)));
    for (const { page } of gone) this.#host.onGone(page);
  }

  /** Notes how the current page is shown. */
  #leave(): void {
    const { current } = this;
    if (!current || current.view.kind !== 'page' || this.#navigator.place.page !== current.page) return;
    const left = { ...current, y: Math.round(scrollY), face: this.#host.faces.of(current.page) };
    if (left.y !== current.y || left.face !== current.face) this.#keep(this.list.map((tab) => (tab === current ? left : tab)));
    else this.#store();
  }

  /** Beside the current tab. */
  #insert(tab: Tab): void {
    const place = this.list.findIndex(({ id }) => id === this.#navigator.tab);
    this.#keep(this.list.toSpliced(place + 1, 0, tab));
  }

  #newId(): string {
    return `${this.#prefix}-${++this.#last}`;
  }

  #keep(tabs: readonly Tab[]): void {
    this.list = tabs;
    this.#store();
  }

  #store(): void {
    const kept: Kept = { tabs: this.list, current: this.#navigator.tab, closed: this.#closed };
    if (!this.has(kept.current)) return;
    try {
      const text = JSON.stringify(kept);
      sessionStorage.setItem(this.#key, text);
      localStorage.setItem(this.#key, text);
      if (this.list.length > 1) sessionStorage.setItem(HAS_TABS, '1');
      else sessionStorage.removeItem(HAS_TABS);
    } catch {
      // Without storage, tabs last until the page is reloaded.
    }
  }

  #stored(where: 'sessionStorage' | 'localStorage'): Kept | null {
    try {
      return readKept(globalThis[where].getItem(this.#key));
    } catch {
      return null;
    }
  }
}
