// A desktop app on a screen of its own, driven by WebKitWebDriver.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** How long anything may take on a slow machine. */
export const PATIENCE = 90_000;

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** The settings of this repository's own pages. */
const SETTINGS = JSON.parse(readFileSync(new URL('../../.ubp/manifest.json', import.meta.url), 'utf8'));

export const program = process.env.UBP_DESKTOP;
const webApp = process.env.UBP_WEB_APP;

/** What `look` returns, as soon as it is something. Errors count as nothing. */
export async function until(what, look) {
  const end = Date.now() + PATIENCE;
  let last;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
      last = found;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`waited in vain until ${what}: ${last}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A screen, and a home folder in which projects can be made. */
export class Machine {
  #running = [];

  static async start(variables = {}) {
    const machine = new Machine();
    machine.folder = mkdtempSync(join(tmpdir(), 'ubp-desktop-'));
    machine.home = join(machine.folder, 'home');
    mkdirSync(machine.home);
    const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    machine.#running.push(screen);
    const [number] = await once(screen.stdio[3], 'data');
    const { PATH } = process.env;
    // Without the buses of the developer's session.
    machine.variables = { PATH, HOME: machine.home, XDG_RUNTIME_DIR: machine.folder, DISPLAY: `:${String(number).trim()}`, LANG: 'C.UTF-8', NO_AT_BRIDGE: '1', GIO_USE_PORTALS: '0', UBP_VECTOR_CACHE: 'off', ...variables };
    return machine;
  }

  /** Writes files below the home folder; returns the path of `folder`. */
  write(folder, files) {
    for (const [name, text] of Object.entries(files)) {
      const file = join(this.home, folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return join(this.home, folder);
  }

  /** A project with these pages. */
  project(folder, pages) {
    const files = Object.fromEntries(Object.entries(pages).map(([name, text]) => [`pages/${name}`, text]));
    return this.write(folder, { '.ubp/manifest.json': `${JSON.stringify({ ...SETTINGS, pages_dir: 'pages' })}\n`, ...files });
  }

  read(path) {
    return readFileSync(join(this.home, path), 'utf8');
  }

  has(path) {
    return existsSync(join(this.home, path));
  }

  arguments(given) {
    return [...(webApp ? ['--web-app', webApp] : []), ...given];
  }

  /** Starts the program a second time, which hands its arguments over. */
  async again(...given) {
    const child = spawn(program, this.arguments(given), { env: this.variables, cwd: this.home, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    return code;
  }

  /** Starts the program under a driver. */
  async open(...given) {
    const port = await freePort();
    const driver = spawn('WebKitWebDriver', [`--port=${port}`], { env: { ...this.variables, TAURI_WEBVIEW_AUTOMATION: 'true' }, cwd: this.home, stdio: 'ignore' });
    this.#running.push(driver);
    const app = new App(this, `http://127.0.0.1:${port}`);
    await until('the driver listens', async () => (await fetch(`${app.address}/status`)).ok);
    app.begun = Date.now();
    const options = { binary: program, args: this.arguments(given) };
    const answer = await app.send('POST', '/session', { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } } });
    app.session = `/session/${answer.sessionId}`;
    app.driver = driver;
    return app;
  }

  /** Runs xdotool on the screen; returns what it prints. */
  tool(...given) {
    return spawnSync('xdotool', given, { env: this.variables, encoding: 'utf8' }).stdout.trim();
  }

  /** Windows with this in their title, on the screen. */
  windows(title) {
    return this.tool('search', '--onlyvisible', '--name', title).split('\n').filter(Boolean);
  }

  /** Presses keys in a window, as a keyboard does. */
  press(window, ...keys) {
    this.tool('windowfocus', '--sync', window);
    this.tool('key', '--clearmodifiers', ...keys);
  }

  /** Processes of the app in this home. */
  processes() {
    return spawnSync('pgrep', ['-f', '--', program], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter(Boolean)
      .filter((process) => {
        try {
          return readFileSync(`/proc/${process}/environ`, 'utf8').split('\0').includes(`HOME=${this.home}`) && readFileSync(`/proc/${process}/cmdline`, 'utf8').startsWith(program);
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  async stop() {
    for (const process_ of this.processes()) process.kill(process_, 'SIGKILL');
    for (const child of this.#running) child.kill('SIGKILL');
    await until('all processes have ended', () => this.processes().length === 0);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A running app, and the window that commands go to. */
export class App {
  constructor(machine, address) {
    this.machine = machine;
    this.address = address;
    this.session = '';
  }

  async send(method, path, body) {
    const answer = await fetch(this.address + this.session + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${value?.error}: ${value?.message}`);
    return value;
  }

  run(script, ...given) {
    return this.send('POST', '/execute/sync', { script, args: given });
  }

  later(script, ...given) {
    return this.send('POST', '/execute/async', { script, args: given });
  }

  url() {
    return this.send('GET', '/url');
  }

  handles() {
    return this.send('GET', '/window/handles');
  }

  to(handle) {
    return this.send('POST', '/window', { handle });
  }

  async element(selector) {
    const found = await until(`${selector} is there`, () => this.send('POST', '/element', { using: 'css selector', value: selector }));
    return found[ELEMENT];
  }

  async click(selector) {
    await this.send('POST', `/element/${await this.element(selector)}/click`, {});
  }

  /** Types, as soon as the element takes text. */
  type(selector, text) {
    return until(`${selector} takes text`, async () => {
      await this.send('POST', `/element/${await this.element(selector)}/value`, { text });
      return true;
    });
  }

  text(selector) {
    return this.run('return document.querySelector(arguments[0])?.textContent ?? null', selector);
  }

  /** Waits for a text in any window, and goes to that window. */
  shows(selector, text) {
    return until(`${selector} shows ${text}`, async () => {
      for (const handle of await this.handles()) {
        await this.to(handle);
        if ((await this.text(selector))?.includes(text)) return handle;
      }
      return false;
    });
  }

  async picture(file) {
    writeFileSync(file, Buffer.from(await this.send('GET', '/screenshot'), 'base64'));
  }
}
