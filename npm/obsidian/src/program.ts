// The program `ubp`, on desktops: it can ask git, which the engine in Obsidian cannot.
import { FileSystemAdapter, Platform, type App } from 'obsidian';
import type { GetPageOutput } from '#contract';
import { words } from './words/words';

/** `require` of Electron. */
declare const require: (module: 'child_process') => {
  execFile(program: string, args: string[], options: { cwd: string; timeout: number; maxBuffer: number; windowsHide: boolean }, done: (error: (Error & { code?: unknown }) | null, stdout: string, stderr: string) => void): void;
};

export type Freshness = Pick<GetPageOutput, 'staleness' | 'stale_ref_details'>;

/** An error that the program reported, with its code. */
export class ProgramError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const SETTING = 'unified-blueprint-program';
const TIMEOUT = 30_000;

export class Program {
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  /** Whether there can be a program: on desktops, for a vault on disk. */
  get isPossible(): boolean {
    return Platform.isDesktopApp && this.#app.vault.adapter instanceof FileSystemAdapter;
  }

  /** Empty if the user has set none. */
  get path(): string {
    const path: unknown = this.#app.loadLocalStorage(SETTING);
    return typeof path === 'string' ? path : '';
  }

  set path(path: string) {
    this.#app.saveLocalStorage(SETTING, path.trim() || null);
  }

  get isOn(): boolean {
    return this.isPossible && this.path !== '';
  }

  version(): Promise<string> {
    return this.#run(['--version']).then((text) => text.trim());
  }

  /** The freshness of a note; null if it is not a page of a project. */
  async freshness(path: string): Promise<Freshness | null> {
    try {
      return JSON.parse(await this.#run(['get', '--json', this.#fullPath(path)])) as Freshness;
    } catch (error) {
      if (error instanceof ProgramError && (error.code === 'no_project' || error.code === 'page_not_found')) return null;
      throw error;
    }
  }

  /** Records that the note is accurate, even if its code changed. */
  async review(path: string): Promise<void> {
    await this.#run(['review', '--still-accurate', '--json', this.#fullPath(path)]);
  }

  #fullPath(path: string): string {
    const { adapter } = this.#app.vault;
    return adapter instanceof FileSystemAdapter ? adapter.getFullPath(path) : path;
  }

  #run(args: string[]): Promise<string> {
    const { adapter } = this.#app.vault;
    if (!this.isOn || !(adapter instanceof FileSystemAdapter)) return Promise.reject(new Error(words.program.notFound(this.path)));
    const options = { cwd: adapter.getBasePath(), timeout: TIMEOUT, maxBuffer: 1 << 26, windowsHide: true };
    return new Promise((resolve, reject) => {
      require('child_process').execFile(this.path, args, options, (error, stdout, stderr) => {
        if (!error) resolve(stdout);
        else if (error.code === 'ENOENT') reject(new Error(words.program.notFound(this.path)));
        else reject(failure(stdout, stderr || error.message));
      });
    });
  }
}

function failure(stdout: string, stderr: string): Error {
  try {
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
    return new ProgramError(error.code, words.program.failed(error.message));
  } catch {
    return new Error(words.program.failed(stderr.trim()));
  }
}
