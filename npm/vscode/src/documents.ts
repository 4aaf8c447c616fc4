// Texts that are in no file, for the editor of differences: both sides of the code since a review, and of a proposal. The
// address says what to ask for, so that an editor which is restored after a restart has its text again.
import * as vscode from 'vscode';
import type { Project } from './projects';
import type { Server } from './server';

export const SCHEME = 'ubp';
type Side = 'before' | 'after';
type Asked = { of: 'source'; project: string; page: string; file: string; side: Side } | { of: 'proposal'; project: string; proposal: string; page: string; side: Side };

function addressOf(path: string, asked: Asked): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: JSON.stringify(asked) });
}

/** Both sides of what changed in a source of a page since the last review. */
export function sourceSides(project: Project, page: string, file: string): [vscode.Uri, vscode.Uri] {
  const [path = file] = file.split('#');
  const side = (side: Side) => addressOf(path, { of: 'source', project: project.root.toString(), page, file, side });
  return [side('before'), side('after')];
}

/** Both sides of a page in a proposal. */
export function proposalSides(project: Project, proposal: string, page: string): [vscode.Uri, vscode.Uri] {
  const side = (side: Side) => addressOf(page, { of: 'proposal', project: project.root.toString(), proposal, page, side });
  return [side('before'), side('after')];
}

/** Closes the differences of a page or proposal that was decided, because their texts are gone. */
export async function closeDifferences(of: 'source' | 'proposal', about: string): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ input }) => {
    if (!(input instanceof vscode.TabInputTextDiff) || input.modified.scheme !== SCHEME) return false;
    const asked = JSON.parse(input.modified.query) as Asked;
    return asked.of === of && (asked.of === 'proposal' ? asked.proposal : asked.page) === about;
  });
  await vscode.window.tabGroups.close(tabs, true);
}

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #server: Server;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #held: vscode.Disposable[];

  constructor(server: Server) {
    this.#server = server;
    this.#held = [
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      server.onDidChange(() => {
        for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === SCHEME) this.#changed.fire(uri);
      }),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    if (!this.#server.isRunning) return '';
    const asked = JSON.parse(uri.query) as Asked;
    const root = vscode.Uri.parse(asked.project);
    if (asked.of === 'source') {
      const { changes } = await this.#server.call('source_diff', { page: asked.page }, root, token);
      const diff = changes.find(({ file_path: file }) => file === asked.file)?.diff;
      return diff ? sides(diff)[asked.side] : '';
    }
    const { changes } = await this.#server.call('get_proposal', { proposal: asked.proposal }, root, token);
    const change = changes.find(({ filepath }) => filepath === asked.page);
    return (asked.side === 'before' ? change?.previous_text : change?.text) ?? '';
  }

  dispose(): void {
    for (const held of this.#held) held.dispose();
  }
}

/** The two texts of a unified diff; left out lines are a line with `⋯`. */
export function sides(diff: string): Record<Side, string> {
  const texts: Record<Side, string[]> = { before: [], after: [] };
  let isInside = false;
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) {
      if (isInside) for (const text of Object.values(texts)) text.push('⋯');
      isInside = true;
    } else if (isInside && !line.startsWith('\\')) {
      if (!line.startsWith('+')) texts.before.push(line.slice(1));
      if (!line.startsWith('-')) texts.after.push(line.slice(1));
    }
  }
  return { before: texts.before.join('\n'), after: texts.after.join('\n') };
}
