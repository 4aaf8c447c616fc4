// Freshness and reviews: real `ubp` on a real repository. UBP_NATIVE is the program.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withApp } from './support.mjs';

const app = withApp();
const program = process.env.UBP_NATIVE;
const skip = program ? false : 'UBP_NATIVE is not set';
const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const PAGES = { 'Login.md': '# Login\n\n[[src/login.ts]]\n', 'Plain.md': '# Plain\n' };

/** A vault in git whose page is older than its code. */
function repository() {
  const folder = mkdtempSync(join(tmpdir(), 'ubp-obsidian-'));
  folders.push(folder);
  const git = (...args) => execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: folder, stdio: 'ignore', env: { ...process.env, GIT_COMMITTER_DATE: args.at(-1), GIT_AUTHOR_DATE: args.at(-1) } });
  const commit = (date) => (git('add', '-A'), git('commit', '-m', 'change', '--date', date));
  execFileSync('git', ['init', '-q'], { cwd: folder });
  execFileSync('mkdir', ['-p', 'src'], { cwd: folder });
  for (const [path, text] of Object.entries(PAGES)) writeFileSync(join(folder, path), text);
  writeFileSync(join(folder, 'src/login.ts'), 'export const limit = 1;\n');
  execFileSync(program, ['init', '--yes', '--pages-dir', '.'], { cwd: folder, stdio: 'ignore' });
  commit('2024-01-01T00:00:00Z');
  writeFileSync(join(folder, 'src/login.ts'), 'export const limit = 2;\n');
  commit('2024-06-01T00:00:00Z');
  return folder;
}

const files = [...Object.entries(PAGES).map(([path, text]) => ({ path, text })), { path: 'src/login.ts', text: '' }];
const status = (page, words) => page.waitForFunction((words) => document.querySelector('.status-bar-item')?.textContent === words, words);

test('the badge says that a note is out of date, and a review makes it fresh', { skip }, async () => {
  const base = repository();
  const { page, problems, close } = await app.start({ files, base, stored: { 'unified-blueprint-program': program } });
  await page.evaluate(async () => {
    await window.host.open('Login.md');
    await window.host.run('open-backlinks');
  });
  await status(page, 'Out of date');
  await page.waitForSelector('.ubp-freshness[data-staleness="stale"]');
  assert.equal(await page.locator('.ubp-freshness').getAttribute('aria-label'), 'src/login.ts');
  await page.locator('.ubp-review').click();
  await page.waitForSelector('.modal li:text("src/login.ts")');
  await page.locator('.modal button:text("Cancel")').click();
  assert.throws(() => readFileSync(join(base, '.ubp/refs.lock')), 'nothing is recorded without an answer');
  assert.equal(await page.evaluate(() => window.host.run('review')), true);
  await page.locator('.modal .mod-cta').click();
  await page.waitForFunction(() => window.host.notices.length > 0);
  assert.deepEqual(await page.evaluate(() => window.host.notices), ['Recorded the review of Login']);
  assert.match(readFileSync(join(base, '.ubp/refs.lock'), 'utf8'), /login\.ts/);
  await status(page, 'Up to date with its code');
  assert.equal(readFileSync(join(base, 'Login.md'), 'utf8'), PAGES['Login.md']);
  await page.evaluate(() => window.host.open('Plain.md'));
  await status(page, '');
  assert.deepEqual(problems, []);
  await close();
});

test('a path that is not a program is reported where it is set and in the panel', { skip }, async () => {
  const { page, close } = await app.start({ files, base: repository() });
  await page.evaluate(async () => {
    await window.host.open('Login.md');
    await window.host.run('open-backlinks');
    const [tab] = window.host.registered.tabs;
    tab.display();
    document.body.append(tab.containerEl);
  });
  assert.equal(await page.evaluate(() => window.host.run('review')), false);
  await page.locator('.setting-item input[type="text"]').fill('/nowhere/ubp');
  await page.locator('.setting-item button', { hasText: 'Check' }).click();
  await page.waitForFunction(() => window.host.notices.includes('The program “/nowhere/ubp” was not found.'));
  await page.waitForSelector('.ubp-freshness-of-note .ubp-message');
  await page.locator('.setting-item input[type="text"]').fill(program);
  await page.locator('.setting-item button', { hasText: 'Check' }).click();
  await page.waitForFunction(() => window.host.notices.some((notice) => notice.startsWith('Works: ubp ')));
  await page.waitForSelector('.ubp-freshness[data-staleness="stale"]');
  await close();
});

test('a vault that is not a project has no freshness, and neither has a phone', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ubp-obsidian-'));
  folders.push(folder);
  writeFileSync(join(folder, 'Login.md'), PAGES['Login.md']);
  const stored = { 'unified-blueprint-program': program };
  for (const options of [{ base: folder }, { isMobile: true }]) {
    const { page, problems, close } = await app.start({ files, stored, ...options });
    await page.evaluate(async () => {
      await window.host.open('Login.md');
      await window.host.run('open-backlinks');
    });
    await page.waitForSelector('.ubp-view .ubp-message');
    await page.waitForTimeout(options.base ? 500 : 0);
    assert.equal(await page.locator('.ubp-freshness').count(), 0);
    if (options.isMobile) {
      assert.equal(await page.evaluate(() => window.host.run('review')), false);
      const settings = await page.evaluate(() => {
        const [tab] = window.host.registered.tabs;
        tab.display();
        return tab.containerEl.textContent;
      });
      assert.ok(!settings.includes('Program ubp'), settings);
    }
    assert.deepEqual(problems, []);
    await close();
  }
});
