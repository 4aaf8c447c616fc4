// The interface between the app and its editor. The app imports only the types of this file; the code, with all of
// CodeMirror, is loaded on first editing.
import type { ListedPage } from '#contract';
import type { Output, UbpClient } from '../client/client';
import type { WritingPlace } from './stats';

/** The save status of the page. */
export interface SaveStatus {
  /**
   * `saved`: the file contains all edits. `unsaved`: they will be saved in a moment. `saving`: the file is being written.
   * `conflict`: the file differs and a choice is open. `offline`: the server does not respond; retried automatically.
   * `failed`: the server rejected the edits; retried automatically. `gone`: the file does not exist any more; `restore`,
   * `letGo` or a file that comes back end this state. `read-only`: the file cannot be edited here. `proposed`: a
   * person decides about the edits.
   */
  state: 'saved' | 'saving' | 'unsaved' | 'conflict' | 'offline' | 'failed' | 'gone' | 'read-only' | 'proposed';
  /** A complete sentence for users; empty if the state says everything. For `gone`: why the page could not be restored. */
  message: string;
}

export interface PageStats {
  words: number;
  /** Without line breaks. */
  characters: number;
}

/** Headings at or above the cursor, outside of quotes and lists. */
export interface HeadingsAbove {
  count: number;
  /** The text of the first heading; empty if there is none. */
  first: string;
}

/** Front matter as the app shows it. */
export interface PropertiesState {
  isThere: boolean;
  /** Why it is not valid YAML, with the line of the page; null if it is valid. */
  problem: { line: number; message: string } | null;
}

/** Somebody else who has the page open. */
export interface Guest {
  id: number;
  name: string;
  /** Number of a colour, from 0. */
  colour: number;
}

/** A text that a comment is about, with what surrounds it. */
export interface Quote {
  quote: string;
  before: string;
  after: string;
  /** Characters before it in the page; null if that is not known. */
  position: number | null;
}

/** The place of a comment, in UTF-16 code units. */
export interface CommentMark {
  id: string;
  from: number;
  to: number;
}

export interface EditorHost {
  client: UbpClient;
  /** Identifies the project among others edited in this browser, for the stored drafts. */
  project: string;
  /** The page to open first. */
  filepath: string;
  fragment?: string;
  /** Whether pages are shown as readers see them, or as their source. */
  isLive: boolean;
  /** The current list of all pages. */
  pages(): readonly ListedPage[];
  /** Shows another page, on request in a new tab. `page` is a path. */
  open(target: { page: string; fragment?: string; inTab?: boolean }): void;
  /** Pages of another project of a hub, best first; null if there is no such project. */
  pagesElsewhere(project: string, text: string, limit: number): Promise<Output<'complete'>['pages'] | null>;
  /** Whether a path that a link leads to is of another project. */
  isAway(page: string): boolean;
  /** Shows a file of the project that is not a page. `lines`: `L10-L20`, or empty. */
  openFile(path: string, lines: string): void;
  /** Creates an empty page called `name` and resolves to its path. Rejects with a `ClientError`. */
  create(name: string): Promise<string>;
  /** Creates an empty page called `name` and opens it for editing. */
  begin(name: string): void;
  /** The address of a file of the project, by its path relative to the pages folder. */
  fileUrl(path: string): string;
  /** Links to these files were inserted. `takeBack` removes them from the text. */
  onAttached?(files: readonly Output<'add_attachment'>[], takeBack: () => void): void;
  /** The address where pages are edited together; null if they are not. */
  together: string | null;
  /** Whether edits are proposed when the user asks for it, instead of being saved as they are typed. */
  isProposing: boolean;
  /** The name that others see; empty if none was chosen. */
  name(): string;
  /** Who else has the page on screen open. */
  onGuests?(guests: readonly Guest[]): void;
  /** An agent has changed the page on screen. */
  onAgent?(name: string): void;
  /** Whom the view follows. */
  onFollowing?(guest: Guest | null): void;
  /** The text of a comment was clicked. */
  onComment?(id: string): void;
  /** The selection is to be commented on. */
  comment?(): void;
  /** Somebody else has renamed a page. */
  onMoved?(from: string, to: string): void;
  onStatus(status: SaveStatus): void;
  /** Whether a page, on screen or not, has edits that are not in its file. */
  onUnsaved?(filepath: string, isUnsaved: boolean): void;
  onStats(stats: PageStats): void;
  /** The position of the cursor among the headings. */
  onHeadings?(above: HeadingsAbove): void;
  /** Whether the text begins with a heading, which is then its title. */
  onHeading?(hasHeading: boolean): void;
  onProperties?(properties: PropertiesState): void;
}

