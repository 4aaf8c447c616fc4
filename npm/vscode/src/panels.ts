// The graph and the Read view: panels with the web application of `ubp viewer` in a frame. They follow the page in the editor.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { pathOf, type Project, type Projects } from './projects';
import type { Server } from './server';
import { told } from './telling';
import type { Viewers } from './viewer';

export type Kind = 'read' | 'graph';

interface Panel {
  panel: vscode.WebviewPanel;
  project: Project;
  /** The address in the frame, below that of the viewer. */
  place: string;
  follows: boolean;
}

export class Panels implements vscode.Disposable {
  readonly #extension: vscode.Uri;
  readonly #server: Server;
  readonly #projects: Projects;
  readonly #viewers: Viewers;
  readonly #open = new Map<Kind, Panel>();
  readonly #held: vscode.Disposable;

  constructor(extension: vscode.Uri, server: Server, projects: Projects, viewers: Viewers) {
    this.#extension = extension;
    this.#server = server;
    this.#projects = projects;
    this.#viewers = viewers;
    this.#held = vscode.window.onDidChangeActiveTextEditor((editor) => {
      const project = this.#projects.of(editor?.document.uri);
      for (const [kind, { follows, project: shown }] of this.#open) {
        if (follows && editor && project?.root.toString() === shown.root.toString()) void told(() => this.show(kind, project, editor.document.uri));
      }
    });
  }

  /** Shows the page at `uri`, or the whole project without one. */
  async show(kind: Kind, project: Project, uri: vscode.Uri | undefined): Promise<void> {
    const place = await this.#place(kind, project, uri);
    if (place === undefined) return;
    const shown = this.#open.get(kind);
    const follows = uri !== undefined;
    if (shown && shown.project.root.toString() === project.root.toString()) {
      if (!follows || !shown.follows) shown.panel.reveal(undefined, true);
      if (shown.place !== place) await shown.panel.webview.postMessage({ place });
      Object.assign(shown, { place, follows });
      return;
    }
    shown?.panel.dispose();
    const { frame } = await this.#viewers.of(project);
    const [local, secret] = split(frame);
    // On another machine, such as a server with code-server, this is the address of a proxy.
    const outside = await vscode.env.asExternalUri(local);
    const panel = vscode.window.createWebviewPanel(`ubp.${kind}`, kind === 'read' ? vscode.l10n.t('Read View') : vscode.l10n.t('Graph'), { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, { enableScripts: true, retainContextWhenHidden: true });
    panel.iconPath = vscode.Uri.joinPath(this.#extension, 'media', 'icon.png');
    panel.webview.html = html(outside.with({ path: `${outside.path.replace(/\/$/, '')}${secret}` }), place);
    this.#open.set(kind, { panel, project, place, follows });
    panel.onDidDispose(() => {
      if (this.#open.get(kind)?.panel === panel) this.#open.delete(kind);
    });
  }

  dispose(): void {
    this.#held.dispose();
    for (const { panel } of this.#open.values()) panel.dispose();
  }

  /** The address of a page in the viewer; undefined for a file that is no page. */
  async #place(kind: Kind, project: Project, uri: vscode.Uri | undefined): Promise<string | undefined> {
    if (!uri) return kind === 'graph' ? '?graph=all' : '';
    const page = pathOf(project, uri);
    if (page === undefined) return undefined;
    const { url } = await this.#server.call('render_page', { filepath: page }, uri);
    return kind === 'graph' ? `${url}?graph=local` : url;
  }
}

/** An address as that of the server, and the path in it. */
function split(address: string): [vscode.Uri, string] {
  const uri = vscode.Uri.parse(address);
  return [uri.with({ path: '/' }), uri.path];
}

function html(root: vscode.Uri, place: string): string {
  const nonce = randomBytes(16).toString('hex');
  const start = root.toString(true);
  const origin = `${root.scheme}://${root.authority}`;
  const policy = `default-src 'none'; frame-src ${origin}; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  const inScript = (text: string) => JSON.stringify(text).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<style nonce="${nonce}">html, body { height: 100%; margin: 0; padding: 0; overflow: hidden } iframe { width: 100%; height: 100%; border: 0 }</style></head>
<body><iframe id="view" allow="clipboard-read; clipboard-write"></iframe>
<script nonce="${nonce}">
const root = ${inScript(start)}, view = document.getElementById('view');
const show = (place) => { view.src = root + place; };
show(${inScript(place)});
window.addEventListener('message', ({ data }) => { if (typeof data?.place === 'string') show(data.place); });
</script></body></html>`;
}
