// The item in the status bar, which only desktops have: how far the index is, and the freshness of the open note.
import { Component, setTooltip, type App, type TFile } from 'obsidian';
import type { VaultEngine } from './engine';
import type { FreshnessOfNotes } from './freshness';
import { words } from './words/words';

export class Status extends Component {
  readonly #app: App;
  readonly #item: HTMLElement;
  readonly #engine: VaultEngine;
  readonly #freshness: FreshnessOfNotes;
  #run = 0;

  constructor(app: App, item: HTMLElement, engine: VaultEngine, freshness: FreshnessOfNotes) {
    super();
    this.#app = app;
    this.#item = item;
    this.#engine = engine;
    this.#freshness = freshness;
  }

  override onload(): void {
    this.registerEvent(this.#app.workspace.on('file-open', () => void this.update()));
    this.register(this.#freshness.onReview(() => void this.update()));
    this.register(this.#engine.on('changed', () => void this.update()));
    this.registerDomEvent(this.#item, 'click', () => {
      const file = this.#app.workspace.getActiveFile();
      if (file && this.#item.dataset.staleness) this.#freshness.review(file);
    });
    void this.update();
  }

  async update(): Promise<void> {
    const run = ++this.#run;
    const { state } = this.#engine;
    if (state.is !== 'ready') return this.#show(state.is === 'failed' ? words.engine.failed(state.message) : progress(state.opening));
    const file = this.#app.workspace.getActiveFile();
    const freshness = file ? await this.#staleness(file) : null;
    if (run !== this.#run) return;
    if (!freshness || freshness === 'untracked') return this.#show('');
    this.#show(words.freshness[freshness], freshness);
    setTooltip(this.#item, words.freshness.mark, { placement: 'top' });
  }

  async #staleness(file: TFile) {
    // The panel says why the program did not answer.
    return this.#freshness.of(file).then((freshness) => freshness?.staleness ?? null, () => null);
  }

  #show(text: string, staleness = ''): void {
    this.#item.setText(text);
    this.#item.toggleClass('ubp-hidden', text === '');
    this.#item.toggleClass('mod-clickable', staleness !== '');
    if (staleness) this.#item.dataset.staleness = staleness;
    else delete this.#item.dataset.staleness;
  }
}

function progress(opening: { step: string; done: number; total: number } | null): string {
  if (!opening) return words.engine.starting;
  return opening.step === 'reading' ? words.engine.reading(opening.done, opening.total) : words.engine.indexing;
}
