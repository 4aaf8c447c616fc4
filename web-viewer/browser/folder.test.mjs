// The reader's own folder: dropped or chosen, and read only in the browser.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { dropFolder, ready, until, withBrowser } from './support.mjs';

const own = withBrowser();
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'ubp-folder-'));
  mkdirSync(join(folder, 'pictures'));
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'README.md'), '# My notes\n\nThey lead to [[Tea]] and hold a picture: ![[red.svg]]\n');
  writeFileSync(join(folder, 'Tea.md'), '# Tea\n\nSencha is steamed, and back to [[README|the notes]].\n');
  writeFileSync(join(folder, 'node_modules', 'no.md'), '# No\n');
  writeFileSync(join(folder, 'pictures', 'red.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="#c00"/></svg>');
});

after(() => rmSync(folder, { recursive: true, force: true }));

describe('a dropped folder', () => {
  test('is read, searched and shown with its images, and no data leaves the page', async () => {
    const { page, asked, done } = await own.open('Home.html');
    await ready(page);
    const before = asked.length;
    await dropFolder(page, folder);
    await page.getByRole('heading', { level: 1, name: 'My notes' }).waitFor();
    await page.getByText('2 pages').first().waitFor();
    await page.waitForFunction(() => document.querySelector('main img')?.naturalWidth === 40);
    await page.locator('main a.link', { hasText: 'Tea' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tea' }).waitFor();
    await page.locator('#ubp_rail .backlinks', { hasText: 'My notes' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('sencha');
    await page.getByRole('option').filter({ hasText: 'Sencha is steamed' }).first().waitFor();
    const since = asked.slice(before).filter((url) => !/^blob:/.test(url) && !/\/assets\//.test(url) && !/\/data\//.test(url));
    assert.deepEqual(since, [], 'requests other than for the app');
    await done();
  });

  test('has its own history, and Back returns to the project', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await dropFolder(page, folder);
    await page.getByRole('heading', { level: 1, name: 'My notes' }).waitFor();
    await page.locator('main a.link', { hasText: 'Tea' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tea' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'My notes' }).waitFor();
    await page.getByRole('button', { name: /Your folder/ }).click();
    await page.getByRole('button', { name: /^Back to/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await ready(page);
    await done();
  });

  test('without pages is rejected with a message, and the project stays open', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'ubp-empty-'));
    writeFileSync(join(empty, 'notes.txt'), 'no page');
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await dropFolder(page, empty);
    await page.getByText('contains no Markdown files').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('main a.link', { hasText: 'Reading' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Reading' }).waitFor();
    rmSync(empty, { recursive: true });
    await done();
  });

  test('is told about in the language of the app, by the engine as well', async () => {
    const broken = mkdtempSync(join(tmpdir(), 'ubp-broken-'));
    mkdirSync(join(broken, '.ubp'));
    writeFileSync(join(broken, 'README.md'), '# 予定\n\n- [ ] 書く\n');
    writeFileSync(join(broken, '.ubp', 'manifest.json'), '{\n  "schema_version": 1,\n  "pages_dir": 3\n}\n');
    const { page, done } = await own.open('Home.html', { context: { locale: 'ja-JP' } });
    await page.getByRole('button', { name: '設定' }).first().waitFor();
    await dropFolder(page, broken);
    await page.getByText('.ubp/manifest.json:3: `pages_dir`: 文字列が必要ですが、数値です').waitFor();
    await page.keyboard.press('Escape');
    rmSync(join(broken, '.ubp'), { recursive: true });
    await dropFolder(page, broken);
    await page.getByRole('checkbox', { name: '未完了' }).waitFor();
    await page.getByRole('button', { name: '設定' }).first().click();
    await page.getByLabel('言語').selectOption('English');
    await page.getByRole('dialog', { name: 'Settings' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'To do' }).waitFor();
    rmSync(broken, { recursive: true });
    await done();
  });

  test('of 1,000 pages can be searched soon', async () => {
    const large = mkdtempSync(join(tmpdir(), 'ubp-large-'));
    const words = 'harbour timber lantern copper meadow granite willow ember'.split(' ');
    for (let at = 0; at < 1000; at++) {
      const text = Array.from({ length: 60 }, (_, line) => `${words[(at + line) % 8]} ${words[(at * 3 + line) % 8]} of page ${at}`).join('. ');
      writeFileSync(join(large, `note ${at}.md`), `# Note ${at}\n\n${text}. See [[note ${(at * 7) % 1000}]].\n${at === 777 ? '\nA xylophone stands here.\n' : ''}`);
    }
    const { page, done } = await own.open('Home.html');
    await ready(page);
    const begun = Date.now();
    await dropFolder(page, large);
    await page.getByText('1,000 pages').first().waitFor({ timeout: 30_000 });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('xylophone');
    await page.getByRole('option').filter({ hasText: 'A xylophone stands here' }).first().waitFor();
    const took = Date.now() - begun;
    console.log(`# 1,000 pages dropped and searched in ${took} ms`);
    assert.ok(took < 5000, `${took} ms`);
    rmSync(large, { recursive: true });
    await done();
  });
});

describe('a chosen folder', () => {
  test('can be opened from the settings, by keyboard', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    // The browser enables file chooser interception asynchronously, well before the chooser opens.
    const chosen = page.waitForEvent('filechooser', { timeout: 60_000 });
    await page.getByRole('button', { name: 'Settings' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /Open a folder/ }).focus();
    await page.keyboard.press('Enter');
    const button = page.getByRole('button', { name: /Choose a folder/ });
    await until(() => button.evaluate((element) => element === document.activeElement), 'the first button has the focus');
    await page.keyboard.press('Enter');
    await (await chosen).setFiles(folder);
    await page.getByRole('heading', { level: 1, name: 'My notes' }).waitFor();
    await done();
  });
});
