// What the service worker knows of a site, and which answers belong to it. `ubp export` writes the description in front of the
// worker's code; without one, a server answers and nothing is kept.

export interface SiteFiles {
  /** Changes with any file of the site. */
  version: string;
  /** Files that are kept when the worker is installed, besides the code of the first view. Relative to the site. */
  first: readonly string[];
  /** Files whose names change with their content, relative to the site, encoded. */
  lasting: readonly string[];
  /** Files that pages show, relative to the site, encoded. */
  shown: readonly string[];
}

/** The largest file that is kept because a page shows it, in bytes. */
export const LARGEST = 20_000_000;

/**
 * The address under which a page is kept. Hosts differ in whether addresses have `.html` and `index.html`, and redirect from one
 * to the other.
 */
export function keyOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/(^|\/)index(\.html)?$/, '$1').replace(/\.html$/, '');
}

/**
 * Whether HTML is a page of the site with this scope: another one may be in a folder of it, or use the same address after it.
 * Pages of `ubp viewer` are not kept.
 */
export function isPageOf(scope: string, address: string, html: string): boolean {
  const root = /<script type="application\/json" id="ubp-site">\{"mode":"export","root":"((?:\.\.?\/)+)"/.exec(html)?.[1];
  return root !== undefined && new URL(root, address).href === scope;
}

/** The title of a page, as HTML. */
export function titleOf(html: string): string | null {
  return /<meta property="og:title" content="([^"]*)">/.exec(html)?.[1] ?? null;
}
