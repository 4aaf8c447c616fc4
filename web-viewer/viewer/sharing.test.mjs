// Guests in browsers of their own, over TLS: what each right shows, what becomes a proposal, and the end of a link.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect } from 'node:tls';
import { accessible } from '../browser/support.mjs';
import { Editor, Viewer, addressOf, launch, makeProject, openForEditing, until, withViewer } from './editing.mjs';

const FILES = {
  'pages/open/Page.md': '# Page\n\nfirst line\n\nsecond line\n',
  'pages/open/Other.md': '# Other\n\n[[Page]]\n',
  'pages/open/Together.md': '# Together\n\nfirst line\n',
  'pages/open/Discussed.md': '# Discussed\n\nfirst line\n\nsecond line\n\nthird line, [[Nowhere]]\n\n- [ ] task\n',
  'pages/plans/Hidden.md': '# Hidden\n\nfirst line, [[Page]]\n',
};

const own = withViewer();
const home = mkdtempSync(join(tmpdir(), 'ubp-home-'));
let viewer;
let port;
let browser;

const freePort = () =>
  new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });

function ubp(...args) {
  return execFileSync(process.env.UBP_PROGRAM, ['-C', viewer.root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

before(async () => {
  port = await freePort();
  browser = await launch();
  viewer = await Viewer.start(makeProject(FILES), undefined, { XDG_DATA_HOME: home, LOCALAPPDATA: home, HOME: home }, ['viewer', `--share=127.0.0.1:${port}`]);
});

after(async () => {
  await browser?.close();
  await viewer?.stop();
  for (const folder of [viewer?.root, home]) if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

/** Comes in by a new link, and opens a page. */
async function come(name, right, path = 'open/Page.md') {
  const { url } = JSON.parse(ubp('share', 'new', name, '--right', right, '--pages', 'open/', '--json'));
  assert.match(url, new RegExp(`^https://127\\.0\\.0\\.1:${port}/\\.guest#ubp_[0-9a-f]{64}$`));
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', reducedMotion: 'reduce', ignoreHTTPSErrors: true });
  await openForEditing(context);
  const page = await context.newPage();
  const trouble = [];
  const asked = [];
  page.on('pageerror', (error) => trouble.push(error.stack ?? error.message));
  page.on('request', (request) => asked.push(request));
  page.on('response', (response) => response.status() === 403 && trouble.push(`${response.url()} is not allowed`));
  await page.goto(url);
  await page.waitForURL(`https://127.0.0.1:${port}/`);
  const secret = url.split('#')[1];
  assert.ok(asked.every((request) => !request.url().includes(secret) && !(request.headers().referer ?? '').includes(secret)), 'the secret is in no address');
  const [cookie] = await context.cookies();
  assert.deepEqual([cookie.httpOnly, cookie.secure, cookie.sameSite, cookie.name.startsWith('__Host-')], [true, true, 'Strict', true]);
  assert.ok(!cookie.value.includes(secret));
  await page.goto(`https://127.0.0.1:${port}/${addressOf(path)}`);
  return new Editor(page, context, trouble);
}

test('a guest that may read gets the pages of its link for reading, and nothing to write with', async () => {
  for (const right of ['read', 'comment']) {
    const guest = await come(`reader-${right}`, right);
    await guest.page.getByText('second line').waitFor();
    await guest.page.getByText(/^4 pages$/).first().waitFor();
    assert.equal(await guest.page.getByText('Hidden').count(), 0);
    assert.equal(await guest.content.count(), 0, 'there is no editor');
    assert.equal(await guest.page.getByRole('button', { name: /edit|new page/i }).count(), 0);
    await guest.close();
  }
});

/** Selects a text of the article. */
function selectIn({ page }, text) {
  return page.locator('#ubp_content .prose').getByText(text).evaluate((element) => getSelection().selectAllChildren(element));
}

test('guests that may comment do so under the name of their link, without a way to change pages, and one that may only read sees none of it', async () => {
  const reader = await come('rolf', 'read', 'open/Discussed.md');
  await reader.page.getByText(/^4 pages$/).first().waitFor();
  await selectIn(reader, 'second line');
  await reader.press('Control+Alt+m', 'Alt+c');
  const owner = await own.open(viewer, 'open/Discussed.md', { settings: { name: 'Ann' } });
  await owner.press('Alt+c');
  const written = [];
  for (const [name, right, text] of [['cora', 'comment', 'second line'], ['paul', 'propose', 'first line'], ['wanda', 'write', 'third line']]) {
    const guest = await come(name, right, 'open/Discussed.md');
    const panel = guest.page.getByRole('complementary', { name: 'Comments', exact: true });
    if (right === 'comment') {
      await guest.page.getByRole('button', { name: /^Comments/ }).waitFor();
      await selectIn(guest, text);
      await guest.page.getByRole('button', { name: 'Comment', exact: true }).waitFor();
    } else {
      await guest.content.waitFor();
      await guest.select(text);
    }
    await guest.press('Control+Alt+m');
    const field = panel.getByRole('textbox', { name: 'Comment' });
    await field.waitFor();
    assert.equal(await panel.getByRole('textbox').count(), 1, 'its name is that of the link');
    await field.fill(`Comment of ${name}`);
    await field.press('Control+Enter');
    await owner.page.getByRole('article', { name: `Comment by ${name}` }).getByText(`Comment of ${name}`).waitFor();
    // Only what one wrote oneself can be deleted, also when one comes back.
    await guest.page.reload();
    await guest.page.getByRole('button', { name: `Comments: ${written.length + 1} open` }).waitFor();
    await guest.press('Alt+c');
    await panel.getByRole('article', { name: `Comment by ${name}` }).getByRole('button', { name: 'Delete' }).waitFor();
    assert.equal(await panel.getByRole('button', { name: 'Delete' }).count(), 1);
    written.push({ author: name, quote: text, text: `Comment of ${name}` });
    if (right === 'comment') {
      await until(() => guest.page.evaluate(() => [...(CSS.highlights.get('ubp-comment') ?? [])].join() === 'second line'), 'the text is marked');
      await guest.page.getByText('cora (may comment)').waitFor();
      await accessible(guest.page, 'a guest that comments');
      await guest.press('Escape', 'Control+e', 'Control+s', 'Alt+n', 'F2');
      assert.equal(await guest.content.count(), 0, 'there is no editor');
      assert.equal(await guest.page.getByRole('button', { name: /edit|new page|nowhere/i }).count(), 0);
      assert.equal(await guest.page.locator('dialog, [data-save], .task:enabled, .star').count(), 0);
      await guest.page.getByRole('button', { name: 'Actions' }).first().click();
      await guest.page.getByRole('menuitem', { name: 'Copy link' }).waitFor();
      assert.equal(await guest.page.getByRole('menuitem', { name: /rename|move|delete|history/i }).count(), 0);
      await guest.press('Escape', 'Alt+c');
      await panel.getByRole('button', { name: 'Resolve' }).click();
      await owner.page.getByText('Resolved: 1').waitFor();
      await panel.getByText('Resolved: 1').click();
      await panel.getByRole('button', { name: 'Reopen' }).click();
      await panel.getByRole('button', { name: 'Resolve' }).waitFor();
    }
    await guest.close();
  }
  const { comments } = await viewer.call('list_comments', { page: 'open/Discussed.md' });
  const byAuthor = (a, b) => a.author.localeCompare(b.author);
  assert.deepEqual(comments.map(({ author, quote, text }) => ({ author, quote, text })).sort(byAuthor), written);
  assert.equal(viewer.read('open/Discussed.md'), FILES['pages/open/Discussed.md'], 'the page stays as it is');
  await owner.close();
  assert.equal(await reader.page.getByRole('button', { name: /comment/i }).count(), 0);
  assert.equal(await reader.page.locator('#ubp_comments, #ubp_head').count(), 0);
  assert.equal(await reader.page.locator('html[data-mode]').count(), 0, 'there is no room for what only a workspace has');
  assert.deepEqual(await reader.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /comment/i.test(name))), [], 'it does not ask for comments');
  await reader.close();
});

test('what a guest that may propose writes stays its own until it proposes it, and a person accepts it', async () => {
  const guest = await come('mina', 'propose');
  await guest.content.waitFor();
  await guest.after('first');
  await guest.type(' better');
  const propose = guest.page.getByRole('button', { name: 'Propose changes' });
  await propose.waitFor();
  await guest.page.getByText('Not proposed').waitFor();
  await guest.page.reload();
  await guest.content.waitFor();
  await until(async () => (await guest.text()).includes('first better line'), 'the draft is kept');
  await propose.click();
  await guest.page.locator('[data-save=proposed]').waitFor();
  assert.equal(viewer.read('open/Page.md'), FILES['pages/open/Page.md'], 'nothing was written');
  await guest.after('better');
  await guest.type('!');
  await propose.click();
  await until(async () => (await guest.status()) === 'proposed', 'it is proposed again');
  const { proposals } = await viewer.call('list_proposals', {});
  assert.deepEqual(proposals.map(({ agent }) => agent), ['mina'], 'the second proposal replaces the first');
  await accessible(guest.page, 'a guest that proposes');
  await viewer.call('accept_proposal', { proposals: [proposals[0].proposal] });
  await guest.saved();
  assert.equal(viewer.read('open/Page.md'), await guest.text());
  assert.match(viewer.read('open/Page.md'), /first better! line/);
  await guest.close();
});

test('a guest that may write edits together with the owner under the name of its link, and sees no buttons of the owner', async () => {
  const guest = await come('ken', 'write', 'open/Together.md');
  await guest.content.waitFor();
  const owner = await own.open(viewer, 'open/Together.md');
  await owner.page.getByRole('button', { name: 'ken' }).waitFor();
  await guest.page.locator('.cm-guest').first().waitFor({ state: 'attached' });
  await guest.after('first');
  await guest.type(' abc');
  await until(async () => (await owner.text()).includes('first abc line'), 'letters arrive');
  await until(() => viewer.read('open/Together.md').includes('first abc line'), 'they are saved');
  await guest.page.getByText('ken (may write)').waitFor();
  for (const gone of ['.icon-button.review', '.icon-button.star', '.problems', '.queue']) assert.equal(await guest.page.locator(gone).count(), 0, gone);
  await guest.page.getByRole('button', { name: 'Actions' }).first().click();
  await guest.page.getByRole('menuitem', { name: 'Delete' }).waitFor();
  for (const gone of ['How AI sees this page', 'Open in editor', 'Show in']) assert.equal(await guest.page.getByRole('menuitem', { name: gone }).count(), 0, gone);
  await guest.press('Escape');
  await owner.close();
  ubp('share', 'revoke', 'ken');
  await guest.page.getByText('Your link has expired or was revoked.').waitFor();
  assert.equal((await guest.context.request.get(`https://127.0.0.1:${port}/`)).status(), 401);
  await guest.close();
});

test('a wrong link says so, and leaves no secret in the address', async () => {
  const context = await browser.newContext({ locale: 'ja', ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(`https://127.0.0.1:${port}/.guest#ubp_wrong`);
  await page.getByRole('heading', { name: 'このアドレスにはリンクが必要です' }).waitFor();
  assert.equal(page.url(), `https://127.0.0.1:${port}/.guest`);
  await context.close();
});

test('the certificate is the one whose fingerprint was printed, also at the next start, and can be the owner’s', async () => {
  const shown = () =>
    new Promise((found, failed) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
        found(socket.getPeerCertificate().fingerprint256);
        socket.end();
      });
      socket.on('error', failed);
    });
  const fingerprint = await shown();
  assert.ok(viewer.said.includes(fingerprint), viewer.said);
  assert.ok(viewer.said.includes(`https://127.0.0.1:${port}`), viewer.said);
  await viewer.stop();
  await viewer.run();
  assert.equal(await shown(), fingerprint);
  await viewer.stop();
  const [certificate, key] = ['share-certificate.pem', 'share-key.pem'].map((name) => join(home, process.platform === 'darwin' ? 'Library/Application Support/ubp/share' : 'ubp/share', name));
  viewer.command = ['viewer', `--share=127.0.0.1:${port}`, '--share-certificate', certificate, '--share-key', key];
  await viewer.run();
  assert.ok(!viewer.said.includes('SHA-256'), viewer.said);
  // Who trusts this certificate needs no exception.
  const status = await new Promise((found, failed) => get({ host: '127.0.0.1', port, path: '/', ca: readFileSync(certificate) }, (answer) => found(answer.resume().statusCode)).on('error', failed));
  assert.equal(status, 401);
});
