// Dialogs, notices and settings.
import type * as O from 'obsidian';

export const notices: string[] = [];

export class Notice {
  constructor(message: string) {
    notices.push(message);
  }
}

type Handler = (event: KeyboardEvent) => unknown;

export class Scope {
  readonly handlers: { modifiers: string[]; key: string; handler: Handler }[] = [];

  register(modifiers: string[] | null, key: string | null, handler: Handler): O.KeymapEventHandler {
    this.handlers.push({ modifiers: modifiers ?? [], key: key ?? '', handler });
    return { scope: this as unknown as O.Scope, modifiers: null, key };
  }
}

export class Modal {
  readonly scope = new Scope();
  readonly containerEl = document.createElement('div');
  readonly modalEl: HTMLElement;
  readonly titleEl: HTMLElement;
  readonly contentEl: HTMLElement;
  readonly #key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return this.close();
    const found = this.scope.handlers.filter(({ key, modifiers }) => key === event.key && modifiers.includes('Mod') === event.ctrlKey);
    for (const { handler } of found) if (handler(event) === false) event.preventDefault();
  };

  constructor(readonly app: O.App) {
    this.containerEl.className = 'modal-container';
    this.modalEl = this.containerEl.createDiv({ cls: 'modal', attr: { role: 'dialog', 'aria-modal': 'true' } });
    this.titleEl = this.modalEl.createDiv({ cls: 'modal-title' });
    this.contentEl = this.modalEl.createDiv({ cls: 'modal-content' });
  }

  open(): void {
    document.body.append(this.containerEl);
    document.addEventListener('keydown', this.#key);
    void this.onOpen();
  }

  close(): void {
    document.removeEventListener('keydown', this.#key);
    this.onClose();
    this.containerEl.remove();
  }

  onOpen(): void | Promise<void> {}
  onClose(): void {}

  setTitle(title: string): this {
    this.titleEl.setText(title);
    return this;
  }
}

export class SettingTab {
  readonly containerEl = document.createElement('div');
  constructor(readonly app: O.App) {}
  display(): void {}
  hide(): void {}
}

export class PluginSettingTab extends SettingTab {
  constructor(
    app: O.App,
    readonly plugin: O.Plugin,
  ) {
    super(app);
  }
}

class Toggle {
  readonly element: HTMLInputElement;
  constructor(into: HTMLElement) {
    this.element = into.createEl('input', { type: 'checkbox' });
  }
  setValue(value: boolean): this {
    this.element.checked = value;
    return this;
  }
  onChange(callback: (value: boolean) => unknown): this {
    this.element.addEventListener('change', () => callback(this.element.checked));
    return this;
  }
}

class Text {
  readonly element: HTMLInputElement;
  constructor(into: HTMLElement) {
    this.element = into.createEl('input', { type: 'text' });
  }
  setPlaceholder(text: string): this {
    this.element.placeholder = text;
    return this;
  }
  setValue(value: string): this {
    this.element.value = value;
    return this;
  }
  onChange(callback: (value: string) => unknown): this {
    this.element.addEventListener('input', () => callback(this.element.value));
    return this;
  }
}

class Dropdown {
  readonly element: HTMLSelectElement;
  constructor(into: HTMLElement) {
    this.element = into.createEl('select');
  }
  addOptions(options: Record<string, string>): this {
    for (const [value, text] of Object.entries(options)) this.element.createEl('option', { value, text });
    return this;
  }
  setValue(value: string): this {
    this.element.value = value;
    return this;
  }
  onChange(callback: (value: string) => unknown): this {
    this.element.addEventListener('change', () => callback(this.element.value));
    return this;
  }
}

class Button {
  readonly element: HTMLButtonElement;
  constructor(into: HTMLElement) {
    this.element = into.createEl('button');
  }
  setButtonText(text: string): this {
    this.element.setText(text);
    return this;
  }
  onClick(callback: () => unknown): this {
    this.element.addEventListener('click', callback);
    return this;
  }
}

export class Setting {
  readonly settingEl: HTMLElement;
  readonly #name: HTMLElement;
  readonly #desc: HTMLElement;
  readonly #control: HTMLElement;

  constructor(container: HTMLElement) {
    this.settingEl = container.createDiv({ cls: 'setting-item' });
    const info = this.settingEl.createDiv({ cls: 'setting-item-info' });
    this.#name = info.createDiv({ cls: 'setting-item-name' });
    this.#desc = info.createDiv({ cls: 'setting-item-description' });
    this.#control = this.settingEl.createDiv({ cls: 'setting-item-control' });
  }

  setName(name: string): this {
    this.#name.setText(name);
    return this;
  }

  setDesc(text: string): this {
    this.#desc.setText(text);
    return this;
  }

  setHeading(): this {
    this.settingEl.addClass('setting-item-heading');
    return this;
  }

  addToggle(callback: (toggle: Toggle) => unknown): this {
    callback(new Toggle(this.#control));
    return this;
  }

  addText(callback: (text: Text) => unknown): this {
    callback(new Text(this.#control));
    return this;
  }

  addDropdown(callback: (dropdown: Dropdown) => unknown): this {
    callback(new Dropdown(this.#control));
    return this;
  }

  addButton(callback: (button: Button) => unknown): this {
    callback(new Button(this.#control));
    return this;
  }
}
