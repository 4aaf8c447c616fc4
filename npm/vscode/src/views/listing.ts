// A view: a tree whose items come from the server. It asks again when the project changes, but only while it is shown.
import * as vscode from 'vscode';
import { pathOf, type Project, type Projects } from '../projects';
import type { Server, What } from '../server';
import { tell } from '../telling';

/** Milliseconds without further changes before a view asks again. */
const PAUSE = 150;

export interface Surroundings {
  server: Server;
  projects: Projects;
}

/** The page in the active editor. */
export interface OpenPage {
  project: Project;
  path: string;
  uri: vscode.Uri;
}

export abstract class Listing<T> implements vscode.TreeDataProvider<T>, vscode.Disposable {
  protected readonly server: Server;
  protected readonly projects: Projects;
  readonly #changed = new vscode.EventEmitter<T | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #held: vscode.Disposable[] = [];
  protected view: vscode.TreeView<T>;
  #timer: NodeJS.Timeout | undefined;
  #isOutdated = false;

  constructor(id: string, { server, projects }: Surroundings, causes: readonly What[]) {
    this.server = server;
    this.projects = projects;
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this });
    this.#held.push(
      this.view,
      this.#changed,
      server.onDidChange((changed) => {
        if (!changed || causes.includes(changed.what)) this.refresh();
      }),
      projects.onDidChange(() => this.refresh()),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible && this.#isOutdated) this.refresh();
      }),
    );
  }

  abstract getTreeItem(item: T): vscode.TreeItem;
  protected abstract items(parent: T | undefined): Promise<T[]>;

  async getChildren(parent?: T): Promise<T[]> {
    if (!this.server.isRunning) return [];
    try {
      return await this.items(parent);
    } catch (error) {
      tell(error);
      return [];
    }
  }

  refresh(): void {
    this.#isOutdated = !this.view.visible;
    if (this.#isOutdated) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#changed.fire(undefined), PAUSE);
  }

  protected hold(held: vscode.Disposable): void {
    this.#held.push(held);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const held of this.#held) held.dispose();
  }
}

export function openPage(projects: Projects): OpenPage | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const project = projects.of(uri);
  const path = project && uri ? pathOf(project, uri) : undefined;
  return project && uri && path !== undefined ? { project, path, uri } : undefined;
}
