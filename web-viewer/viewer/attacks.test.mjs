// Pages that try to run scripts or to reach another host, in the viewer and on an exported site.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { launch } from '../browser/support.mjs';
import { withViewer } from './workspace.mjs';

const ATTACKS = JSON.parse(readFileSync(new URL('../../core/src/render/tests/attacks.json', import.meta.url), 'utf8'));
const TYPES = { '.css': 'text/css', '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };
const ubp = (project, ...args) => execFileSync(process.env.UBP_PROGRAM, ['-C', project, ...args], { encoding: 'utf8', stdio: 'pipe' });

function attacked(project) {
  rmSync(join(project, 'pages'), { recursive: true, force: true });
  mkdirSync(join(project, 'pages'), { recursive: true });
  ATTACKS.forEach((attack, at) => writeFileSync(join(project, 'pages', `attack ${at}.md`), `Before.\n\n${attack}\n\nAfter.\n`));
  ubp(project, 'init');
}

/** Where a page is shown, and a diagram in it: drawn, or left as its source with the reason. */
const READING = ['article.page', '.prose :is(.diagram, pre[title])'];
const EDITING = ['.cm-content', '.cm-live-fence :is(.diagram, .cm-live-problem)'];

/** Opens every page in `context`, and says what ran, asked another host, or was stopped only by the policy. */
async function faults(context, root, [shown, diagram] = READING) {
  const found = [];
  let at = 0;
  await context.addInitScript(() => {
    globalThis.alert = (text) => console.error(`ran: ${text}`);
  });
  context.on('request', (request) => {
    if (!request.url().startsWith(root) && !/^(blob|data|about):/.test(request.url())) found.push(`${at}: request to ${request.url()}`);
  });
  context.on('console', (message) => /^ran:|inline (script|event handler)|javascript:/i.test(message.text()) && found.push(`${at}: ${message.text()}`));
  const page = await context.newPage();
  page.on('dialog', (dialog) => dialog.dismiss());
  for (; at < ATTACKS.length; at++) {
    await page.goto(`${root}attack%20${at}.html`);
    await page.locator(shown).waitFor();
    if (!ATTACKS[at].startsWith('```mermaid')) continue;
    await page.locator(diagram).first().waitFor({ state: 'attached' });
    const drawn = await page.evaluate(() => [...document.querySelectorAll('.diagram')].map(({ shadowRoot }) => shadowRoot.innerHTML + shadowRoot.adoptedStyleSheets.flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).join('')));
    for (const markup of drawn) if (/<(script|foreignObject|image|a|iframe|style)\b|evil|javascript:|\son\w+=/.test(markup.replace(/<(text|tspan)[^>]*>[^<]*/g, ''))) found.push(`${at}: ${markup.slice(0, 300)}`);
  }
  await page.close();
  return found;
}

describe('no attack runs or reaches another host', () => {
  const viewer = withViewer({ prepare: attacked });
  let browser;
  let folder;
  let server;

  before(async () => {
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), 'ubp-attacks-'));
  });
  after(async () => {
    await browser?.close();
    server?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  for (const [opening, shown] of Object.entries({ read: READING, edit: EDITING })) {
    test(`in the viewer, pages open to ${opening}`, { timeout: 600_000 }, async () => {
      const { page, done } = await viewer.open('attack%200.html', { expectErrors: true, settings: { opening } });
      assert.deepEqual(await faults(page.context(), new URL('/', page.url()).href, shown), []);
      await done();
    });
  }

  test('on a site', { timeout: 600_000 }, async () => {
    const [project, site] = [join(folder, 'project'), join(folder, 'site')];
    mkdirSync(project);
    attacked(project);
    ubp(project, 'add');
    ubp(project, 'export', site, '--web-app', process.env.UBP_WEB_APP);
    server = createServer((request, response) => {
      const file = join(site, decodeURIComponent(new URL(request.url, 'http://host').pathname));
      if (!file.startsWith(site) || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
      createReadStream(file).pipe(response);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    assert.deepEqual(await faults(context, `http://127.0.0.1:${server.address().port}/`), []);
    await context.close();
  });
});