export interface MountedEditor {
  /** The page on screen; another one may be loading. */
  readonly shown: string | null;
  /** Whether the text of the page on screen has had the focus: its cursor position is then kept. */
  readonly isPlaced: boolean;
  /** The line of the cursor in the file, from 1. */
  readonly line: number;
  focus(): void;
  /** Inserts text in a page that was opened, by default at its end, and puts its cursor behind it. False if the page was never opened. */
  append(filepath: string, text: string, at?: WritingPlace): boolean;
  /**
   * Saves now. Resolves when the page is saved, or cannot be saved now. `isAsked`: the user wants it, so that edits are proposed if
   * they cannot be saved.
   */
  save(isAsked?: boolean): Promise<void>;
  /** Scrolls to a heading (`#slug` or its text) or a block (`^name`). */
  goTo(fragment: string): void;
  /** Goes to a line of the page on screen, from 1. In front matter, goes to its form. */
  goToLine(line: number): void;
  /** Replaces the whole text of a page, as one edit that is saved. False if the page was never opened, or its text is not `from`. */
  replaceText(filepath: string, from: string, to: string): boolean;
  /** Restores the deleted page on screen with the text in the editor. Resolves like `save`. */
  restore(): Promise<void>;
  /** Discards the text of the deleted page on screen. Returns a function that undoes this by restoring the page. */
  letGo(): () => Promise<void>;
  /** Whether the editor has text of this page that may exist nowhere else. */
  keeps(filepath: string): boolean;
  /** Shows pages as readers see them, or as their source. */
  setLive(isLive: boolean): void;
  /** The language of the interface changed. */
  relabel(): void;
  /** The user has another name. */
  named(): void;
  /** The text of a page as it is here; null if it was never opened. */
  textOf(filepath: string): string | null;
  /** What is selected, to comment on it; null if nothing is. */
  quoted(): Quote | null;
  /** Marks the texts of comments in a page, whose places are in the text `of`; null for the text as it is. */
  showComments(filepath: string, marks: readonly CommentMark[], of: string | null): void;
  /** Scrolls to the text of a comment. */
  goToComment(id: string): void;
  /** Shows what somebody has on screen, until the user does something else; null for nobody. */
  follow(id: number | null): void;
  /** Scrolls to somebody's cursor. */
  goToGuest(id: number): void;
  /** Goes to the form of front matter, or shows an empty one. If the YAML is broken, goes to its line. */
  editProperties(): void;
  /** Makes selected text bold. False if no text is selected. */
  makeBold(): boolean;
  /** Replaces the selection. */
  insert(text: string): void;
  /** Stores files and inserts links to them at the cursor. */
  attach(files: readonly File[]): void;
  /** Pages changed on disk or in the index: the paths of the `changed` event, empty for all pages. */
  changed(paths: readonly string[]): void;
  /** The app renamed the page: saving continues at its new path. Resolves when its file is found there. */
  renamed(from: string, to: string): Promise<void>;
  /** Shows another page in the same editor. Saves the current one first and keeps its undo history. */
  openPage(filepath: string, fragment?: string): Promise<void>;
  /** Saves remaining edits and removes the editor. */
  destroy(): Promise<void>;
}

export { openEditor as mountEditor } from './page-editor';
