// The description of the page: its project, and the address of its data.
import type { OperationName } from '#contract';

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
  /** The guest who sees it: the name and the right of the link, and the operations that it may call. Null for the owner. */
  guest: { name: string; right: 'read' | 'comment' | 'propose' | 'write'; operations: string[] } | null;
}

/** Whether there is more to do than to read: pages can be commented on, and perhaps changed. */
export function hasWorkspace(site: Site): boolean {
  return site.mode === 'server' && !site.hub?.read_only && may(site, 'add_comment');
}

/** Whether pages can be changed, or changes proposed. */
export function isWritable(site: Site): boolean {
  return hasWorkspace(site) && may(site, 'save_page');
}

/** Whether this browser may call an operation. */
export function may({ guest }: Site, operation: OperationName): boolean {
  return guest === null || guest.operations.includes(operation);
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
    guest: null,
  };
  const text = document.getElementById('ubp-site')?.textContent;
  if (!text) return nothing;
  const told = JSON.parse(text) as Partial<Site>;
  const root = new URL(told.root ?? './', base).href;
  return { ...nothing, ...told, root, hub: told.hub ? { ...told.hub, root: new URL(told.hub.root, root).href } : null };
}
