// Addresses. Core decides the address of a page, which comes with `render_page`. Until then, this module uses the default
// address, which is correct unless names of pages collide.

/** What an agent saw: an answer of a session or all of them, or what it would see of a page. */
export type Seen = { of: 'session'; session: string; answer: number | null } | { of: 'page'; page: string; operation: Operation; limit: number };

/** `seen`: its pages are lit up. */
export type GraphView = { kind: 'graph'; scope: 'local' | 'all'; depth: number; seen?: Seen | undefined };

export type View =
  | { kind: 'page' }
  | GraphView
  | { kind: 'review' | 'problems' }
  | { kind: 'queue'; item: string | null }
  | { kind: 'proposals'; proposal: string | null }
  | { kind: 'sessions'; session: string | null }
  | { kind: 'file'; path: string };

export interface Place {
  /** Path of the page; null if the address shows no page. */
  page: string | null;
  /** Id of a heading or block, decoded, without `#`; for a file, its lines: `L10-L20`. */
  anchor: string;
  view: View;
}

const READING: View = { kind: 'page' };
export const DEFAULT_DEPTH = 2;
/** What agents call to read a page. */
export const OPERATIONS = ['get_page', 'get_context'] as const;
export type Operation = (typeof OPERATIONS)[number];
/** The range of limits of an answer, in tokens; the largest is that of a server. */
export const [LEAST_TOKENS, MOST_TOKENS] = [256, 12_500];
/** In an address, a list instead of one of its entries. */
const ALL = 'all';

/** `Folder/My Page.md` as `Folder/My%20Page.html`. */
export function usualUrl(page: string): string {
  return `${page.replace(/\.(md|markdown)$/i, '').split('/').map(encodeURIComponent).join('/')}.html`;
}

/** Parses the query and fragment of an address. */
export function placeOf(url: URL, page: string | null): Place {
  return { page: url.searchParams.get('page') ?? page, anchor: decoded(url.hash.slice(1)), view: viewOf(url.searchParams) };
}

function viewOf(query: URLSearchParams): View {
  for (const kind of ['review', 'problems'] as const) if (query.has(kind)) return { kind };
  const item = query.get('queue');
  if (item !== null) return { kind: 'queue', item: item === ALL ? null : item };
  const proposal = query.get('proposals');
  if (proposal !== null) return { kind: 'proposals', proposal: proposal === ALL ? null : proposal };
  const session = query.get('sessions');
  if (session !== null) return { kind: 'sessions', session: session === ALL ? null : session };
  const path = query.get('file');
  if (path) return { kind: 'file', path };
  const scope = query.get('graph');
  if (scope !== 'local' && scope !== 'all') return READING;
  const depth = Number.parseInt(query.get('depth') ?? '', 10);
  const seen = seenOf(query);
  return { kind: 'graph', scope, depth: depth >= 1 && depth <= 5 ? depth : DEFAULT_DEPTH, ...(seen ? { seen } : {}) };
}

function seenOf(query: URLSearchParams): Seen | null {
  const whole = (name: string) => Number.parseInt(query.get(name) ?? '', 10);
  const session = query.get('session');
  if (session) return { of: 'session', session, answer: whole('answer') > 0 ? whole('answer') : null };
  const page = query.get('seen');
  if (!page) return null;
  const operation = OPERATIONS.find((name) => name === query.get('operation')) ?? 'get_page';
  return { of: 'page', page, operation, limit: Math.min(MOST_TOKENS, Math.max(LEAST_TOKENS, whole('tokens') || MOST_TOKENS)) };
}

function addSeen(query: URLSearchParams, seen: Seen): void {
  if (seen.of === 'session') {
    query.set('session', seen.session);
    if (seen.answer !== null) query.set('answer', String(seen.answer));
    return;
  }
  query.set('seen', seen.page);
  if (seen.operation !== 'get_page') query.set('operation', seen.operation);
  if (seen.limit !== MOST_TOKENS) query.set('tokens', String(seen.limit));
}

/**
 * The address of a place. `pageUrl` is the page's own address. Pages of the reader's folder have none, so they are in the
 * query.
 */
export function addressOf(place: Place, pageUrl: URL, isFolder: boolean): string {
  const url = new URL(pageUrl);
  url.search = '';
  url.hash = '';
  if (isFolder && place.page) url.searchParams.set('page', place.page);
  if (place.view.kind === 'graph') {
    url.searchParams.set('graph', place.view.scope);
    if (place.view.scope === 'local' && place.view.depth !== DEFAULT_DEPTH) url.searchParams.set('depth', String(place.view.depth));
    if (place.view.seen) addSeen(url.searchParams, place.view.seen);
  }
  if (place.view.kind === 'review' || place.view.kind === 'problems') url.searchParams.set(place.view.kind, ALL);
  if (place.view.kind === 'queue') url.searchParams.set('queue', place.view.item ?? ALL);
  if (place.view.kind === 'proposals') url.searchParams.set('proposals', place.view.proposal ?? ALL);
  if (place.view.kind === 'sessions') url.searchParams.set('sessions', place.view.session ?? ALL);
  if (place.view.kind === 'file') url.searchParams.set('file', place.view.path);
  if (place.anchor) url.hash = fragment(place.anchor);
  return url.href;
}

/** A heading's id in an address, encoded like in core, so that equal places have equal addresses. */
export function fragment(anchor: string): string {
  return encodeURIComponent(anchor).replace(/%(?:2F|3A|5E)/g, decodeURIComponent);
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address without query and fragment. */
export function bare(href: string): string {
  const url = new URL(href);
  url.search = '';
  url.hash = '';
  return url.href;
}
