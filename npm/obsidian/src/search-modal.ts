// Search by meaning, words and links, with a preview of the selected section.
import { Component, Keymap, MarkdownRenderer, Modal, type App } from 'obsidian';
import type { PageResult, SearchOutput, SectionResult } from '#contract';
import { ClientError } from '../../../web-viewer/src/client/client';
import { pieces } from '../../../web-viewer/src/text/match';
import type { VaultEngine } from './engine';
import { words } from './words/words';

const PAUSE = 120;
const MOST = 20;

interface Row {
  page: PageResult;
  section: SectionResult | undefined;
  element: HTMLElement;
}

export class SearchModal extends Modal {
  readonly #engine: VaultEngine;
  readonly #usesMeaning: () => boolean;
  #input!: HTMLInputElement;
  #list!: HTMLElement;
  #preview!: HTMLElement;
  #how!: HTMLElement;
  #rows: Row[] = [];
  #selected = -1;
  #run = 0;
  #timer: number | undefined;
  #rendered: Component | undefined;
  #stop: (() => void)[] = [];

  constructor(app: App, engine: VaultEngine, usesMeaning: () => boolean) {
    super(app);
    this.#engine = engine;
    this.#usesMeaning = usesMeaning;
  }

  override onOpen(): void {
    this.modalEl.addClass('ubp-search');
    this.setTitle(words.search.title);
    this.#input = this.contentEl.createEl('input', { cls: 'ubp-search-input', type: 'search', placeholder: words.search.placeholder, attr: { role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'ubp-search-results', 'aria-label': words.search.placeholder } });
    const body = this.contentEl.createDiv({ cls: 'ubp-search-body' });
    this.#list = body.createDiv({ cls: 'ubp-search-results', attr: { id: 'ubp-search-results', role: 'listbox', 'aria-label': words.search.results } });
    this.#preview = body.createDiv({ cls: 'ubp-search-preview markdown-rendered', attr: { role: 'region', 'aria-label': words.search.preview } });
    this.#how = this.contentEl.createDiv({ cls: 'ubp-search-how', attr: { 'aria-live': 'polite' } });
    this.#input.addEventListener('input', () => this.#soon());
    const move = (by: number) => (event: KeyboardEvent) => {
      // Keys of an input method choose characters.
      if (event.isComposing) return;
      this.#select(Math.max(0, Math.min(this.#rows.length - 1, this.#selected + by)));
      return false;
    };
    this.scope.register([], 'ArrowDown', move(1));
    this.scope.register([], 'ArrowUp', move(-1));
    for (const modifiers of [[], ['Mod']] as const) {
      this.scope.register([...modifiers], 'Enter', (event) => {
        if (event.isComposing) return;
        this.#open(this.#rows[this.#selected], event);
        return false;
      });
    }
    this.#stop = [this.#engine.on('meaning', () => this.#soon()), this.#engine.on('changed', () => this.#soon())];
    void this.#search();
    this.#input.focus();
  }

  override onClose(): void {
    this.#run++;
    window.clearTimeout(this.#timer);
    for (const stop of this.#stop) stop();
    this.#rendered?.unload();
    this.contentEl.empty();
  }

  #soon(): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#search(), PAUSE);
  }

  async #search(): Promise<void> {
    const run = ++this.#run;
    const query = this.#input.value.trim();
    if (!query) return this.#show([], words.search.type, '');
    const isReady = this.#engine.meaning.state === 'ready';
    try {
      const found = await this.#engine.call('search', { query, limit: MOST, ...(isReady ? {} : { mode: 'fulltext' }) });
      if (run === this.#run) this.#show(found.results, words.search.nothing, this.#explained(found));
    } catch (error) {
      if (run === this.#run) this.#show([], ClientError.from(error).message, '');
    }
  }

  /** What the results were ranked by, and why not by meaning. */
  #explained({ search_type, corrected_query, fallback }: SearchOutput): string {
    const corrected = corrected_query === null ? [] : [words.search.corrected(corrected_query)];
    const isByMeaning = search_type === 'hybrid' || search_type === 'vector';
    return [...corrected, isByMeaning ? words.search.meaning : this.#byWords(fallback)].join(' ');
  }

  #byWords(fallback: SearchOutput['fallback']): string {
    const { meaning, vectors } = this.#engine;
    if (fallback === 'unknown_script') return words.search.words.script;
    if (meaning.state === 'ready') return words.search.words.pending(vectors?.done ?? 0, vectors?.total ?? 0);
    if (meaning.state === 'failed') return words.search.words.failed(meaning.message);
    if (meaning.state === 'loading') return words.search.words.loading;
    return this.#engine.hasModel && !this.#usesMeaning() ? words.search.words.off : words.search.words.none;
  }

  #show(results: readonly PageResult[], nothing: string, how: string): void {
    this.#list.empty();
    this.#how.setText(how);
    this.#rows = results.map((page, index) => this.#row(page, index));
    if (this.#rows.length === 0) this.#list.createDiv({ cls: 'ubp-message', text: nothing });
    this.#select(this.#rows.length > 0 ? 0 : -1);
  }

  #row(page: PageResult, index: number): Row {
    const section = page.sections[0];
    const element = this.#list.createDiv({ cls: 'ubp-result', attr: { role: 'option', id: `ubp-result-${index}` } });
    element.createDiv({ cls: 'ubp-result-title', text: page.title });
    if (section?.heading) element.createDiv({ cls: 'ubp-result-heading', text: section.heading });
    if (section) {
      const text = element.createDiv({ cls: 'ubp-context' });
      for (const { text: part, marked } of pieces(section.content, section.highlights)) text.createEl(marked ? 'mark' : 'span', { text: part });
    }
    const row = { page, section, element };
    element.addEventListener('pointermove', () => this.#select(index));
    element.addEventListener('click', (event) => this.#open(row, event));
    return row;
  }

  #select(index: number): void {
    if (index === this.#selected && index >= 0 && this.#rows[index]?.element.hasClass('is-selected')) return;
    this.#selected = index;
    this.#rows.forEach(({ element }, at) => {
      element.toggleClass('is-selected', at === index);
      element.setAttr('aria-selected', String(at === index));
    });
    this.#rows[index]?.element.scrollIntoView({ block: 'nearest' });
    this.#input.setAttr('aria-activedescendant', index < 0 ? '' : `ubp-result-${index}`);
    void this.#showPreview(this.#rows[index]);
  }

  async #showPreview(row: Row | undefined): Promise<void> {
    this.#rendered?.unload();
    this.#rendered = undefined;
    if (!row) return this.#preview.empty();
    const { page, section } = row;
    const run = this.#run;
    try {
      const { content } = await this.#engine.call('get_page', { filepath: page.filepath, answers: false, ...(section ? { section: section.section_id } : {}) });
      if (run !== this.#run || this.#rows[this.#selected] !== row) return;
      const component = new Component();
      component.load();
      this.#rendered = component;
      this.#preview.empty();
      this.#preview.scrollTop = 0;
      await MarkdownRenderer.render(this.app, content, this.#preview, this.#engine.pathOf(page.filepath), component);
    } catch {
      // The page was deleted meanwhile; the next search leaves it out.
      this.#preview.empty();
    }
  }

  #open(row: Row | undefined, event: MouseEvent | KeyboardEvent): void {
    const file = row && this.app.vault.getFileByPath(this.#engine.pathOf(row.page.filepath));
    if (!row || !file) return;
    this.close();
    const line = row.section?.line;
    void this.app.workspace.getLeaf(Keymap.isModEvent(event)).openFile(file, line === undefined ? {} : { eState: { line: line - 1 } });
  }
}
