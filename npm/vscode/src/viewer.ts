// `ubp viewer` in the background, one for each project whose graph or Read view was opened. It ends with the editor.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import { program } from './program';
import type { Project } from './projects';

/** What `ubp viewer --json` prints. */
export interface Address {
  /** For a browser, with the token. */
  url: string;
  /** For a frame, with a secret. */
  frame: string;
}

interface Running {
  child: ChildProcess;
  address: Promise<Address>;
}

export class Viewers implements vscode.Disposable {
  readonly #extension: vscode.Uri;
  readonly #output: vscode.LogOutputChannel;
  readonly #running = new Map<string, Running>();

  constructor(extension: vscode.Uri, output: vscode.LogOutputChannel) {
    this.#extension = extension;
    this.#output = output;
  }

  /** The address of the viewer of a project, which is started if it does not run. */
  of(project: Project): Promise<Address> {
    const key = project.root.toString();
    let running = this.#running.get(key);
    if (!running) {
      running = this.#start(project);
      this.#running.set(key, running);
      const forget = () => {
        if (this.#running.get(key) === running) this.#running.delete(key);
      };
      running.child.on('exit', forget).on('error', forget);
    }
    return running.address;
  }

  dispose(): void {
    for (const { child } of this.#running.values()) child.kill();
    this.#running.clear();
  }

  #start(project: Project): Running {
    const found = program(this.#extension);
    if (!found) throw new Error(vscode.l10n.t('The program ubp was not found. Install it, for instance with npm (npm install ubp), or set its path.'));
    const args = [...found.args, '--directory', project.root.fsPath, 'viewer', '--no-open', '--json'];
    const child = spawn(found.command, args, { env: { ...process.env, ...found.env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    createInterface({ input: child.stderr }).on('line', (line) => {
      said = line;
      this.#output.info(line);
    });
    const address = new Promise<Address>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', (line) => {
        try {
          resolve(JSON.parse(line) as Address);
        } catch {
          reject(new Error(line));
        }
      });
      child.once('error', reject).once('exit', () => reject(new Error(vscode.l10n.t('The viewer did not start: {0}', said))));
    });
    return { child, address };
  }
}
