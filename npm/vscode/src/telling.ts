// Runs what people ask for, and tells them if it fails.
import * as vscode from 'vscode';

/** Shows the error of the server, which has a sentence for people. */
export function tell(error: unknown): void {
  if (error instanceof vscode.CancellationError) return;
  void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
}

/** Runs `work`; undefined if it failed, after telling why. */
export async function told<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    tell(error);
    return undefined;
  }
}

export async function open(uri: vscode.Uri, line = 1, options: vscode.TextDocumentShowOptions = {}): Promise<vscode.TextEditor> {
  const at = new vscode.Position(Math.max(0, line - 1), 0);
  return vscode.window.showTextDocument(uri, { ...options, selection: new vscode.Range(at, at) });
}

/** A command that opens a place, for an item of a tree. */
export function opening(uri: vscode.Uri, line: number, title: string): vscode.Command {
  const at = new vscode.Position(Math.max(0, line - 1), 0);
  return { command: 'vscode.open', title, arguments: [uri, { selection: new vscode.Range(at, at) } satisfies vscode.TextDocumentShowOptions] };
}
