// The extension in code-server, used in Chromium as a person does. Pictures of each step are in the folder `UBP_PICTURES`.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LOGIN, project, propose } from '../project.mjs';
import { node } from './install.mjs';
import { Workbench } from './workbench.mjs';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const program = process.env.UBP_UNDER_TEST;
if (!program) throw new Error('UBP_UNDER_TEST is not set: the path of the program to pack and to test');

const out = mkdtempSync(join(tmpdir(), 'ubp-vsix-'));
const pictures = process.env.UBP_PICTURES ?? join(out, 'pictures');
let folder;
let editor;
let vsix;
const text = (path) => readFileSync(join(folder, path), 'utf8');

/** Waits until `look` returns something true. */
async function until(look, what) {
  const begun = Date.now();
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() - begun > 30_000) throw new Error(`no ${what} after 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Runs a step; takes a picture at its end, also if it fails. */
function step(name, picture, work) {
  test(name, async () => {
    try {
      await work();
    } catch (error) {
      await editor?.picture(`${picture}-failed`);
      throw error;
    }
    await editor.picture(picture);
  });
}

before(async () => {
  execFileSync(node, [join(root, 'npm/release/vsix.mjs'), '--program', program, '--out', out], { stdio: 'pipe' });
  [vsix] = readdirSync(out).filter((name) => name.endsWith('.vsix')).map((name) => join(out, name));
  folder = project(program);
  editor = await Workbench.start(vsix, { pictures });
});
after(async () => {
  await editor?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  rmSync(out, { recursive: true, force: true, maxRetries: 10 });
});

step('a trusted folder with a project starts the server', '01-open', async () => {
  await editor.open(folder);
  await until(async () => (await editor.status.getAttribute('aria-label'))?.includes('nothing waits'), 'status bar');
});

step('links are completed, and hover shows the page', '02-completion', async () => {
  await editor.openFile('pages/guide/start.md');
  await editor.page.keyboard.press('Control+End');
  await editor.page.keyboard.type('\nAlso [[log');
  const suggestion = editor.page.locator('.suggest-widget .monaco-list-row').filter({ hasText: /login/i });
  await suggestion.first().waitFor();
  await editor.picture('02-suggestions');
  await editor.page.keyboard.press('Escape');
  await editor.page.keyboard.press('Control+Shift+K');
  await until(() => !text('pages/guide/start.md').includes('Also'), 'deleted line');
  await editor.page.locator('.view-line span').filter({ hasText: 'auth/login' }).last().hover();
  await editor.page.locator('.monaco-hover').filter({ hasText: 'password' }).first().waitFor();
});

step('a page whose code changed is listed with what changed, and is reviewed', '03-review', async () => {
  await editor.container();
  writeFileSync(join(folder, LOGIN), text(LOGIN).replace('password.length > 0', 'password.length > 11'));
  const before = text('.ubp/refs.lock');
  const row = editor.row('Pages to Review', 'Login');
  await row.first().waitFor();
  await editor.picture('03-stale');
  await row.first().locator('.monaco-tl-twistie').click();
  await editor.row('Pages to Review', LOGIN).first().click();
  const both = editor.page.locator('.monaco-diff-editor');
  await both.locator('.editor.modified .view-line').filter({ hasText: '> 11' }).first().waitFor();
  await both.locator('.editor.original .view-line').filter({ hasText: '> 0' }).first().waitFor();
  await editor.picture('03-difference');
  await row.first().hover();
  await row.first().locator('.action-label[aria-label="Still Accurate"]').click();
  await row.first().waitFor({ state: 'detached' });
  assert.notEqual(text('.ubp/refs.lock'), before);
  await both.waitFor({ state: 'detached' });
});

step('a folder that is renamed in the explorer takes its links along', '04-renamed', async () => {
  await editor.explorer();
  const row = (name) => editor.page.locator('.explorer-folders-view .monaco-list-row').filter({ has: editor.page.locator(`[aria-label^="${name}"], .label-name >> text="${name}"`) });
  if ((await row('auth').count()) === 0) await row('pages').first().click();
  await row('auth').first().waitFor();
  await row('auth').first().click();
  await editor.page.keyboard.press('F2');
  const input = editor.page.locator('.explorer-folders-view .monaco-inputbox input');
  await input.fill('access');
  await input.press('Enter');
  // The editor asks before it applies what an extension changes with a move.
  const question = editor.page.locator('.monaco-dialog-box').filter({ hasText: 'refactoring' });
  await question.waitFor();
  await editor.picture('04-question');
  await question.getByRole('button', { name: 'OK' }).click();
  const saved = (path, link) => until(() => text(path).includes(link), `${link} in ${path}`);
  await saved('pages/guide/start.md', '[[access/login]]');
  await saved('pages/guide/start.md', '(../access/sessions.md#sessions)');
  await saved('pages/access/login.md', '[[access/sessions|depends_on]]');
  await saved('pages/index.md', '[[access/sessions]]\n- [[access/login]]');
  assert.equal(text('pages/access/sessions.md').includes('(login.md)'), true);
  await until(async () => (await editor.status.getAttribute('aria-label'))?.includes('nothing waits'), 'status without broken links');
});

step('backlinks and links of the open page are listed by type', '05-links', async () => {
  await editor.openFile('pages/access/login.md');
  await editor.container();
  await editor.row('Links', 'depends_on').first().waitFor();
  await editor.row('Links', 'Sessions').first().waitFor();
  await editor.row('Backlinks', 'Getting started').first().waitFor();
});

step('code shows which pages describe it', '06-code', async () => {
  await editor.openFile(LOGIN);
  await editor.page.locator('.codelens-decoration').filter({ hasText: 'Described in' }).first().waitFor();
  await editor.page.locator('.codelens-decoration a').filter({ hasText: 'Described in' }).first().click();
  await editor.page.locator('.peekview-widget').waitFor();
});

step('search shows results with a preview, and Escape leads back', '07-search', async () => {
  await editor.page.keyboard.press('Escape');
  await editor.command('UBP: Search by Meaning…');
  const input = editor.page.locator('.quick-input-widget .quick-input-box input');
  await input.fill('password');
  await editor.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'Login' }).first().waitFor();
  await editor.page.locator('.tab.active[data-resource-name="login.md"]').waitFor();
  await editor.picture('07-search');
  await editor.page.keyboard.press('Escape');
  await editor.page.locator('.tab.active[data-resource-name="login.ts"]').waitFor();
});

step('a proposal of an agent is shown as a difference, and accepted', '08-accepted', async () => {
  await propose(program, folder, 'access/sessions.md', 'A session also ends when a person signs out.');
  const row = editor.row('Proposals', 'gardener');
  await row.first().waitFor();
  await row.first().click();
  await editor.page.locator('.monaco-diff-editor .editor.modified .view-line').filter({ hasText: 'signs out' }).first().waitFor();
  await editor.picture('08-proposal');
  await row.first().hover();
  await row.first().locator('.action-label[aria-label="Accept Proposal"]').click();
  await row.first().waitFor({ state: 'detached' });
  assert.match(text('pages/access/sessions.md'), /signs out/);
});

step('the Read view and the graph are shown in the editor, and follow it', '09-graph', async () => {
  await editor.openFile('pages/access/login.md');
  await editor.command('UBP: Open Read View');
  const isRead = async (title) => {
    const seen = editor.frames().map((frame) => frame.locator('main h1').filter({ hasText: title }).first().isVisible());
    return (await Promise.allSettled(seen)).some(({ value }) => value);
  };
  await until(() => isRead('Login'), 'Read view');
  await editor.picture('09-read');
  await editor.openFile('pages/guide/start.md');
  await until(() => isRead('Getting started'), 'followed page');
  await editor.command('UBP: Open Graph');
  const graph = await until(() => editor.frames().find((frame) => frame.url().includes('graph=all')), 'graph');
  await graph.locator('canvas').first().waitFor();
});

step('a folder that is not trusted is only read', '10-untrusted', async () => {
  await editor.stop();
  editor = await Workbench.start(vsix, { pictures });
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  folder = project(program);
  await editor.open(folder, { isTrusted: false });
  await until(async () => (await editor.status.getAttribute('aria-label'))?.startsWith('Unified Blueprint:'), 'status bar');
  writeFileSync(join(folder, LOGIN), text(LOGIN).replace('password.length > 0', 'password.length > 7'));
  await editor.container();
  const row = editor.row('Pages to Review', 'Login');
  await row.first().waitFor();
  await row.first().hover();
  assert.equal(await row.first().locator('.action-label[aria-label="Still Accurate"]').count(), 0);
  await editor.page.keyboard.press('F1');
  await editor.page.locator('.quick-input-widget .quick-input-box input').fill('>UBP: ');
  const offered = editor.page.locator('.quick-input-list .monaco-list-row');
  await offered.filter({ hasText: 'Search by Meaning' }).first().waitFor();
  assert.equal(await offered.filter({ hasText: 'Open Graph' }).count(), 0);
  assert.equal(await offered.filter({ hasText: 'New Page' }).count(), 0);
});
