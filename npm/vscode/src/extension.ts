// The extension of VS Code, VSCodium and code-server. Everything that it shows comes from `ubp lsp` and `ubp viewer`.
import * as vscode from 'vscode';
import { register } from './commands';
import { Documents } from './documents';
import { offerToAgents } from './mcp';
import { Panels } from './panels';
import { Projects } from './projects';
import { Server } from './server';
import { Status } from './status';
import { told } from './telling';
import { Viewers } from './viewer';
import { Backlinks, Outgoing } from './views/links';
import { openPage } from './views/listing';
import { Proposals } from './views/proposals';
import { Review } from './views/review';

let server: Server | undefined;

export function activate(extension: vscode.ExtensionContext): void {
  const started = new Server(extension.extensionUri);
  server = started;
  run(extension, started);
}

/** The editor waits until the server has ended. */
export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

function run(extension: vscode.ExtensionContext, server: Server): void {
  const projects = new Projects();
  const viewers = new Viewers(extension.extensionUri, server.output);
  const panels = new Panels(extension.extensionUri, server, projects, viewers);
  const around = { server, projects };
  const listings = [new Review(around), new Proposals(around), new Backlinks(around), new Outgoing(around)];
  extension.subscriptions.push(projects, viewers, panels, new Documents(server), new Status(server, projects), ...listings, server);
  register({ extension, server, projects, panels, viewers, listings });
  offerToAgents(extension, projects);

  const context = (key: string, value: boolean) => void vscode.commands.executeCommand('setContext', `ubp.${key}`, value);
  const page = () => context('page', openPage(projects) !== undefined);
  // A folder without a project has no server.
  const serve = () => {
    const isProject = projects.all.length > 0;
    context('project', isProject);
    context('readOnly', server.isReadOnly);
    page();
    void told(() => (isProject ? server.start() : server.stop()));
  };
  extension.subscriptions.push(
    vscode.window.onDidChangeActiveTextEditor(page),
    server.onDidChange((changed) => {
      if (!changed) context('running', server.isRunning);
    }),
    projects.onDidChange(serve),
    vscode.workspace.onDidGrantWorkspaceTrust(serve),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (['ubp.path', 'ubp.readOnly', 'ubp.inlayHints'].some((name) => event.affectsConfiguration(name))) serve();
    }),
  );
  serve();
}
