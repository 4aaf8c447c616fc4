// The app around the plugin: loads it, and gives tests a hold on everything. The real app cannot run in tests.
import * as language from '@codemirror/language';
import * as state from '@codemirror/state';
import * as view from '@codemirror/view';
import type * as O from 'obsidian';
import { extendElements } from './dom';
import * as editors from './editor';
import { Component, Events, listening } from './events';
import * as markdown from './markdown';
import { DataAdapter, FileSystemAdapter, TFile, TFolder, Vault } from './vault';
import * as widgets from './widgets';
import * as workspaces from './workspace';

extendElements();

export interface Options {
  files: { path: string; text?: string; base64?: string }[];
  isMobile?: boolean;
  language?: string;
  data?: unknown;
  base?: string;
  stored?: Record<string, unknown>;
}

declare global {
  interface Window {
    /** Large files of the vault. */
    installed?: Options['files'];
  }
}

declare const plugin: (require: (name: string) => unknown, module: { exports: unknown }) => void;
declare const execFileOfTest: (program: string, args: string[], cwd: string) => Promise<{ error: { message: string; code: unknown } | null; stdout: string; stderr: string }>;

/** What plugins registered. */
const registered = { commands: new Map<string, O.Command>(), tabs: new Set<widgets.PluginSettingTab>(), items: new Set<HTMLElement>() };

abstract class Plugin extends Component {
  constructor(
    readonly app: O.App,
    readonly manifest: O.PluginManifest,
  ) {
    super();
  }

  #until<T>(set: { add(value: T): unknown; delete(value: T): unknown }, value: T): void {
    set.add(value);
    this.register(() => set.delete(value));
  }

  addCommand(command: O.Command): O.Command {
    registered.commands.set(command.id, command);
    this.register(() => registered.commands.delete(command.id));
    return command;
  }

  addSettingTab(tab: widgets.PluginSettingTab): void {
    this.#until(registered.tabs, tab);
  }

  addStatusBarItem(): HTMLElement {
    const item = document.querySelector('.status-bar')!.createDiv({ cls: 'status-bar-item' });
    this.#until(registered.items, item);
    this.register(() => item.remove());
    return item;
  }

  registerView(type: string, make: (leaf: workspaces.WorkspaceLeaf) => workspaces.View): void {
    const { views } = app.workspace;
    views.set(type, make);
    this.register(() => {
      views.delete(type);
      for (const leaf of app.workspace.getLeavesOfType(type)) void app.workspace.closeLeaf(leaf);
    });
  }

  registerMarkdownPostProcessor(process: O.MarkdownPostProcessor): O.MarkdownPostProcessor {
    this.#until(markdown.postProcessors, process);
    return process;
  }

  registerEditorExtension(extension: never): void {
    const all: unknown[] = editors.editorExtensions;
    all.push(extension);
    updateEditors();
    this.register(() => {
      all.splice(all.indexOf(extension), 1);
      updateEditors();
    });
  }

  registerEditorSuggest(suggest: editors.EditorSuggest<unknown>): void {
    editors.suggests.push(suggest);
    this.register(() => {
      suggest.close();
      editors.suggests.splice(editors.suggests.indexOf(suggest), 1);
    });
  }

  async loadData(): Promise<unknown> {
    return structuredClone(host.data);
  }

  async saveData(data: unknown): Promise<void> {
    host.data = structuredClone(data);
  }
}

interface App {
  vault: Vault;
  workspace: workspaces.Workspace;
  metadataCache: Events;
  loadLocalStorage(key: string): unknown;
  saveLocalStorage(key: string, value: unknown): void;
}

let app: App;
const main = (): editors.MarkdownView => app.workspace.getLeaf().view as editors.MarkdownView;
const updateEditors = () => app.workspace.getLeavesOfType('markdown').forEach(({ view }) => (view as editors.MarkdownView).updateOptions());

