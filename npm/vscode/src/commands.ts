// The commands. Each is in `package.json`, with its title, its icon and when it is offered.
import * as vscode from 'vscode';
import type { Panels } from './panels';
import { program } from './program';
import { pageUri, type Project, type Projects } from './projects';
import { acceptProposal, rejectProposal, showProposal } from './proposing';
import { markAccurate, showChanges, subjectOf, type Subject } from './reviewing';
import { search } from './search';
import type { Server } from './server';
import { open, told } from './telling';
import type { Viewers } from './viewer';
import { openPage, type Listing } from './views/listing';
import type { ProposalItem } from './views/proposals';
import type { ReviewItem } from './views/review';

interface Parts {
  extension: vscode.ExtensionContext;
  server: Server;
  projects: Projects;
  panels: Panels;
  viewers: Viewers;
  listings: readonly Listing<unknown>[];
}

/** In the menu of the status bar, in this order. */
const MENU = ['search', 'openRead', 'openLocalGraph', 'openGraph', 'newPage', 'openInBrowser', 'restart', 'showOutput'];

export function register(parts: Parts): void {
  const { extension, server, projects, panels, viewers, listings } = parts;
  const command = (name: string, work: (...given: never[]) => unknown) => {
    extension.subscriptions.push(vscode.commands.registerCommand(`ubp.${name}`, (...given: never[]) => told(async () => work(...given))));
  };
  const activeUri = () => vscode.window.activeTextEditor?.document.uri;
  command('search', () => search(server, current(projects)));
  command('openRead', () => panels.show('read', current(projects), openPage(projects)?.uri));
  command('openGraph', () => panels.show('graph', current(projects), undefined));
  command('openLocalGraph', () => panels.show('graph', current(projects), activeUri()));
  command('openInBrowser', async () => {
    const { url } = await viewers.of(current(projects));
    await vscode.env.openExternal(vscode.Uri.parse(url));
  });
  command('newPage', () => newPage(server, current(projects)));
  command('showChanges', (item?: ReviewItem) => showChanges(server, subject(projects, item)));
  command('stillAccurate', (item?: ReviewItem) => markAccurate(server, subject(projects, item)));
  command('showProposal', (item: ProposalItem) => showProposal(server, item));
  command('acceptProposal', async (item: ProposalItem) => {
    await acceptProposal(server, item);
    refresh();
  });
  command('rejectProposal', async (item: ProposalItem) => {
    await rejectProposal(server, item);
    refresh();
  });
  const refresh = () => {
    projects.look();
    for (const listing of listings) listing.refresh();
  };
  command('refresh', refresh);
  command('menu', () => menu(extension));
  command('showOutput', () => server.output.show());
  command('restart', () => server.start());
  command('init', () => start(extension));
  command('showReferences', (...given: Parameters<Server['showReferences']>) => server.showReferences(...given));
}

function current(projects: Projects): Project {
  const { current } = projects;
  if (!current) throw new Error(vscode.l10n.t('No project of Unified Blueprint is open.'));
  return current;
}

/** An item that a view passes, otherwise the open page. Menus of editors pass the address of a file. */
function subject(projects: Projects, item: ReviewItem | vscode.Uri | undefined): Subject {
  if (item && !(item instanceof vscode.Uri)) return subjectOf(item);
  const page = openPage(projects);
  if (!page) throw new Error(vscode.l10n.t('Open a page first.'));
  return page;
}

async function newPage(server: Server, project: Project): Promise<void> {
  const title = (await vscode.window.showInputBox({ title: vscode.l10n.t('New Page'), prompt: vscode.l10n.t('Title') }))?.trim();
  if (!title) return;
  const { filepath, cursor } = await server.call('create_page', { title }, project.root);
  const uri = pageUri(project, filepath);
  await open(uri, cursor?.line ?? (await vscode.workspace.openTextDocument(uri)).lineCount);
}

async function menu(extension: vscode.ExtensionContext): Promise<void> {
  const { contributes } = extension.extension.packageJSON as { contributes: { commands: { command: string; title: string; icon: string }[] } };
  const items = MENU.flatMap((name) => {
    const known = contributes.commands.find(({ command }) => command === `ubp.${name}`);
    return known ? [{ label: `${known.icon} ${known.title}`, command: known.command }] : [];
  });
  const chosen = await vscode.window.showQuickPick(items, { title: 'Unified Blueprint' });
  if (chosen) await vscode.commands.executeCommand(chosen.command);
}

/** In a terminal, because people should see what `ubp init` asks and writes. */
function start(extension: vscode.ExtensionContext): void {
  const found = program(extension.extensionUri);
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (!found || !folder) {
    void vscode.window.showErrorMessage(found ? vscode.l10n.t('Open a folder first.') : vscode.l10n.t('The program ubp was not found. Install it, for instance with npm (npm install ubp), or set its path.'));
    return;
  }
  const terminal = vscode.window.createTerminal({ name: 'ubp', cwd: folder.uri, shellPath: found.command, shellArgs: [...found.args, 'init'], env: found.env });
  terminal.show();
}
