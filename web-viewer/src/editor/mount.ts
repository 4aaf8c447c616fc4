// What the application and its editor know of each other. The application imports this file's types at once and its code
// when somebody first edits: everything that CodeMirror brings comes with it.
import type { ListedPage } from '#contract';
import type { UbpClient } from '../client/client';

/** How far what was typed has got. */
export interface SaveStatus {
  /**
   * `saved`: the file holds every letter. `unsaved`: it will, in a moment. `saving`: it is being written. `conflict`: the
   * file says something else, and a choice is open. `offline`: the server does not answer; tried again by itself.
   * `failed`: it refused; tried again by itself. `gone`: there is no such file any more; `restore` and `letGo` end that,
   * or a file that comes back. `read-only`: this file cannot be edited here.
   */
  state: 'saved' | 'saving' | 'unsaved' | 'conflict' | 'offline' | 'failed' | 'gone' | 'read-only';
  /** A whole sentence for people; empty where the state says it all. Of `gone`: why the page could not be restored. */
  message: string;
}

export interface PageStats {
  words: number;
  /** Without line breaks. */
  characters: number;
}

/** Headings of the page at or above the cursor, outside of quotes and lists. */
export interface HeadingsAbove {
  count: number;
  /** What the first of them says; empty without any. */
  first: string;
}

export interface EditorHost {
  client: UbpClient;
  /** Tells this project from others that this browser edits: names the drafts that are kept. */
  project: string;
  /** The page to begin with. */
  filepath: string;
  fragment?: string;
  /** All pages, as they are now. */
  pages(): readonly ListedPage[];
  /** Shows another page. `page` is a path. */
  open(target: { page: string; fragment?: string }): void;
  /** Makes an empty page called `name` and gives its path. Fails with a `ClientError`. */
  create(name: string): Promise<string>;
  /** Makes an empty page called `name` and goes there to write it. */
  begin(name: string): void;
  /** Address of a file of the project, by its path relative to the pages folder. */
  fileUrl(path: string): string;
  onStatus(status: SaveStatus): void;
  onStats(stats: PageStats): void;
  /** Where the cursor stands among the headings. */
  onHeadings?(above: HeadingsAbove): void;
  /** The first heading, or the title in front matter, while it is typed. */
  onTitle?(title: string): void;
}

export interface MountedEditor {
  /** The page that is seen; another one may be on its way. */
  readonly shown: string | null;
  /** Whether somebody has been in the text of the page that is seen: its cursor is where they left it. */
  readonly isPlaced: boolean;
  focus(): void;
  /** Puts text at the end of a page that was opened, and its cursor behind it. False if the page was never opened. */
  append(filepath: string, text: string): boolean;
  /** Saves now. Ends when it is saved, or when it cannot be just now. */
  save(): Promise<void>;
  /** Brings a heading (`#slug`, its text) or block (`^name`) into view. */
  goTo(fragment: string): void;
  /** Makes the page again that is shown and gone, with the text that is here. Ends as `save` does. */
  restore(): Promise<void>;
  /** Gives up the text of the page that is shown and gone. What it gives takes that back: it makes the page again. */
  letGo(): () => Promise<void>;
  /** Whether there is a text of this page here that may be nowhere else. */
  keeps(filepath: string): boolean;
  /** Puts text in the place of the selection. */
  insert(text: string): void;
  /** Pages changed on disk or in the index: paths of the `changed` event, none for all. */
  changed(paths: readonly string[]): void;
  /** The page was renamed by this application: saving goes on at its new path. */
  renamed(from: string, to: string): void;
  /** Shows another page in the same editor. What was typed before is saved first; its undo history is kept. */
  openPage(filepath: string, fragment?: string): Promise<void>;
  /** Saves what is left and takes the editor away. */
  destroy(): Promise<void>;
}

export { openEditor as mountEditor } from './page-editor';
