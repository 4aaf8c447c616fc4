// Helpers: a viewer over a test project, and a signed-in browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, paced, until } from '../browser/support.mjs';

export { launch, until };

const here = dirname(fileURLToPath(import.meta.url));
const TOKEN = 'a-token-for-tests-only';

function freePort() {
  return new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
}

/** Creates a project with these files, by path. */
export function makeProject(files) {
  const root = mkdtempSync(join(tmpdir(), 'ubp-viewer-'));
  const manifest = { version: '1.0.0', schema_version: 1, pages_dir: 'pages', frontmatter: 'preserved', created_at: '2026-01-01T00:00:00Z' };
  const all = { '.ubp/manifest.json': JSON.stringify(manifest), ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** `ubp viewer` over a project, or another command that serves; `UBP_PROGRAM` is the program. */
export class Viewer {
  constructor(root, port, environment, command, question) {
    this.environment = environment;
    this.command = command;
    this.question = question;
    this.root = root;
    this.port = port;
    this.url = `http://127.0.0.1:${port}/`;
    this.token = TOKEN;
  }

  /** `question` is what the server answers once it is there. */
  static async start(root, port, environment = {}, command = ['viewer', '--write=apply'], question = 'status') {
    const viewer = new Viewer(root, port ?? (await freePort()), environment, command, question);
    await viewer.run();
    return viewer;
  }

  async run() {
    const program = process.env.UBP_PROGRAM;
    assert.ok(program, 'UBP_PROGRAM must be the path of ubp');
    const args = ['-C', this.root, ...this.command, '--no-open', '--port', String(this.port), '--web-app', process.env.UBP_WEB_APP ?? join(here, '../dist')];
    this.process = spawn(resolve(program), args, { env: { ...process.env, ...this.environment, UBP_VIEWER_TOKEN: TOKEN }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.said = '';
    for (const stream of [this.process.stdout, this.process.stderr]) stream.on('data', (text) => (this.said += text));
    await until(async () => {
      assert.equal(this.process.exitCode, null, `the viewer ended: ${this.said}`);
      return this.call(this.question, {}).catch(() => null);
    }, () => `the viewer does not answer: ${this.said}`, 30_000);
  }

  async stop(signal = 'SIGTERM') {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise((done) => this.process.once('exit', done));
    this.process.kill(signal);
    await ended;
  }

  /** An address with the token that signs a browser in; `path` is relative to the viewer's. */
  entry(path = '') {
    const address = new URL(path, this.url);
    address.search += `${address.search ? '&' : '?'}token=${this.token}`;
    return address.href;
  }

  async call(operation, params) {
    const response = await fetch(new URL(`api/${operation}`, this.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(params),
    });
    const body = await response.json();
    if (!response.ok) throw Object.assign(new Error(body.message), { code: body.code });
    return body;
  }

  /** Calls a tool over MCP, like an agent. */
  async tool(name, args) {
    const post = (body, session) =>
      fetch(new URL('mcp', this.url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${TOKEN}`,
          ...(session ? { 'mcp-session-id': session } : {}),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      });
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    this.session ??= await post({ id: 0, method: 'initialize', params: hello }).then(async (response) => {
      await response.text();
      const session = response.headers.get('mcp-session-id');
      await (await post({ method: 'notifications/initialized' }, session)).text();
      return session ?? '';
    });
    const text = await (await post({ id: 1, method: 'tools/call', params: { name, arguments: args } }, this.session)).text();
    const line = text.split('\n').find((part) => part.startsWith('data: {') || part.startsWith('{')) ?? text;
    const { result, error } = JSON.parse(line.replace(/^data: /, ''));
    if (error || result.isError) throw new Error(error?.message ?? result.content?.[0]?.text ?? text);
    return result.structuredContent;
  }

  /** The file's text, or '' if it does not exist. */
  read(path) {
    try {
      return readFileSync(join(this.root, 'pages', path), 'utf8');
    } catch {
      return '';
    }
  }

  /** Writes a file atomically, like another editor. */
  write(path, text) {
    const file = join(this.root, 'pages', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.tmp`, text);
    renameSync(`${file}.tmp`, file);
  }
}

/** The address of a page in edit mode, relative to the viewer's. */
export function addressOf(path) {
  return path
    .replace(/\.md$/, '.html')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}

/** Pages open for editing, as source unless `settings` say otherwise: most tests are about the text, not its look. */
export function openForEditing(context, settings = {}) {
  return context.addInitScript((kept) => {
    if (!localStorage.getItem('ubp')) localStorage.setItem('ubp', JSON.stringify(kept));
  }, { opening: 'edit', live: false, ...settings });
}

/** Provides `start(files)` and `open(viewer, path)` for the tests of a file. */
export function withViewer() {
  const own = {};
  const viewers = [];
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await Promise.all(viewers.map(remove));
  });
  const remove = async (viewer) => {
    await viewer.stop();
    // Another process may still write to it.
    rmSync(viewer.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  /** Ends a viewer before the other tests of the file. */
  own.end = async (viewer) => {
    viewers.splice(viewers.indexOf(viewer), 1);
    await remove(viewer);
  };
  own.start = async (files) => {
    const viewer = await Viewer.start(makeProject(files));
    viewers.push(viewer);
    return viewer;
  };
  own.context = (options = {}) => browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', reducedMotion: 'reduce', ...options });
  own.open = async (viewer, path, { context: given, options, settings = {} } = {}) => {
    const context = given ?? (await own.context(options));
    await openForEditing(context, settings);
    const page = await context.newPage();
    const trouble = [];
    page.on('pageerror', (error) => trouble.push(error.stack ?? error.message));
    page.on('console', (message) => message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text()) && trouble.push(message.text()));
    await paced(page);
    await page.goto(viewer.entry(addressOf(path)));
    const editor = new Editor(page, context, trouble);
    await editor.content.waitFor();
    await until(async () => (await editor.status()) !== null, 'the save status is not shown');
    return editor;
  };
  return own;
}

/** The editor in a browser page. */
export class Editor {
  constructor(page, context, trouble) {
    this.page = page;
    this.context = context;
    this.trouble = trouble;
    this.content = page.locator('.cm-content');
    this.candidates = page.locator('.cm-candidates [role=option]');
    this.asking = new Set();
    page.on('request', (request) => request.method() === 'POST' && this.asking.add(request));
    for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => this.asking.delete(request));
  }

  status() {
    return this.page.locator('[data-save]').first().getAttribute('data-save', { timeout: 2_000 }).catch(() => null);
  }

  saved() {
    return until(async () => (await this.status()) === 'saved', async () => `expected saved, got ${await this.status()}`, 15_000);
  }

  /** Waits until all requests of the page are answered and cause no further requests. */
  async idle() {
    let frames = 0;
    await until(async () => {
      await this.page.evaluate(() => new Promise(requestAnimationFrame));
      frames = this.asking.size === 0 ? frames + 1 : 0;
      return frames > 2;
    }, () => `the page keeps sending requests: ${[...this.asking].map((request) => request.url())}`);
  }

  /** Saves with Ctrl+S and waits for the end of the attempt, whether or not it succeeds. */
  async askedToSave() {
    await this.press('Control+s');
    await this.idle();
  }

  /** The whole text, including parts outside of the viewport. */
  text() {
    return this.content.evaluate((element) => element.cmTile.root.view.state.doc.toString());
  }

  /** Puts the cursor behind the first occurrence of `text`. */
  async after(text) {
    await this.content.evaluate((element, wanted) => {
      const view = element.cmTile.root.view;
      const at = view.state.doc.toString().indexOf(wanted);
      if (at < 0) throw new Error(`not found: ${wanted}`);
      view.focus();
      view.dispatch({ selection: { anchor: at + wanted.length }, scrollIntoView: true });
    }, text);
  }

  async select(text) {
    await this.content.evaluate((element, wanted) => {
      const view = element.cmTile.root.view;
      const at = view.state.doc.toString().indexOf(wanted);
      view.focus();
      view.dispatch({ selection: { anchor: at, head: at + wanted.length }, scrollIntoView: true });
    }, text);
  }

  cursor() {
    return this.content.evaluate((element) => element.cmTile.root.view.state.selection.main.head);
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  press(...keys) {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  async close() {
    await this.context.close();
    assert.deepEqual(this.trouble, [], 'the page reported errors');
  }
}
