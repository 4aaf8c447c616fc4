// Whether the open note is out of date with the code that it names, and recording that it is not. Only where the program can be
// asked.
import { Component, Modal, Notice, setTooltip, type App, type TFile } from 'obsidian';
import type { Freshness, Program } from './program';
import { words } from './words/words';

/** Milliseconds for which an answer is shown without asking again. */
const KEPT = 10_000;

export class FreshnessOfNotes extends Component {
  readonly #app: App;
  readonly #program: Program;
  readonly #known = new Map<string, { at: number; answer: Promise<Freshness | null> }>();
  readonly #readers = new Set<() => void>();

  constructor(app: App, program: Program) {
    super();
    this.#app = app;
    this.#program = program;
  }

  override onunload(): void {
    this.#known.clear();
    this.#readers.clear();
  }

  /** Calls `reader` when a review was recorded. */
  onReview(reader: () => void): () => void {
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  /** Forgets all answers: the program or the notes changed. */
  forget(): void {
    this.#known.clear();
  }

  of(file: TFile): Promise<Freshness | null> {
    if (!this.#program.isOn || file.extension !== 'md') return Promise.resolve(null);
    const known = this.#known.get(file.path);
    if (known && Date.now() - known.at < KEPT) return known.answer;
    const answer = this.#program.freshness(file.path);
    this.#known.set(file.path, { at: Date.now(), answer });
    answer.catch(() => this.#known.delete(file.path));
    return answer;
  }

  /** Shows the freshness of a note, with a button to record a review; nothing if there is none. */
  show(into: HTMLElement, file: TFile): void {
    if (!this.#program.isOn) return;
    this.of(file).then(
      (freshness) => {
        if (!freshness || freshness.staleness === 'untracked') return;
        const badge = into.createSpan({ cls: 'ubp-freshness', text: words.freshness[freshness.staleness] });
        badge.dataset.staleness = freshness.staleness;
        if (freshness.stale_ref_details.length > 0) setTooltip(badge, changes(freshness).join('\n'));
        const button = into.createEl('button', { cls: 'ubp-review', text: words.freshness.mark });
        button.addEventListener('click', () => this.review(file));
      },
      (error: unknown) => into.createDiv({ cls: 'ubp-message', text: error instanceof Error ? error.message : String(error) }),
    );
  }

  review(file: TFile): void {
    void this.of(file).then(
      (freshness) => new ReviewModal(this.#app, file, freshness, () => this.#record(file)).open(),
      (error: unknown) => new Notice(error instanceof Error ? error.message : String(error)),
    );
  }

  async #record(file: TFile): Promise<void> {
    try {
      await this.#program.review(file.path);
      new Notice(words.freshness.recorded(file.basename));
    } catch (error) {
      new Notice(error instanceof Error ? error.message : String(error));
    }
    this.#known.delete(file.path);
    for (const reader of this.#readers) reader();
  }
}

const changes = ({ stale_ref_details }: Freshness): string[] =>
  stale_ref_details.map(({ file_path, reason, renamed_to }) => (renamed_to ? `${file_path} → ${renamed_to}` : reason === 'missing' ? words.freshness.missing(file_path) : file_path));

/** Asks before a review is recorded: it says that a person has read the note and its code. */
class ReviewModal extends Modal {
  readonly #file: TFile;
  readonly #freshness: Freshness | null;
  readonly #record: () => Promise<void>;

  constructor(app: App, file: TFile, freshness: Freshness | null, record: () => Promise<void>) {
    super(app);
    this.#file = file;
    this.#freshness = freshness;
    this.#record = record;
  }

  override onOpen(): void {
    this.setTitle(this.#file.basename);
    this.contentEl.createEl('p', { text: words.freshness.question });
    const changed = this.#freshness ? changes(this.#freshness) : [];
    if (changed.length > 0) {
      this.contentEl.createEl('p', { text: words.freshness.changed });
      const list = this.contentEl.createEl('ul');
      for (const text of changed) list.createEl('li', { text });
    }
    const buttons = this.contentEl.createDiv({ cls: 'modal-button-container' });
    const yes = buttons.createEl('button', { cls: 'mod-cta', text: words.freshness.accurate });
    yes.addEventListener('click', () => {
      this.close();
      void this.#record();
    });
    buttons.createEl('button', { text: words.freshness.cancel }).addEventListener('click', () => this.close());
  }

  override onClose(): void {
    this.contentEl.empty();
  }
}
