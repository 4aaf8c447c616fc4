// The projects of the workspace: folders with `.ubp/manifest.json`, in or above a folder of the workspace. They are the
// projects that the language server serves.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';

const MANIFEST = join('.ubp', 'manifest.json');

export interface Project {
  name: string;
  root: vscode.Uri;
  /** The folder that paths of pages are relative to. */
  pages: vscode.Uri;
}

export class Projects implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #held: vscode.Disposable[];
  #found: Project[] = [];

  constructor() {
    const manifests = vscode.workspace.createFileSystemWatcher('**/.ubp/manifest.json');
    const look = () => this.look();
    this.#held = [this.#changed, manifests, manifests.onDidCreate(look), manifests.onDidChange(look), manifests.onDidDelete(look), vscode.workspace.onDidChangeWorkspaceFolders(look)];
    this.look();
  }

  get all(): readonly Project[] {
    return this.#found;
  }

  /** The project of a file; the innermost one if projects contain each other. */
  of(uri: vscode.Uri | undefined): Project | undefined {
    if (uri?.scheme !== 'file') return undefined;
    return this.#found.filter(({ root }) => isInside(root, uri)).sort((a, b) => b.root.path.length - a.root.path.length)[0];
  }

  /** The project of the file in the active editor; otherwise the first one. */
  get current(): Project | undefined {
    return this.of(vscode.window.activeTextEditor?.document.uri) ?? this.#found[0];
  }

  look(): void {
    const roots = new Map<string, Project>();
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const project = folder.uri.scheme === 'file' ? around(folder.uri.fsPath) : undefined;
      if (project) roots.set(project.root.toString(), project);
    }
    const found = [...roots.values()];
    const same = JSON.stringify(found) === JSON.stringify(this.#found);
    this.#found = found;
    if (!same) this.#changed.fire();
  }

  dispose(): void {
    for (const held of this.#held) held.dispose();
  }
}

function around(folder: string): Project | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, MANIFEST))) {
      const root = vscode.Uri.file(at);
      return { name: at.split(/[\\/]/).pop() || at, root, pages: vscode.Uri.joinPath(root, pagesFolder(join(at, MANIFEST))) };
    }
    if (dirname(at) === at) return undefined;
  }
}

/** The setting `pages_dir`. The language server tells what is wrong with a manifest that cannot be read. */
function pagesFolder(manifest: string): string {
  try {
    const { pages_dir: folder } = JSON.parse(readFileSync(manifest, 'utf8').replace(/^\uFEFF/, '')) as { pages_dir?: unknown };
    if (typeof folder === 'string') return folder;
  } catch {
    // As without the setting.
  }
  return 'pages';
}

function isInside(folder: vscode.Uri, uri: vscode.Uri): boolean {
  return uri.path === folder.path || uri.path.startsWith(folder.path.endsWith('/') ? folder.path : `${folder.path}/`);
}

/** The path of a page, as operations name it; undefined for a file outside of the pages folder. */
export function pathOf(project: Project, uri: vscode.Uri): string | undefined {
  return isInside(project.pages, uri) && /\.(md|markdown)$/i.test(uri.path) ? uri.path.slice(project.pages.path.length).replace(/^\//, '') : undefined;
}

export const pageUri = (project: Project, path: string) => vscode.Uri.joinPath(project.pages, path);
