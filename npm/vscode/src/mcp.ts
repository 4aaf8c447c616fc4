// The MCP server of each project, for the agents of the editor. Editors without them, such as VSCodium, have no such interface.
import * as vscode from 'vscode';
import { program } from './program';
import type { Projects } from './projects';

export function offerToAgents(extension: vscode.ExtensionContext, projects: Projects): void {
  const register = vscode.lm?.registerMcpServerDefinitionProvider;
  if (typeof register !== 'function') return;
  const changed = new vscode.EventEmitter<void>();
  extension.subscriptions.push(
    changed,
    projects.onDidChange(() => changed.fire()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('ubp.mcp') || event.affectsConfiguration('ubp.path') || event.affectsConfiguration('ubp.readOnly')) changed.fire();
    }),
    register.call(vscode.lm, 'ubp', {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => {
        const settings = vscode.workspace.getConfiguration('ubp');
        const found = program(extension.extensionUri);
        if (!found || !vscode.workspace.isTrusted || !settings.get('mcp.enabled', true)) return [];
        const write = settings.get('readOnly', false) ? 'off' : settings.get('mcp.write', 'propose');
        const version = String((extension.extension.packageJSON as { version: string }).version);
        return projects.all.map(({ name, root }) => {
          const args = [...found.args, '--directory', root.fsPath, 'mcp-server', ...(write === 'off' ? [] : [`--write=${write}`])];
          return new vscode.McpStdioServerDefinition(`Unified Blueprint: ${name}`, found.command, args, found.env, version);
        });
      },
    }),
  );
}
