// A site and the viewer as installed apps: their manifests, and what they show without a connection.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { accessible, launch, serve, until } from '../browser/support.mjs';
import { Viewer, makeProject } from './editing.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const APP = process.env.UBP_WEB_APP ?? join(here, '../dist');
const folders = [];
let browser;
before(async () => void (browser = await launch()));
after(async () => {
  await browser?.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

/** A project with these pages, and its site. */
function project(pages) {
  const root = makeProject(Object.fromEntries(Object.entries(pages).map(([path, text]) => [`pages/${path}`, text])));
  folders.push(root);
  const site = join(root, 'site');
  return { root, site, export: (...flags) => execFileSync(process.env.UBP_PROGRAM, ['-C', root, 'export', 'site', '--no-semantic', '--web-app', APP, ...flags], { stdio: 'pipe' }) };
}

/** A page in a browser of its own. Fails if a policy refused something. */
async function opened(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const refused = [];
  page.on('console', (message) => /content security policy/i.test(message.text()) && refused.push(message.text()));
  const done = async () => {
    await context.close();
    assert.deepEqual(refused, []);
  };
  return { context, page, done };
}

/** Waits until the service worker answers for the page. */
const controlled = (page) => page.evaluate(() => navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller ?? new Promise((changed) => navigator.serviceWorker.addEventListener('controllerchange', changed, { once: true }))).then(() => true));
/** The addresses in all caches of the host. */
const kept = (page) => page.evaluate(async () => (await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)))).flat());
const isKept = (page, end) => until(async () => (await kept(page)).some((url) => url.endsWith(end)), `${end} is kept`);
const registered = (page) => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
const title = (page, name) => page.getByRole('heading', { level: 1, name }).first().waitFor();

/** The manifest as the browser reads it, with the sizes of its icons. */
async function manifestOf(context, page) {
  const session = await context.newCDPSession(page);
  const { url, data, errors } = await session.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  assert.deepEqual(installabilityErrors, []);
  const manifest = JSON.parse(data);
  const sizes = await page.evaluate(
    (icons) =>
      Promise.all(
        icons.map(async (src) => {
          const image = Object.assign(new Image(), { src });
          await image.decode();
          return `${image.naturalWidth}x${image.naturalHeight}`;
        }),
      ),
    manifest.icons.filter(({ type }) => type === 'image/png').map(({ src }) => new URL(src, url).href),
  );
  assert.deepEqual(sizes, manifest.icons.filter(({ type }) => type === 'image/png').map((icon) => icon.sizes));
  assert.ok(sizes.includes('192x192') && sizes.includes('512x512'));
  return { manifest, at: (address) => new URL(address, url).href };
}

