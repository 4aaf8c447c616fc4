// A page with the stand-in of the app and the built plugin, in Chromium. Its security policy and its network are as strict as
// the guidelines of Obsidian: no code from strings, no requests.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from '../../../web-viewer/node_modules/playwright-core/index.mjs';
import * as vite from '../../../web-viewer/node_modules/vite/dist/node/index.js';

export const here = dirname(fileURLToPath(import.meta.url));
export const plugin = join(here, '..');
export const manifest = JSON.parse(readFileSync(join(plugin, 'manifest.json'), 'utf8'));
export const mainScript = () => readFileSync(join(plugin, 'dist/main.js'), 'utf8');

const SHELL = '/usr/bin/chromium-headless-shell';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--enable-precise-memory-info', '--js-flags=--expose-gc'];
const ORIGIN = 'https://obsidian.test/';
const POLICY = "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; worker-src blob:; style-src 'self' 'unsafe-inline'; connect-src 'none'";

const document = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Stand-in</title>
<link rel="stylesheet" href="app.css"><link rel="stylesheet" href="styles.css"></head><body>
<div class="workspace"><div class="mod-root"></div><div class="mod-right-split"></div></div><div class="status-bar"></div>
<script src="main.js"></script><script src="host.js"></script></body></html>`;

/** The stand-in as one script. */
async function host() {
  const packages = join(plugin, '../../web-viewer/node_modules');
  const built = await vite.build({
    configFile: false,
    root: plugin,
    logLevel: 'warn',
    resolve: { alias: [{ find: /^(@codemirror\/.*)$/, replacement: join(packages, '$1') }] },
    build: { write: false, minify: false, lib: { entry: join(here, 'stand-in/host.ts'), formats: ['iife'], name: 'standIn', fileName: 'host' } },
  });
  return [built].flat()[0].output[0].code;
}

export function withApp() {
  const own = { start: undefined };
  let browser;
  let script;
  before(async () => {
    [browser, script] = await Promise.all([chromium.launch({ executablePath: process.env.UBP_CHROMIUM ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium'), args: FLAGS }), host()]);
  });
  after(() => browser?.close());

  /**
   * Starts the app with these files in its vault. `problems` collects requests, errors and warnings of the page.
   */
  own.start = async ({ width = 1200, height = 800, dark = false, installed, ...options }) => {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', hasTouch: options.isMobile ?? false });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const problems = [];
    page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(`${message.type()}: ${message.text()}`));
    const served = {
      '': ['text/html', document],
      'app.css': ['text/css', readFileSync(join(here, 'stand-in/app.css'), 'utf8')],
      'styles.css': ['text/css', readFileSync(join(plugin, 'dist/styles.css'), 'utf8')],
      'main.js': ['text/javascript', `window.plugin = function (require, module) {${mainScript()}\n};`],
      'host.js': ['text/javascript', script],
      'installed.js': ['text/javascript', `window.installed = ${JSON.stringify(installed ?? [])};`],
    };
    await context.route('**', (route) => {
      const file = served[route.request().url().slice(ORIGIN.length)];
      if (!file || !route.request().url().startsWith(ORIGIN)) {
        problems.push(`request: ${route.request().url()}`);
        return route.abort();
      }
      return route.fulfill({ headers: { 'content-type': `${file[0]}; charset=utf-8`, 'content-security-policy': POLICY }, body: file[1] });
    });
    await context.exposeFunction('execFileOfTest', (program, args, cwd) => new Promise((resolve) => execFile(program, args, { cwd }, (error, stdout, stderr) => resolve({ error: error && { message: error.message, code: error.code }, stdout, stderr }))));
    await page.goto(ORIGIN);
    // Files of megabytes are slow as arguments.
    if (installed) await page.addScriptTag({ url: 'installed.js' });
    const before = await own.memory(page);
    const begun = performance.now();
    await page.evaluate(([options, manifest]) => window.host.start(options, manifest), [options, manifest]);
    const loaded = performance.now() - begun;
    if (!options.doNotWait) await ready(page);
    return { page, problems, before, loaded, indexed: performance.now() - begun, close: () => context.close() };
  };

  /** Memory of the page with its workers, in MB, after garbage was collected; null if the system does not say. */
  own.memory = async (page) => {
    await page.evaluate(() => window.gc?.());
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    const resident = ({ id }) => {
      try {
        return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]) / 1000;
      } catch {
        return 0;
      }
    };
    return Math.max(0, ...processInfo.filter(({ type }) => type === 'renderer').map(resident)) || null;
  };
  return own;
}

/** Waits until the index is there. */
export const ready = (page) => page.waitForFunction(() => window.host.plugin.engine.state.is !== 'starting');

/** Waits until the index knows all changes. */
export const settled = (page) => page.evaluate(() => window.host.plugin.engine.settle());
