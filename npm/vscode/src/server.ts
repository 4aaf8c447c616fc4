// The language server: starting, stopping, and calls of operations. It decides everything; this extension only shows answers.
import type { OperationName, Operations } from '#contract';
import * as vscode from 'vscode';
import { LanguageClient, State, type LanguageClientOptions } from 'vscode-languageclient/node';
import { program } from './program';

/** What the server says has changed. */
export type What = 'pages' | 'head' | 'settings' | 'reviews' | 'favorites' | 'bases';
export interface Changed {
  what: What;
  root: string;
}

/** Client commands that lenses of the server may use. */
const COMMANDS = ['ubp.showReferences', 'ubp.review'];

export type Output<N extends OperationName> = Operations[N]['output'];
export type Params<N extends OperationName> = Operations[N]['params'];

export class Server implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel('Unified Blueprint', { log: true });
  readonly #changed = new vscode.EventEmitter<Changed | undefined>();
  /** Something changed in a project; undefined if anything may have. */
  readonly onDidChange = this.#changed.event;
  readonly #extension: vscode.Uri;
  #client: LanguageClient | undefined;
  /** Starts and stops follow each other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(extension: vscode.Uri) {
    this.#extension = extension;
  }

  get isRunning(): boolean {
    return this.#client?.state === State.Running;
  }

  get isReadOnly(): boolean {
    return !vscode.workspace.isTrusted || vscode.workspace.getConfiguration('ubp').get('readOnly', false);
  }

  /** Starts the server, or stops the running one and starts it again. */
  start(): Promise<void> {
    return this.#next(async () => {
      await this.#end();
      const found = program(this.#extension);
      if (!found) {
        void this.#absent();
        return;
      }
      const { command, args, env, from } = found;
      this.output.info(`${from} lsp`);
      const run = { command, args: [...args, 'lsp', ...(this.isReadOnly ? ['--read-only'] : [])], options: { env: { ...process.env, ...env } } };
      this.#client = new LanguageClient('ubp', 'Unified Blueprint', run, this.#options());
      this.#client.onNotification('ubp/changed', (changed: Changed) => this.#changed.fire(changed));
      this.#client.onDidChangeState(({ newState }) => {
        if (newState !== State.Starting) this.#changed.fire(undefined);
      });
      try {
        await this.#client.start();
      } catch (error) {
        void this.#failed(from, error);
      }
    });
  }

  stop(): Promise<void> {
    return this.#next(() => this.#end());
  }

  /** Calls an operation on the project of `at`. */
  async call<N extends OperationName>(operation: N, params: Params<N>, at: vscode.Uri, token?: vscode.CancellationToken): Promise<Output<N>> {
    const client = this.#client;
    if (!client) throw new Error(vscode.l10n.t('The language server of Unified Blueprint is not running.'));
    const asked = { operation, params, uri: client.code2ProtocolConverter.asUri(at) };
    // The client would send a token that is undefined as a second parameter.
    return token ? client.sendRequest<Output<N>>('ubp/call', asked, token) : client.sendRequest<Output<N>>('ubp/call', asked);
  }

  /** Shows the places that a lens lists, which come as the protocol writes them. */
  async showReferences(uri: string, position: { line: number; character: number }, locations: { uri: string; range: { start: { line: number; character: number }; end: { line: number; character: number } } }[]): Promise<void> {
    const convert = this.#client?.protocol2CodeConverter;
    if (!convert) return;
    await vscode.commands.executeCommand('editor.action.showReferences', convert.asUri(uri), convert.asPosition(position), locations.map((one) => convert.asLocation(one)));
  }

  dispose(): void {
    void this.stop();
    this.#changed.dispose();
    this.output.dispose();
  }

  #options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: 'file' }],
      outputChannel: this.output,
      initializationOptions: { commands: COMMANDS, readOnly: this.isReadOnly, inlayHints: vscode.workspace.getConfiguration('ubp').get('inlayHints', false) },
    };
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      // A server that did not start, or that crashed, cannot be asked to stop.
      this.output.warn(String(error));
    }
  }

  async #absent(): Promise<void> {
    const open = vscode.l10n.t('Open Settings');
    const chosen = await vscode.window.showErrorMessage(vscode.l10n.t('The program ubp was not found. Install it, for instance with npm (npm install ubp), or set its path.'), open);
    if (chosen === open) await vscode.commands.executeCommand('workbench.action.openSettings', 'ubp.path');
  }

  async #failed(from: string, error: unknown): Promise<void> {
    this.output.error(error instanceof Error ? error : String(error));
    const show = vscode.l10n.t('Show Output');
    const chosen = await vscode.window.showErrorMessage(vscode.l10n.t('The language server did not start: {0}. Old versions of ubp have none.', `${from} lsp`), show);
    if (chosen === show) this.output.show();
  }
}
