// A note in an editor, or in reading view; the suggestions of plugins while typing.
import { markdown } from '@codemirror/lang-markdown';
import { Compartment, EditorState, StateField } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import type * as O from 'obsidian';
import { renderMarkdown } from './markdown';
import { ItemView } from './workspace';
import { Component } from './events';
import type { TFile, Vault } from './vault';

export const editorInfoField = StateField.define<{ file: TFile | null } | null>({ create: () => null, update: (value) => value });
export const editorLivePreviewField = StateField.define<boolean>({ create: () => false, update: (value) => value });

/** What plugins added to all editors. */
export const editorExtensions: O.App[] & unknown[] = [];
export const suggests: EditorSuggest<unknown>[] = [];
const plugins = new Compartment();

/** As Obsidian does in live preview: brackets and target of a link are hidden unless the cursor is in it. */
const hidesBrackets = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = this.#made(view);
    }
    update({ view }: ViewUpdate): void {
      this.decorations = this.#made(view);
    }
    #made({ state }: EditorView): DecorationSet {
      const { from, to } = state.selection.main;
      const parts = [...state.doc.toString().matchAll(/(?<!`)(\[\[(?:[^\]|]+\|)?)[^\]]+(\]\])/g)].flatMap(({ 0: link, 1: before = '', index }) => {
        const end = index + link.length;
        if (!state.field(editorLivePreviewField) || (index <= to && end >= from)) return [];
        return [Decoration.replace({}).range(index, index + before.length), Decoration.replace({}).range(end - 2, end)];
      });
      return Decoration.set(parts, true);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

class Editor implements Pick<O.Editor, 'getLine' | 'replaceRange' | 'setCursor' | 'getCursor' | 'getValue'> {
  constructor(readonly cm: EditorView) {}

  #offset({ line, ch }: O.EditorPosition): number {
    return this.cm.state.doc.line(line + 1).from + ch;
  }

  getValue(): string {
    return this.cm.state.doc.toString();
  }

  getLine(line: number): string {
    return this.cm.state.doc.line(line + 1).text;
  }

  replaceRange(text: string, from: O.EditorPosition, to: O.EditorPosition = from): void {
    this.cm.dispatch({ changes: { from: this.#offset(from), to: this.#offset(to), insert: text } });
  }

  setCursor(position: O.EditorPosition | number): void {
    this.cm.dispatch({ selection: { anchor: typeof position === 'number' ? position : this.#offset(position) } });
  }

  getCursor(): O.EditorPosition {
    const { head } = this.cm.state.selection.main;
    const line = this.cm.state.doc.lineAt(head);
    return { line: line.number - 1, ch: head - line.from };
  }
}

export abstract class EditorSuggest<T> {
  context: O.EditorSuggestContext | null = null;
  limit = 100;
  readonly element = document.body.createDiv({ cls: 'suggestion-container' });

  constructor(readonly app: O.App) {
    this.element.remove();
  }

  abstract onTrigger(cursor: O.EditorPosition, editor: O.Editor, file: O.TFile | null): O.EditorSuggestTriggerInfo | null;
  abstract getSuggestions(context: O.EditorSuggestContext): T[] | Promise<T[]>;
  abstract renderSuggestion(value: T, element: HTMLElement): void;
  abstract selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void;

  close(): void {
    this.context = null;
    this.element.remove();
  }

  /** What Obsidian does after a key. */
  async typed(editor: O.Editor, file: O.TFile): Promise<void> {
    const trigger = this.onTrigger(editor.getCursor(), editor, file);
    this.close();
    if (!trigger) return;
    this.context = { ...trigger, editor, file };
    const values = await this.getSuggestions(this.context);
    if (values.length === 0) return this.close();
    this.element.empty();
    document.body.append(this.element);
    for (const value of values.slice(0, this.limit)) {
      const item = this.element.createDiv({ cls: 'suggestion-item' });
      this.renderSuggestion(value, item);
      item.addEventListener('click', (event) => this.selectSuggestion(value, event));
    }
  }
}

export class MarkdownView extends ItemView {
  file: TFile | null = null;
  editor!: O.Editor;
  readonly previewMode = { rerender: () => void this.#render() };
  #cm: EditorView | undefined;
  #rendered: Component | undefined;
  mode: 'source' | 'live' | 'preview' = 'live';

  override getViewType(): string {
    return 'markdown';
  }

  override getDisplayText(): string {
    return this.file?.basename ?? '';
  }

  async open(file: TFile, mode: 'source' | 'live' | 'preview' = this.mode): Promise<void> {
    this.file = file;
    this.mode = mode;
    const text = await (this.app.vault as unknown as Vault).read(file);
    this.#cm?.destroy();
    this.contentEl.empty();
    const state = EditorState.create({
      doc: text,
      selection: { anchor: text.length },
      extensions: [editorInfoField.init(() => this), editorLivePreviewField.init(() => mode === 'live'), markdown(), EditorView.lineWrapping, hidesBrackets, plugins.of(editorExtensions as never)],
    });
    const parent = this.contentEl.createDiv({ cls: 'markdown-source-view' });
    parent.hidden = mode === 'preview';
    this.#cm = new EditorView({ state, parent });
    this.editor = new Editor(this.#cm) as unknown as O.Editor;
    await this.#render();
  }

  async save(): Promise<void> {
    if (!this.file || !this.#cm) return;
    const vault = this.app.vault as unknown as Vault;
    const text = this.#cm.state.doc.toString();
    if (text !== (await vault.read(this.file))) await vault.modify(this.file, text);
  }

  /** Plugins added or removed extensions. */
  updateOptions(): void {
    this.#cm?.dispatch({ effects: plugins.reconfigure(editorExtensions as never) });
  }

  async #render(): Promise<void> {
    if (this.mode !== 'preview' || !this.#cm || !this.file) return;
    this.#rendered?.unload();
    this.contentEl.querySelector('.markdown-preview-view')?.remove();
    const into = this.contentEl.createDiv({ cls: 'markdown-preview-view markdown-rendered' });
    this.#rendered = new Component();
    void this.#rendered.load();
    await renderMarkdown(this.#cm.state.doc.toString(), into, this.file.path, this.#rendered);
  }

  close(): void {
    this.#rendered?.unload();
    this.#cm?.destroy();
  }
}
