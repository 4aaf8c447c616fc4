// A client of the language server: that of `vscode-languageclient` without the editor, on the same packages below it.
import { spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const client = createRequire(join(root, 'npm/vscode/package.json'));
const { StreamMessageReader, StreamMessageWriter, createProtocolConnection } = client('vscode-languageserver-protocol/node');
const { TextDocument } = client('vscode-languageserver-textdocument');

/** Milliseconds to wait for what the server sends by itself. */
const PATIENCE = 15_000;

const CAPABILITIES = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true },
  workspace: {
    applyEdit: true,
    workspaceEdit: { documentChanges: true, resourceOperations: ['create', 'rename', 'delete'] },
    fileOperations: { willRename: true, didRename: true },
    workspaceFolders: true,
    symbol: {},
  },
  textDocument: {
    completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } },
    hover: { contentFormat: ['markdown'] },
    publishDiagnostics: { codeDescriptionSupport: true },
    diagnostic: { dynamicRegistration: false },
    rename: { prepareSupport: true },
  },
};

export class Editor {
  #child;
  #connection;
  #texts = new Map();
  #published = new Map();
  changes = [];
  capabilities = {};

  /** Starts the server on a folder. */
  static async on(program, folder, { readOnly = false, env = {} } = {}) {
    const editor = new Editor();
    editor.#child = spawn(program, ['lsp', ...(readOnly ? ['--read-only'] : [])], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
    const connection = createProtocolConnection(new StreamMessageReader(editor.#child.stdout), new StreamMessageWriter(editor.#child.stdin));
    editor.#connection = connection;
    connection.onRequest('client/registerCapability', () => null);
    connection.onRequest('client/unregisterCapability', () => null);
    connection.onRequest('window/workDoneProgress/create', () => null);
    connection.onRequest('workspace/configuration', ({ items }) => items.map(() => null));
    connection.onRequest('workspace/applyEdit', async ({ edit }) => {
      await editor.apply(edit);
      return { applied: true };
    });
    for (const refresh of ['codeLens', 'diagnostic', 'inlayHint', 'semanticTokens', 'foldingRange']) connection.onRequest(`workspace/${refresh}/refresh`, () => null);
    connection.onNotification('textDocument/publishDiagnostics', ({ uri, diagnostics }) => editor.#published.set(uri, diagnostics));
    connection.onNotification('ubp/changed', (changed) => editor.changes.push(changed));
    connection.listen();
    const uri = pathToFileURL(folder).href;
    const { capabilities } = await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: uri,
      workspaceFolders: [{ uri, name: 'project' }],
      capabilities: CAPABILITIES,
      initializationOptions: { commands: ['ubp.showReferences', 'ubp.review'], readOnly, inlayHints: false },
    });
    editor.capabilities = capabilities;
    await connection.sendNotification('initialized', {});
    return editor;
  }

  uri(path) {
    return pathToFileURL(path).href;
  }

  request(method, params) {
    return this.#connection.sendRequest(method, params);
  }

  call(operation, params, uri) {
    return this.request('ubp/call', { operation, params, uri });
  }

  async open(path, languageId = 'markdown') {
    const text = readFileSync(path, 'utf8');
    this.#texts.set(path, { version: 1, text });
    await this.#connection.sendNotification('textDocument/didOpen', { textDocument: { uri: this.uri(path), languageId, version: 1, text } });
  }

  /** Replaces the whole text, as one edit. */
  async type(path, text) {
    const before = this.#texts.get(path);
    const version = before.version + 1;
    this.#texts.set(path, { version, text });
    const document = TextDocument.create('', '', 0, before.text);
    const range = { start: { line: 0, character: 0 }, end: document.positionAt(before.text.length) };
    await this.#connection.sendNotification('textDocument/didChange', { textDocument: { uri: this.uri(path), version }, contentChanges: [{ range, text }] });
  }

  async save(path) {
    const { text } = this.#texts.get(path);
    writeFileSync(path, text);
    await this.#connection.sendNotification('textDocument/didSave', { textDocument: { uri: this.uri(path) }, text });
  }

  /** The position after `before` in an open text. */
  at(path, before) {
    const { text } = this.#texts.get(path);
    const found = text.indexOf(before);
    if (found < 0) throw new Error(`${path} does not contain '${before}'`);
    const position = TextDocument.create('', '', 0, text).positionAt(found + before.length);
    return { textDocument: { uri: this.uri(path) }, position };
  }

  async diagnostics(path) {
    const uri = this.uri(path);
    if (!this.capabilities.diagnosticProvider) return this.#published.get(uri) ?? [];
    const { items } = await this.request('textDocument/diagnostic', { textDocument: { uri } });
    return items;
  }

  /** Waits until `look` returns something true. */
  async until(look, what) {
    const begun = Date.now();
    for (;;) {
      const found = await look();
      if (found) return found;
      if (Date.now() - begun > PATIENCE) throw new Error(`no ${what} after ${PATIENCE / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Renames a file or folder as an explorer does: the server's edit first, then the move, then the notification. */
  async rename(from, to) {
    const files = [{ oldUri: this.uri(from), newUri: this.uri(to) }];
    const edit = await this.request('workspace/willRenameFiles', { files });
    if (edit) await this.apply(edit);
    renameSync(from, to);
    await this.#connection.sendNotification('workspace/didRenameFiles', { files });
    return edit;
  }

  /** Applies an edit of texts to the files, and to the texts that are open. */
  async apply({ documentChanges, changes }) {
    const edits = documentChanges?.map(({ textDocument, edits }) => [textDocument.uri, edits]) ?? Object.entries(changes ?? {});
    for (const [uri, list] of edits) {
      const path = fileURLToPath(uri);
      const text = TextDocument.applyEdits(TextDocument.create(uri, '', 0, readFileSync(path, 'utf8')), list);
      writeFileSync(path, text);
      if (this.#texts.has(path)) await this.type(path, text);
    }
  }

  /** Ends the server as an editor does; returns its exit status. */
  async close() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    await this.request('shutdown');
    await this.#connection.sendNotification('exit');
    const status = await ended;
    this.#connection.dispose();
    return status;
  }

  kill() {
    this.#child.kill();
  }
}