function modules(options: Options): Record<string, unknown> {
  const isMobile = options.isMobile ?? false;
  const child_process = {
    execFile(program: string, args: string[], { cwd }: { cwd: string }, done: (error: Error | null, stdout: string, stderr: string) => void) {
      void execFileOfTest(program, args, cwd).then(({ error, stdout, stderr }) => done(error && Object.assign(new Error(error.message), { code: error.code }), stdout, stderr));
    },
  };
  const obsidian = {
    ...markdown,
    ...widgets,
    ...workspaces,
    ...editors,
    Component,
    FileSystemAdapter,
    Plugin,
    TFile,
    TFolder,
    Platform: { isDesktop: !isMobile, isDesktopApp: !isMobile, isMobile, isMobileApp: isMobile },
    Keymap: { isModEvent: (event?: MouseEvent | KeyboardEvent | null) => event?.ctrlKey === true && 'tab' },
    getLanguage: () => options.language ?? 'en',
    normalizePath: (path: string) => path.replace(/[\\/]+/g, '/').replace(/^\/|\/$/g, '') || '/',
    setIcon: (element: HTMLElement, name: string) => element.setAttribute('data-icon', name),
    setTooltip: (element: HTMLElement, text: string) => element.setAttribute('aria-label', text),
    debounce(callback: () => void, wait: number, resets: boolean) {
      let timer: number | undefined;
      const run = () => {
        if (timer !== undefined && !resets) return;
        clearTimeout(timer);
        timer = window.setTimeout(() => ((timer = undefined), callback()), wait);
      };
      return Object.assign(run, { cancel: () => (clearTimeout(timer), (timer = undefined)), run: callback });
    },
  };
  // Node's modules are there on desktops only.
  return { obsidian, '@codemirror/language': language, '@codemirror/state': state, '@codemirror/view': view, ...(isMobile ? {} : { child_process }) };
}

const host = {
  data: null as unknown,
  plugin: undefined as (Plugin & Record<string, never>) | undefined,
  registered,
  listening,
  notices: widgets.notices,
  postProcessors: markdown.postProcessors,
  editorExtensions: editors.editorExtensions as unknown[],
  suggests: editors.suggests,
  get app() {
    return app;
  },
  get view() {
    return main();
  },

  /** Starts the app with the plugin enabled; resolves when the plugin has loaded. */
  async start(options: Options, manifest: O.PluginManifest): Promise<void> {
    const adapter = options.isMobile ? new DataAdapter() : new FileSystemAdapter(options.base ?? '/vault');
    const mtime = Date.UTC(2025, 0, 1);
    for (const { path, text = '', base64 } of [...options.files, ...(window.installed ?? [])]) {
      adapter.files.set(path, { bytes: base64 === undefined ? new TextEncoder().encode(text) : Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)), mtime });
    }
    const stored = new Map(Object.entries(options.stored ?? {}));
    const workspace = new workspaces.Workspace();
    app = {
      vault: new Vault(adapter),
      workspace,
      metadataCache: new Events(),
      loadLocalStorage: (key) => stored.get(key) ?? null,
      saveLocalStorage: (key, value) => (value === null ? stored.delete(key) : stored.set(key, value)),
    };
    workspace.app = app as unknown as O.App;
    document.body.classList.toggle('is-mobile', options.isMobile ?? false);
    this.data = options.data ?? null;
    const leaf = new workspaces.WorkspaceLeaf(workspace.app, document.querySelector<HTMLElement>('.mod-root')!);
    workspace.leaves.push(leaf);
    leaf.view = new editors.MarkdownView(leaf);
    workspace.open = (file) => this.open(file.path);
    await this.enable(options, manifest);
    app.vault.load();
    workspace.ready();
  },

  async enable(options: Options, manifest: O.PluginManifest): Promise<void> {
    const known = modules(options);
    const module: { exports: unknown } = { exports: {} };
    plugin((name) => {
      if (!(name in known)) throw new Error(`Cannot find module '${name}'`);
      return known[name];
    }, module);
    const Made = module.exports as new (app: O.App, manifest: O.PluginManifest) => Plugin & Record<string, never>;
    this.plugin = new Made(app as unknown as O.App, manifest);
    await this.plugin.load();
  },

  disable(): void {
    this.plugin!.unload();
  },

  async open(path: string, mode?: 'source' | 'live' | 'preview'): Promise<void> {
    const file = app.vault.getFileByPath(path)!;
    app.workspace.active = file;
    await main().open(file, mode);
    app.workspace.trigger('file-open', file);
  },

  async run(command: string): Promise<boolean> {
    const { callback, checkCallback } = registered.commands.get(command)!;
    if (checkCallback) return checkCallback(true) === true && (checkCallback(false), true);
    await callback!();
    return true;
  },

  /** Types at the end of the note. */
  async type(text: string): Promise<void> {
    const { editor, file } = main();
    for (const key of text) {
      const at = editor.getCursor();
      editor.replaceRange(key, at, at);
      editor.setCursor({ line: at.line, ch: at.ch + 1 });
      for (const suggest of editors.suggests) await suggest.typed(editor, file as unknown as O.TFile);
    }
  },

  text: (path: string): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(app.vault.adapter.files.get(path)!.bytes),
};

export type Host = typeof host;
Object.assign(window, { host });
