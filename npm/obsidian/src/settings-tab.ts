// The settings of the plugin.
import { Notice, PluginSettingTab, Setting } from 'obsidian';
import type UnifiedBlueprint from './main';
import type { Settings } from './settings';
import { words } from './words/words';

export class SettingsTab extends PluginSettingTab {
  readonly #plugin: UnifiedBlueprint;

  constructor(plugin: UnifiedBlueprint) {
    super(plugin.app, plugin);
    this.#plugin = plugin;
  }

  override display(): void {
    this.containerEl.empty();
    this.#links();
    this.#meaning();
    if (this.#plugin.program.isPossible) this.#freshness();
    this.#index();
  }

  #links(): void {
    new Setting(this.containerEl).setName(words.settings.links).setHeading();
    this.#toggle('showTypes', words.settings.badges, words.settings.badgesAbout);
    this.#toggle('completeTypes', words.settings.complete, words.settings.completeAbout);
  }

  #toggle(key: 'showTypes' | 'completeTypes', name: string, about: string): void {
    new Setting(this.containerEl)
      .setName(name)
      .setDesc(about)
      .addToggle((toggle) => toggle.setValue(this.#plugin.settings[key]).onChange((value) => this.#plugin.change({ [key]: value })));
  }

  #meaning(): void {
    const { desktop, everywhere, never } = words.settings;
    const setting = new Setting(this.containerEl).setName(words.settings.meaning).setDesc(words.settings.meaningAbout);
    if (!this.#plugin.engine.hasModel) return void setting.setDesc(words.settings.noModel);
    setting.addDropdown((choice) =>
      choice
        .addOptions({ desktop, everywhere, never })
        .setValue(this.#plugin.settings.meaning)
        .onChange((value) => this.#plugin.change({ meaning: value as Settings['meaning'] })),
    );
  }

  #freshness(): void {
    const { program } = this.#plugin;
    new Setting(this.containerEl).setName(words.settings.freshness).setHeading();
    new Setting(this.containerEl)
      .setName(words.settings.program)
      .setDesc(words.settings.programAbout)
      .addText((text) =>
        text
          .setPlaceholder('/usr/local/bin/ubp')
          .setValue(program.path)
          .onChange((path) => {
            program.path = path;
            this.#plugin.programChanged();
          }),
      )
      .addButton((button) =>
        button.setButtonText(words.settings.check).onClick(() => {
          program.version().then(
            (version) => new Notice(words.program.answers(version)),
            (error: Error) => new Notice(error.message),
          );
        }),
      );
  }

  #index(): void {
    new Setting(this.containerEl)
      .setName(words.settings.index)
      .setDesc(words.settings.indexAbout)
      .addButton((button) => button.setButtonText(words.settings.rebuild).onClick(() => this.#plugin.rebuild()));
  }
}
