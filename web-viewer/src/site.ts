// The description of the page: its project, and the address of its data.

export interface Site {
  /**
   * `export`: the data is next to the page; `server`: a server answers; `hub`: the projects of a hub, none of which is open;
   * `open`: no project, only folders of the reader.
   */
  mode: 'export' | 'server' | 'hub' | 'open';
  /** Absolute address that all others are relative to; ends with `/`. */
  root: string;
  name: string;
  /** Path of the current page, if it is one. */
  page: string | null;
  /** Path of the home page, if there is one. */
  home: string | null;
  database: { url: string; bytes: number } | null;
  /** File of the list of pages. */
  list: string | null;
  semantic: { model: string; weights?: string | null; tokenizer: string; description: string; bytes: number } | null;
  version: string;
  /** Whether it can be installed as an app. */
  installable: boolean;
  /** Absolute paths on the reader's machine, and its programs, if the server is on it. */
  folders: { project: string; pages: string; editor: string | null; has_file_manager: boolean } | null;
  /** The project's place in a hub: its name there, the absolute address of the hub, and whether it can only be read. */
  hub: { project: string; root: string; read_only: boolean } | null;
}

/** Whether pages can be changed. */
export function isWritable({ mode, hub }: Site): boolean {
  return mode === 'server' && !hub?.read_only;
}

/** Reads the description from `<script type="application/json" id="ubp-site">`; without one, there is no project. */
export function readSite(document: Document): Site {
  const base = document.baseURI.replace(/[?#].*$/s, '');
  const nothing: Site = {
    mode: 'open',
    root: new URL('./', base).href,
    name: 'Unified Blueprint',
    page: null,
    home: null,
    database: null,
    list: null,
    semantic: null,
    version: '',
    installable: false,
    folders: null,
    hub: null,
  };
  const text = document.getElementById('ubp-site')?.textContent;
  if (!text) return nothing;
  const told = JSON.parse(text) as Partial<Site>;
  const root = new URL(told.root ?? './', base).href;
  return { ...nothing, ...told, root, hub: told.hub ? { ...told.hub, root: new URL(told.hub.root, root).href } : null };
}
