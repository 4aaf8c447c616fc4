// Which `ubp` is started. Programs of the workspace only run if the workspace is trusted; VS Code then also ignores its value
// of `ubp.path`.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';

export interface Program {
  command: string;
  /** Arguments before those of ubp. */
  args: string[];
  env: Record<string, string>;
  /** Where it was found, for people. */
  from: string;
}

const EXE = process.platform === 'win32' ? 'ubp.exe' : 'ubp';

/** The program to use; undefined if there is none. */
export function program(extension: vscode.Uri): Program | undefined {
  return set() ?? ofWorkspace() ?? native(vscode.Uri.joinPath(extension, 'bin', EXE).fsPath) ?? onPath();
}

function native(path: string): Program | undefined {
  return existsSync(path) ? { command: path, args: [], env: {}, from: path } : undefined;
}

/** A script of the npm package runs in the Node of the editor. */
function script(path: string): Program {
  return { command: process.execPath, args: [path], env: { ELECTRON_RUN_AS_NODE: '1' }, from: path };
}

function set(): Program | undefined {
  const path = vscode.workspace.getConfiguration('ubp').get('path', '').trim().replace(/^~(?=[\\/])/, homedir());
  if (!path) return undefined;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const whole = isAbsolute(path) || !/[\\/]/.test(path) || !folder ? path : join(folder, path);
  return /\.[cm]?js$/.test(whole) ? script(whole) : { command: whole, args: [], env: {}, from: whole };
}

function ofWorkspace(): Program | undefined {
  if (!vscode.workspace.isTrusted) return undefined;
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    const path = join(uri.fsPath, 'node_modules', 'ubp', 'bin', 'ubp.js');
    if (existsSync(path)) return script(path);
  }
  return undefined;
}

function onPath(): Program | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    // A relative folder would be one of the workspace.
    if (!isAbsolute(folder)) continue;
    const found = native(join(folder, EXE));
    if (found) return found;
  }
  return undefined;
}