describe('a site that can be installed', () => {
  const own = project({
    'index.md': '# Handbook\n\nSee [[Guide]], [[Deep/Notes]] and [[Later]].\n',
    'Guide.md': '# Guide\n\nThe first text. ![[plan.png]]\n',
    'Deep/Notes.md': '# Notes\n\nBack to [[Handbook]].\n',
    'Later.md': '# Later\n\nNobody opens it.\n',
  });
  let served;
  const start = async (port) => void (served = await serve(own.site, { port }));
  const stop = async () => {
    served.server.closeAllConnections();
    await new Promise((ended) => served.server.close(ended));
  };
  before(async () => {
    cpSync(join(here, '../src/icons/icon-192.png'), join(own.root, 'pages/plan.png'));
    own.export('--installable');
    await start();
  });
  after(() => stop());

  test('has a manifest with its name, and icons', async () => {
    const { context, page, done } = await opened();
    await page.goto(`${served.root}Deep/Notes.html`);
    const { manifest, at } = await manifestOf(context, page);
    assert.deepEqual([manifest.name, manifest.display], ['Handbook', 'standalone']);
    for (const key of ['start_url', 'scope', 'id']) assert.equal(at(manifest[key]), served.root, key);
    await done();
  });

  test('shows the pages that were opened before without a connection, and says which', async () => {
    const { context, page, done } = await opened();
    await page.goto(`${served.root}Guide.html?from=elsewhere#guide`);
    await controlled(page);
    await isKept(page, '/Guide');
    await isKept(page, '/plan.png');
    const port = served.server.address().port;
    await stop();
    // The browser still has a network, but the server does not answer.
    await page.reload();
    await title(page, 'Guide');
    await page.getByText('You are offline.').waitFor();
    await context.setOffline(true);
    assert.ok(await page.evaluate(() => document.querySelector('.prose img').decode().then(() => true)), 'the picture is shown');
    await accessible(page, 'a page without a connection');
    // The first page was never opened: it is kept from the start.
    await page.goto(served.root);
    await title(page, 'Handbook');
    await page.locator('.prose').getByRole('link', { name: 'Guide' }).click();
    await title(page, 'Guide');
    await page.goto(`${served.root}Later.html`);
    await title(page, 'You are offline');
    await accessible(page, 'a page that is not kept');
    await page.getByRole('link', { name: 'Handbook' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Later' }).count(), 0);
    await page.getByRole('link', { name: 'Guide' }).click();
    await title(page, 'Guide');
    await page.goBack();
    await start(port);
    await context.setOffline(false);
    await page.getByRole('link', { name: 'Try again' }).click();
    await title(page, 'Later');
    assert.equal(await page.getByText('You are offline.').count(), 0);
    // Inside the app, too.
    await stop();
    await page.locator('#ubp_side').getByRole('link', { name: 'Guide' }).click();
    await title(page, 'Guide');
    await page.getByText('You are offline.').waitFor();
    await start(port);
    await page.locator('#ubp_side').getByRole('link', { name: 'Notes' }).click();
    await title(page, 'Notes');
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
    await done();
  });

  test('says so in Japanese', async () => {
    const { context, page, done } = await opened({ locale: 'ja-JP', viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    await page.goto(served.root);
    await controlled(page);
    await context.setOffline(true);
    await page.getByText('オフラインです。').waitFor();
    const port = served.server.address().port;
    await stop();
    await page.goto(`${served.root}Later.html`);
    await title(page, 'オフラインです');
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'ja');
    await accessible(page, 'a page that is not kept');
    await start(port);
    await done();
  });

  test('shows new pages at once, and keeps nothing of the former version', async () => {
    const { context, page, done } = await opened();
    await page.goto(`${served.root}Guide.html`);
    await controlled(page);
    await page.reload();
    await isKept(page, '/Guide');
    const before = await page.evaluate(() => caches.keys());
    writeFileSync(join(own.root, 'pages/Guide.md'), '# Guide\n\nThe second text.\n');
    writeFileSync(join(own.root, 'pages/index.md'), '# Handbook\n\nThe second start. [[Guide]] [[Deep/Notes]] [[Later]]\n');
    own.export('--installable');
    await page.reload();
    await page.getByText('The second text.').waitFor();
    await until(async () => {
      const names = await page.evaluate(() => caches.keys());
      return names.length === 1 && names[0] !== before[0];
    }, 'the new version replaces the cache');
    const port = served.server.address().port;
    await stop();
    await page.goto(`${served.root}Guide.html`);
    await page.getByText('The second text.').waitFor();
    await page.goto(served.root);
    await page.getByText('The second start.').waitFor();
    await start(port);
    await done();
  });

  test('stays in its folder, also when it cannot be installed any more', async () => {
    const { page, done } = await opened();
    await page.goto(served.root);
    await controlled(page);
    await isKept(page, '/where/');
    assert.deepEqual((await kept(page)).filter((url) => !url.startsWith(served.root)), []);
    own.export();
    await page.reload();
    await until(async () => (await registered(page)) === 0 && (await kept(page)).length === 0, 'the worker and its cache are gone');
    assert.equal(await page.locator('link[rel=manifest]').count(), 0);
    own.export('--installable');
    await done();
  });
});

describe('the installed viewer', () => {
  let viewer;
  before(async () => void (viewer = await Viewer.start(makeProject({ 'pages/Alpha.md': '# Alpha\n\nOf the first project.\n' }))));
  after(async () => {
    await viewer.stop();
    rmSync(viewer.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });
  const enter = (page, path = '') => page.goto(viewer.entry(path));
  /** What the browser does when somebody installs the app. */
  const install = async (page) => {
    await page.locator('#ubp_status .status').waitFor({ state: 'attached' });
    await until(async () => {
      await page.evaluate(() => void dispatchEvent(new Event('appinstalled')));
      return (await registered(page)) === 1;
    }, 'the worker is registered');
    await controlled(page);
  };

  test('has a manifest for each project, and no service worker in a tab', async () => {
    const { context, page, done } = await opened();
    await enter(page, 'Alpha.html');
    const { manifest, at } = await manifestOf(context, page);
    assert.equal(at(manifest.start_url), viewer.url);
    assert.match(at(manifest.id), /\/\?project=[0-9a-f]{16}$/);
    await page.locator('#ubp_status .status').waitFor({ state: 'attached' });
    assert.equal(await registered(page), 0);
    await done();
  });

  test('says that the server is not running, and opens the page when it is', async () => {
    const { page, done } = await opened();
    await enter(page, 'Alpha.html');
    await install(page);
    await page.reload();
    await page.getByText('Of the first project.').first().waitFor();
    await viewer.stop();
    await page.goto(`${viewer.url}Alpha.html`);
    await title(page, 'The server is not running');
    await accessible(page, 'without a server');
    await viewer.run();
    await page.getByText('Of the first project.').first().waitFor();
    await done();
  });

  test('keeps nothing: no page, no token, and no app that a newer server has replaced', async () => {
    const { context, page, done } = await opened();
    await enter(page);
    await install(page);
    await enter(page);
    await page.goto(`${viewer.url}Alpha.html`);
    await page.getByText('Of the first project.').first().waitFor();
    assert.deepEqual(await page.evaluate(() => caches.keys()), []);
    // Another project at the same port, with another app.
    await viewer.stop();
    const app = mkdtempSync(join(tmpdir(), 'ubp-app-'));
    folders.push(app);
    cpSync(APP, app, { recursive: true });
    writeFileSync(join(app, 'index.html'), readFileSync(join(app, 'index.html'), 'utf8').replace('<body>', '<body data-app="next">'));
    const other = makeProject({ 'pages/Alpha.md': '# Alpha\n\nOf the second project.\n' });
    folders.push(other);
    process.env.UBP_WEB_APP = app;
    const second = await Viewer.start(other, viewer.port);
    process.env.UBP_WEB_APP = APP;
    await page.goto(`${viewer.url}Alpha.html`);
    await page.getByText('Of the second project.').first().waitFor();
    assert.equal(await page.evaluate(() => document.body.dataset.app), 'next');
    const first = await manifestOf(context, page);
    await second.stop();
    await viewer.run();
    await page.reload();
    assert.notEqual((await manifestOf(context, page)).manifest.id, first.manifest.id);
    await done();
  });

  test('replaces the worker of a site that was at its address', async () => {
    const former = project({ 'index.md': '# A site\n\nIt was here.\n', 'Alpha.md': '# Alpha\n\nOf the site.\n' });
    former.export('--installable');
    await viewer.stop();
    const served = await serve(former.site, { subPath: '/', port: viewer.port });
    const { page, done } = await opened();
    await page.goto(served.root);
    await controlled(page);
    await isKept(page, '/');
    served.server.closeAllConnections();
    await new Promise((ended) => served.server.close(ended));
    await viewer.run();
    await enter(page, 'Alpha.html');
    await page.getByText('Of the first project.').first().waitFor();
    await until(async () => (await page.evaluate(() => caches.keys())).length === 0, 'the pages of the site are not kept any more');
    await done();
  });
});
