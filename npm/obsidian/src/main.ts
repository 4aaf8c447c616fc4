// The plugin: puts its parts into Obsidian. Everything that it registers goes when it is disabled.
import { MarkdownView, Notice, Platform, Plugin } from 'obsidian';
import { VaultEngine } from './engine';
import { FreshnessOfNotes } from './freshness';
import { TypeCompletion } from './links/completion';
import { livePreview } from './links/live-preview';
import { LinksOfNotes } from './links/notes';
import { readingView } from './links/reading-view';
import { Program } from './program';
import { SearchModal } from './search-modal';
import { SettingsTab } from './settings-tab';
import { DEFAULTS, settingsOf, usesMeaning, type Settings } from './settings';
import { Status } from './status';
import { BACKLINKS, BacklinksView } from './views/backlinks';
import { NoteView } from './views/note-view';
import { SUGGESTIONS, SuggestionsView } from './views/suggestions';
import { speakAsObsidian, words } from './words/words';

export default class UnifiedBlueprint extends Plugin {
  override settings: Settings = DEFAULTS;
  engine!: VaultEngine;
  program!: Program;
  #links!: LinksOfNotes;
  #freshness!: FreshnessOfNotes;
  #status: Status | null = null;

  override async onload(): Promise<void> {
    const [data] = await Promise.all([this.loadData() as Promise<unknown>, speakAsObsidian()]);
    this.settings = settingsOf(data);
    this.program = new Program(this.app);
    const folder = this.manifest.dir ?? `${this.app.vault.configDir}/plugins/${this.manifest.id}`;
    this.engine = new VaultEngine(this.app, folder, () => usesMeaning(this.settings), () => this.#stateChanged());
    this.#links = new LinksOfNotes(this.engine);
    this.#freshness = new FreshnessOfNotes(this.app, this.program);
    // If the layout is ready, the engine starts at once, and the others hear of it.
    for (const child of [this.engine, this.#links, this.#freshness]) this.addChild(child);
    if (Platform.isDesktopApp) this.#status = this.addChild(new Status(this.app, this.addStatusBarItem(), this.engine, this.#freshness));
    this.registerView(BACKLINKS, (leaf) => new BacklinksView(leaf, this.engine, this.#freshness));
    this.registerView(SUGGESTIONS, (leaf) => new SuggestionsView(leaf, this.engine));
    this.registerMarkdownPostProcessor(readingView(this.#links, () => this.settings));
    this.registerEditorExtension(livePreview(this.app, this.#links, () => this.settings));
    this.registerEditorSuggest(new TypeCompletion(this.app, this.engine, () => this.settings));
    this.addSettingTab(new SettingsTab(this));
    this.#addCommands();
    this.register(this.#freshness.onReview(() => this.#updateViews()));
    this.register(this.engine.on('changed', () => this.#freshness.forget()));
    this.app.workspace.onLayoutReady(() => this.#renderAgain());
  }

  override onunload(): void {
    this.#renderAgain();
  }

  #addCommands(): void {
    this.addCommand({ id: 'open-backlinks', name: words.commands.backlinks, callback: () => this.#reveal(BACKLINKS) });
    this.addCommand({ id: 'open-suggestions', name: words.commands.suggestions, callback: () => this.#reveal(SUGGESTIONS) });
    this.addCommand({ id: 'search', name: words.commands.search, callback: () => new SearchModal(this.app, this.engine, () => usesMeaning(this.settings)).open() });
    this.addCommand({ id: 'rebuild', name: words.commands.rebuild, callback: () => this.rebuild() });
    this.addCommand({
      id: 'review',
      name: words.commands.review,
      checkCallback: (isChecking) => {
        const file = this.app.workspace.getActiveFile();
        if (!this.program.isOn || file?.extension !== 'md') return false;
        if (!isChecking) this.#freshness.review(file);
        return true;
      },
    });
  }

  async #reveal(type: string): Promise<void> {
    const leaf = await this.app.workspace.ensureSideLeaf(type, 'right', { active: true, reveal: true });
    await this.app.workspace.revealLeaf(leaf);
  }

  async rebuild(): Promise<void> {
    await this.engine.rebuild();
    if (this.engine.state.is === 'failed') return void new Notice(words.engine.failed(this.engine.state.message));
    try {
      const { page_count } = await this.engine.call('status', {});
      new Notice(words.engine.rebuilt(page_count));
    } catch {
      // The plugin was disabled meanwhile.
    }
  }

  async change(changed: Partial<Settings>): Promise<void> {
    this.settings = { ...this.settings, ...changed };
    await this.saveData(this.settings);
    this.#links.tellAll();
    if (changed.meaning === undefined) return;
    // A loaded model is given back only by a new engine.
    if (usesMeaning(this.settings)) this.engine.loadMeaning();
    else if (this.engine.meaning.state !== 'offered') void this.engine.rebuild();
  }

  override async onExternalSettingsChange(): Promise<void> {
    this.settings = settingsOf(await this.loadData());
    this.#links.tellAll();
  }

  programChanged(): void {
    this.#freshness.forget();
    this.#updateViews();
    void this.#status?.update();
  }

  #stateChanged(): void {
    void this.#status?.update();
    if (this.engine.state.is === 'failed') this.#updateViews();
  }

  #updateViews(): void {
    for (const type of [BACKLINKS, SUGGESTIONS]) {
      for (const { view } of this.app.workspace.getLeavesOfType(type)) if (view instanceof NoteView) void view.update();
    }
  }

  /** Reading views are rendered before the plugin starts, and keep what it added when it is disabled. */
  #renderAgain(): void {
    for (const { view } of this.app.workspace.getLeavesOfType('markdown')) if (view instanceof MarkdownView) view.previewMode.rerender(true);
  }
}
