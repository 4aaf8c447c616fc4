// A browser, a static server below a sub-path, and what most tests ask of a page.
import assert from 'node:assert/strict';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize, sep } from 'node:path';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};
const SUB_PATH = '/some/where/';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Headless Chromium, which needs half of the CPU time. */
const SHELL = '/usr/bin/chromium-headless-shell';

export const launch = (path = existsSync(SHELL) ? SHELL : '/usr/bin/chromium') => chromium.launch({ executablePath: process.env.UBP_CHROMIUM ?? path, args: FLAGS });

/** How many times slower than usual pages run, to find tests that pass on fast machines only. */
const slowness = Number(process.env.UBP_SLOW ?? 1);

/** Slows the page down if `UBP_SLOW` says so, and waits accordingly longer. */
export async function paced(page) {
  page.setDefaultTimeout(15_000 * slowness);
  if (slowness === 1) return;
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
}

/** Serves the folder of a site below `subPath`, like a static host. */
export function serve(site, { subPath = SUB_PATH, port = 0 } = {}) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://host').pathname);
    const file = normalize(join(site, path.slice(subPath.length) || 'index.html'));
    if (!path.startsWith(subPath) || !`${file}${sep}`.startsWith(`${normalize(site)}${sep}`) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'content-length': statSync(file).size });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve({ server, root: `http://127.0.0.1:${server.address().port}${subPath}` })));
}

/** Provides `open(path, options)` for the tests of a file. A page that reports an error or contacts another host fails its test. */
export function withBrowser() {
  const own = { root: '', open: undefined };
  let browser;
  let server;
  before(async () => {
    assert.ok(process.env.UBP_SITE, 'UBP_SITE must be the folder of an exported site; test.mjs sets it');
    const served = await serve(process.env.UBP_SITE);
    server = served.server;
    own.root = served.root;
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });
  own.open = async (path = '', options) => {
    const opened = await openPage(browser, own.root, options);
    await opened.page.goto(own.root + path);
    return opened;
  };
  return own;
}

/** Opens a page in a new context. `done` closes it, and fails if the page reported an error or contacted another host. */
export async function openPage(browser, root, { context: options = {}, expectErrors = false } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const trouble = [];
  const asked = [];
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
  page.on('request', (request) => asked.push(request.url()));
  await paced(page);
  const done = async () => {
    await context.close();
    if (!expectErrors) assert.deepEqual(trouble, [], 'the page reported errors');
    const elsewhere = asked.filter((url) => !url.startsWith(root) && !/^(blob|data):/.test(url));
    assert.deepEqual(elsewhere, [], 'the page contacted another host');
  };
  return { page, asked, done };
}

/** Waits until the project is open and the page list is shown. */
export async function ready(page) {
  await page.getByText(/^\d+ pages$/).first().waitFor();
}

/** Asserts that axe finds no violation of WCAG 2.2 AA or of best practices. `rules` restricts the check, for example to colours. */
export async function accessible(page, what, rules = null) {
  if (!rules) await page.evaluate(axe);
  const violations = await page.evaluate(async (only) => {
    const runOnly = only ? { type: 'rule', values: only } : { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };
    const { violations } = await globalThis.axe.run(document, { runOnly });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('; ')}`);
  }, rules);
  assert.deepEqual(violations, [], what);
}

/** Drops a local folder on the page, as from a file manager. */
export async function dropFolder(page, folder) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
  await session.detach();
}

/** Waits until everything is painted: no code or image is loading, and nothing moves. */
export async function settled(page) {
  await page.locator('.waiting, .skeleton, [role=status]:has-text("loading"), [role=status]:has-text("読み込み中")').first().waitFor({ state: 'detached' });
  await page.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})));
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  });
}

/** Calls `look` until it returns the same value twice in a row; resolves to that value. */
export async function still(look, what) {
  let last;
  await until(async () => {
    const before = last;
    last = await look();
    return before === last;
  }, what);
  return last;
}

/** Calls `condition` until it returns a truthy value; resolves to that value. */
export async function until(condition, message, patience = 10_000) {
  const end = Date.now() + patience * slowness;
  for (;;) {
    const found = await condition();
    if (found) return found;
    assert.ok(Date.now() < end, typeof message === 'function' ? await message() : message);
    await new Promise((wake) => setTimeout(wake, 20));
  }
}
