// What the page says about itself: which project it belongs to, and where its data is.

export interface Site {
  /** `export`: data lies beside the page; `server`: a server answers; `open`: nothing yet but folders of the reader. */
  mode: 'export' | 'server' | 'open';
  /** Absolute address that all others are relative to; ends with `/`. */
  root: string;
  name: string;
  /** Path of the page that is shown, if it is one. */
  page: string | null;
  /** Path of the home page, if there is one. */
  home: string | null;
  database: { url: string; bytes: number } | null;
  semantic: { model: string; weights?: string | null; tokenizer: string; description: string; bytes: number } | null;
  version: string;
}

/** The description in `<script type="application/json" id="ubp-site">`; without one, nothing is here yet. */
export function readSite(document: Document): Site {
  const base = document.baseURI.replace(/[?#].*$/s, '');
  const nothing: Site = {
    mode: 'open',
    root: new URL('./', base).href,
    name: 'Unified Blueprint',
    page: null,
    home: null,
    database: null,
    semantic: null,
    version: '',
  };
  const text = document.getElementById('ubp-site')?.textContent;
  if (!text) return nothing;
  const told = JSON.parse(text) as Partial<Site>;
  return { ...nothing, ...told, root: new URL(told.root ?? './', base).href };
}
