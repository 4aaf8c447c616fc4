// Leaves, views and the open note.
import type * as O from 'obsidian';
import { Component, Events } from './events';
import type { TFile } from './vault';

export class WorkspaceLeaf {
  view: View | undefined;
  readonly element: HTMLElement;

  constructor(
    readonly app: O.App,
    container: HTMLElement,
  ) {
    this.element = container.createDiv({ cls: 'workspace-leaf' });
  }

  async openFile(file: O.TFile, state?: O.OpenViewState): Promise<void> {
    const workspace = this.app.workspace as unknown as Workspace;
    workspace.opened.push({ path: file.path, line: state?.eState?.line });
    await workspace.open(file as unknown as TFile);
  }
}

export abstract class View extends Component {
  readonly app: O.App;
  readonly containerEl: HTMLElement;
  icon = '';
  navigation = true;

  constructor(readonly leaf: WorkspaceLeaf) {
    super();
    this.app = leaf.app;
    this.containerEl = leaf.element.createDiv({ cls: 'view' });
  }

  abstract getViewType(): string;
  abstract getDisplayText(): string;
  async onOpen(): Promise<void> {}
  async onClose(): Promise<void> {}
}

export abstract class ItemView extends View {
  readonly contentEl: HTMLElement;

  constructor(leaf: WorkspaceLeaf) {
    super(leaf);
    this.containerEl.createDiv({ cls: 'view-header' });
    this.contentEl = this.containerEl.createDiv({ cls: 'view-content' });
  }
}

export class Workspace extends Events {
  layoutReady = false;
  readonly views = new Map<string, (leaf: WorkspaceLeaf) => View>();
  readonly leaves: WorkspaceLeaf[] = [];
  /** Files that were opened, with their line. */
  readonly opened: { path: string; line: unknown }[] = [];
  readonly followed: string[] = [];
  readonly #waiting: (() => unknown)[] = [];
  /** Shows a file in the main area. */
  open: (file: TFile) => Promise<void> = async () => {};
  active: TFile | null = null;
  app!: O.App;

  onLayoutReady(callback: () => unknown): void {
    if (this.layoutReady) callback();
    else this.#waiting.push(callback);
  }

  ready(): void {
    this.layoutReady = true;
    for (const callback of this.#waiting.splice(0)) callback();
  }

  getActiveFile(): TFile | null {
    return this.active;
  }

  getLeaf(): WorkspaceLeaf {
    return this.leaves.find(({ view }) => view?.getViewType() === 'markdown')!;
  }

  getLeavesOfType(type: string): WorkspaceLeaf[] {
    return this.leaves.filter(({ view }) => view?.getViewType() === type);
  }

  async ensureSideLeaf(type: string): Promise<WorkspaceLeaf> {
    const [known] = this.getLeavesOfType(type);
    if (known) return known;
    const leaf = new WorkspaceLeaf(this.app, document.querySelector<HTMLElement>('.mod-right-split')!);
    this.leaves.push(leaf);
    const make = this.views.get(type);
    if (!make) throw new Error(`No view of the type ${type}`);
    leaf.view = make(leaf);
    leaf.element.createDiv({ cls: 'view-header-title', text: leaf.view.getDisplayText() });
    leaf.element.prepend(leaf.element.lastElementChild!);
    void leaf.view.load();
    await leaf.view.onOpen();
    return leaf;
  }

  async revealLeaf(): Promise<void> {}

  async closeLeaf(leaf: WorkspaceLeaf): Promise<void> {
    await leaf.view?.onClose();
    leaf.view?.unload();
    leaf.element.remove();
    this.leaves.splice(this.leaves.indexOf(leaf), 1);
  }

  async openLinkText(target: string): Promise<void> {
    this.followed.push(target);
  }
}
