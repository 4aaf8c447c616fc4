// The service worker of sites that can be installed, and of `ubp viewer` once it is installed as an app. Bundled alone and emitted
// as a classic script with a fixed name, because browsers find its next version by its address.
//
// Pages come from the network as long as it answers, so nobody reads an old page or runs an old app without noticing. Files
// whose names contain a hash cannot be old. On a server nothing is kept at all: neither pages of the project, which another one may
// replace at the same port, nor addresses with a token.
import { notice } from './notice';
import { LARGEST, isPageOf, keyOf, titleOf, type SiteFiles } from './site-files';

interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Extendable {
  readonly request: Request;
  /** The window that asks; empty if it asks for the document that it will show. */
  readonly clientId: string;
  respondWith(answer: Promise<Response>): void;
}
interface Tab {
  readonly url: string;
  postMessage(message: unknown): void;
}
/** The part of the global scope that is used; the library of types has windows only. */
interface Scope {
  readonly ubpSite?: SiteFiles;
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void>; get(id: string): Promise<Tab | undefined>; matchAll(): Promise<readonly Tab[]> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void;
}

/** The code of the first view, relative to the app. The build fills it in. */
const CODE: readonly string[] = JSON.parse('__UBP_CODE__') as string[];
/** Pages that the offline page names. */
const MOST_NAMED = 200;

const self = globalThis as unknown as Scope;
const { scope } = self.registration;
const site = self.ubpSite;
// Caches belong to the host; other sites there have their own.
const mine = `ubp ${scope} `;
const current = mine + (site?.version ?? '');
const at = (path: string) => new URL(path, scope).href;
const lasting = new Set(site?.lasting.map(at));
const shown = new Set(site?.shown.map(at));

self.addEventListener('install', (event) => event.waitUntil((site ? keep(site) : Promise.resolve()).then(() => self.skipWaiting())));
self.addEventListener('activate', (event) => event.waitUntil(begin()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const address = request.url.replace(/[?#].*$/s, '');
  if (request.method !== 'GET' || !address.startsWith(scope)) return;
  const isVisit = request.mode === 'navigate' && request.destination === 'document';
  if (!site) {
    if (isVisit) event.respondWith(fetch(request).catch(() => notice('stopped')));
  } else if (lasting.has(address)) event.respondWith(keptOrFetched(address, request));
  else if (isVisit || address.endsWith('.html')) event.respondWith(page(event, address, isVisit));
  else if (shown.has(address) && !request.headers.has('range')) event.respondWith(fetchedOrKept(event, address));
});

/** Fills the cache of this version: with the first view, and with new versions of what the former one has. */
async function keep({ first }: SiteFiles): Promise<void> {
  const cache = await caches.open(current);
  const wanted = [...first, ...CODE].map(at);
  await Promise.all(wanted.map(async (address) => store(cache, address, await fetch(address, { cache: lasting.has(address) ? 'default' : 'no-cache' }), true)));
  const former = (await caches.keys()).filter((name) => name.startsWith(mine) && name !== current);
  for (const name of former) {
    const before = await caches.open(name);
    for (const { url } of await before.keys()) {
      if (await cache.match(url)) continue;
      const isFile = lasting.has(url) || shown.has(url);
      // The addresses of pages are kept without their ending; files of the former version have one.
      const isPage = !url.endsWith('.html') && (await before.match(url))?.headers.get('content-type')?.startsWith('text/html');
      if (!isFile && !isPage) continue;
      const address = isFile || url.endsWith('/') ? url : `${url}.html`;
      // A file that is gone, or a connection that breaks here, leaves it out.
      await fetch(address, { cache: lasting.has(url) ? 'default' : 'no-cache' }).then((response) => store(cache, address, response)).catch(() => {});
    }
  }
}

/** Takes over from the former version, and keeps the pages that were opened before there was a worker. */
async function begin(): Promise<void> {
  await forget();
  await self.clients.claim();
  if (!site) return;
  const cache = await caches.open(current);
  for (const { url } of await self.clients.matchAll()) {
    const address = url.replace(/[?#].*$/s, '');
    if (!(await cache.match(keyOf(address)))) await fetch(address).then((response) => store(cache, address, response)).catch(() => {});
  }
}

async function forget(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(mine) && (!site || name !== current));
  await Promise.all(names.map((name) => caches.delete(name)));
}

/** Keeps an answer, if it is what the site has at this address. Without room for it, it is not kept. */
async function store(cache: Cache, address: string, response: Response, isNeeded = false): Promise<void> {
  const isFile = lasting.has(address) || shown.has(address);
  if (!response.ok || response.type !== 'basic' || (!isFile && keyOf(response.url) !== keyOf(address))) {
    if (isNeeded) throw new Error(`${address}: ${response.status}`);
    return;
  }
  if (isFile) {
    if (lasting.has(address) || Number(response.headers.get('content-length')) <= LARGEST) await cache.put(address, response).catch(() => {});
    return;
  }
  const html = await response.text();
  if (!isPageOf(scope, response.url, html)) return;
  // A new answer: browsers refuse one that was redirected for another visit.
  await cache.put(keyOf(address), new Response(html, { headers: { 'content-type': 'text/html;charset=utf-8' } })).catch(() => {});
}

async function keptOrFetched(address: string, request: Request): Promise<Response> {
  const cache = await caches.open(current);
  const kept = await cache.match(address);
  if (kept) return kept;
  const response = await fetch(request);
  const copy = response.clone();
  void store(cache, address, copy);
  return response;
}

async function fetchedOrKept(event: Fetching, address: string): Promise<Response> {
  const cache = await caches.open(current);
  try {
    const response = await fetch(event.request);
    const copy = response.clone();
    event.waitUntil(store(cache, address, copy).catch(() => {}));
    return response;
  } catch {
    return (await cache.match(address)) ?? Response.error();
  }
}

async function page(event: Fetching, address: string, isVisit: boolean): Promise<Response> {
  const cache = await caches.open(current);
  try {
    const response = await fetch(event.request);
    if (response.type === 'basic') {
      const copy = response.clone();
      event.waitUntil(store(cache, address, copy).catch(() => {}));
    }
    if (!isVisit) void report(event, 'fetched');
    return response;
  } catch {
    const kept = await cache.match(keyOf(address));
    if (kept && !isVisit) void report(event, 'kept');
    // The app then says so: the page may be old, whether or not the browser thinks that it has a connection.
    if (kept) return isVisit ? new Response((await kept.text()).replace('<html', '<html data-kept=""'), { headers: kept.headers }) : kept;
    return isVisit ? notice('offline', await named(cache)) : Response.error();
  }
}

/** Tells the window that asked for a page where it came from. */
async function report(event: Fetching, from: 'fetched' | 'kept'): Promise<void> {
  (await self.clients.get(event.clientId))?.postMessage({ page: from });
}

/** Links to the pages that are kept. */
async function named(cache: Cache): Promise<string> {
  const pages = (await cache.keys()).map(({ url }) => url).filter((url) => !lasting.has(url) && !shown.has(url));
  const links = await Promise.all(
    pages.slice(0, MOST_NAMED).map(async (url) => {
      const title = titleOf((await (await cache.match(url))?.text()) ?? '');
      return title && `<li><a href="${url.endsWith('/') ? url : `${url}.html`}">${title}</a></li>`;
    }),
  );
  // The first page may be the list of pages, which has an address of its own, too.
  return [...new Map(links.filter((link) => link !== null).map((link) => [link.replace(/all-pages\.html"/, '"'), link])).values()].join('\n');
}
