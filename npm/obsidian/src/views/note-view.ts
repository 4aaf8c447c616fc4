// A view beside the notes that shows something about the open one, and follows it.
import { ItemView, Keymap, Notice, setIcon, type TFile, type WorkspaceLeaf } from 'obsidian';
import { ClientError } from '../../../../web-viewer/src/client/client';
import type { VaultEngine } from '../engine';
import { words } from '../words/words';

export abstract class NoteView extends ItemView {
  override navigation = false;
  protected readonly engine: VaultEngine;
  #run = 0;

  constructor(leaf: WorkspaceLeaf, engine: VaultEngine) {
    super(leaf);
    this.engine = engine;
  }

  /** Shows what there is about a note; `page` is its name for the engine. */
  protected abstract fill(into: HTMLElement, file: TFile, page: string): Promise<void>;

  protected override async onOpen(): Promise<void> {
    this.contentEl.addClass('ubp-view');
    this.registerEvent(this.app.workspace.on('file-open', () => void this.update()));
    this.register(this.engine.on('changed', () => void this.update()));
    await this.update();
  }

  protected override async onClose(): Promise<void> {
    this.#run++;
    this.contentEl.empty();
  }

  async update(): Promise<void> {
    const run = ++this.#run;
    const file = this.app.workspace.getActiveFile();
    const into = this.contentEl.ownerDocument.createElement('div');
    const page = file ? this.engine.pageOf(file.path) : null;
    if (!file) message(into, words.views.noNote);
    else if (this.engine.state.is === 'failed') message(into, words.engine.failed(this.engine.state.message));
    else if (page === null) message(into, words.views.notIndexed);
    else {
      if (this.engine.state.is === 'starting') this.#show(this.#waiting());
      try {
        await this.fill(into, file, page);
      } catch (error) {
        if (run !== this.#run) return;
        into.empty();
        const { code, message: text } = ClientError.from(error);
        message(into, code === 'page_not_found' ? words.views.notIndexed : text);
      }
    }
    // Another note was opened meanwhile.
    if (run === this.#run) this.#show(into);
  }

  #waiting(): HTMLElement {
    const into = this.contentEl.ownerDocument.createElement('div');
    message(into, words.engine.indexing);
    return into;
  }

  #show(content: HTMLElement): void {
    const { scrollTop } = this.contentEl;
    this.contentEl.replaceChildren(...content.childNodes);
    this.contentEl.scrollTop = scrollTop;
  }

  /** A heading with the number of rows below it. */
  protected heading(into: HTMLElement, text: string | HTMLElement, count: number, label?: string): void {
    const heading = into.createDiv({ cls: 'ubp-heading', attr: { role: 'heading', 'aria-level': 3 } });
    if (typeof text === 'string') heading.createSpan({ text });
    else heading.append(text);
    heading.createSpan({ cls: 'ubp-count', text: String(count), attr: { 'aria-hidden': 'true' } });
    if (label) heading.setAttr('aria-label', label);
  }

  /** A row that opens a page at a line. */
  protected row(into: HTMLElement, page: { filepath: string; title: string }, line: number | undefined): HTMLElement {
    const row = into.createDiv({ cls: 'ubp-row' });
    const title = row.createDiv({ cls: 'ubp-row-title', attr: { role: 'link', tabindex: 0 } });
    setIcon(title.createSpan({ cls: 'ubp-row-icon', attr: { 'aria-hidden': 'true' } }), 'file-text');
    title.createSpan({ cls: 'ubp-row-name', text: page.title });
    if (line !== undefined) title.createSpan({ cls: 'ubp-row-line', text: words.views.line(line) });
    const open = (event: MouseEvent | KeyboardEvent) => void this.#open(this.engine.pathOf(page.filepath), line, event);
    title.addEventListener('click', open);
    title.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') open(event);
    });
    return row;
  }

  async #open(path: string, line: number | undefined, event: MouseEvent | KeyboardEvent): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    if (!file) return void new Notice(words.accepting.missing(path));
    await this.app.workspace.getLeaf(Keymap.isModEvent(event)).openFile(file, line === undefined ? {} : { eState: { line: line - 1 } });
  }
}

export function message(into: HTMLElement, text: string): void {
  into.createDiv({ cls: 'ubp-message', text });
}
