// The panels beside a note, and what their buttons write.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settled, withApp } from './support.mjs';
import { small } from './vault.mjs';

const app = withApp();
const text = (page, path) => page.evaluate((path) => window.host.text(path), path);
const opened = (page) => page.evaluate(() => window.host.app.workspace.opened);

async function withPanels(options) {
  const started = await app.start({ files: small, ...options });
  await started.page.evaluate(async () => {
    await window.host.open('Login.md');
    await window.host.run('open-backlinks');
    await window.host.run('open-suggestions');
  });
  return started;
}

/** Headings and the titles below them. */
const outline = (page) => page.locator('.ubp-heading > :first-child, .ubp-row-name').allTextContents();

for (const isMobile of [false, true]) {
  describe(isMobile ? 'on mobile' : 'on desktop', () => {
    test('backlinks are grouped by type, with their line, and open there; a click makes a mention a link', async () => {
      const { page, problems, close } = await withPanels({ isMobile });
      await page.waitForSelector('.ubp-row');
      const panel = page.locator('.ubp-view').first();
      assert.deepEqual(await panel.locator('.ubp-heading').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))), ['conflicts_with, 1 link', 'extends, 1 link', 'references, 1 link']);
      assert.deepEqual(await panel.locator('.ubp-context').allTextContents(), ['Nobody signs in: Login.', 'Replaces the form. Login with other providers.', 'It needs Login twice, and the User database.']);
      await panel.locator('.ubp-row-title').nth(1).press('Enter');
      await page.waitForFunction(() => window.host.app.workspace.opened.length > 0);
      assert.deepEqual(await opened(page), [{ path: 'plans/Single sign-on.md', line: 2 }]);
      await page.waitForFunction(() => document.querySelector('.ubp-view .ubp-message')?.textContent === 'No note links here.');
      // One click makes a mention a link, and changes nothing else.
      await page.evaluate(() => window.host.open('Login.md'));
      await page.waitForFunction(() => document.querySelector('.ubp-add')?.closest('.ubp-row').textContent.startsWith('Kiosk'));
      assert.deepEqual((await outline(page)).slice(-2), ['Mentioned here without a link', 'Kiosk']);
      const before = await text(page, 'Login.md');
      await page.locator('.ubp-add').first().click();
      await page.waitForFunction(() => window.host.notices.length > 0);
      assert.deepEqual(await page.evaluate(() => window.host.notices), ['Added [[Kiosk|kiosk]] to Login']);
      // Only the first of three mentions in the line.
      assert.equal(await text(page, 'Login.md'), before.replace('A kiosk has', 'A [[Kiosk|kiosk]] has'));
      await page.waitForFunction(() => !document.querySelector('.ubp-add'));
      assert.deepEqual(problems, []);
      await close();
    });
  });
}

test('a mention in another note is linked there, with Windows line ends and without an end of the file', async () => {
  const other = '---\r\ntags: [x]\r\n---\r\n# Notes\r\n\r\nAbout the Kiosk 😀 and\tmore  \r\nend';
  const { page, close } = await app.start({ files: [...small, { path: 'Notes.md', text: other }] });
  await page.evaluate(async () => {
    await window.host.open('plans/Kiosk.md');
    await window.host.run('open-suggestions');
  });
  const row = page.locator('.ubp-row', { hasText: 'Notes' });
  await row.locator('.ubp-add').click();
  await page.waitForFunction(() => window.host.notices.length > 0);
  assert.equal(await text(page, 'Notes.md'), other.replace('Kiosk', '[[Kiosk]]'));
  await close();
});

test('nothing is written if the note changes between plan and writing, or is not as Obsidian reads it', async () => {
  const { page, close } = await withPanels({ files: [...small, { path: 'Marked.md', text: '\ufeff# Marked\n\nthe Kiosk here\n' }] });
  await page.waitForSelector('.ubp-add');
  await page.evaluate(() => {
    const { vault } = window.host.app;
    const { process } = vault;
    vault.process = async (file, change) => {
      await vault.modify(file, `${await vault.read(file)}typed meanwhile\n`);
      return process.call(vault, file, change);
    };
  });
  const before = await text(page, 'Login.md');
  await page.locator('.ubp-add').first().click();
  await page.waitForFunction(() => window.host.notices.length > 0);
  assert.match((await page.evaluate(() => window.host.notices))[0], /^The note changed in the meantime\. Nothing was written/);
  assert.equal(await text(page, 'Login.md'), `${before}typed meanwhile\n`);
  // Obsidian would drop the byte order mark when it writes.
  await page.evaluate(() => window.host.open('Marked.md'));
  await page.waitForFunction(() => [...document.querySelectorAll('.ubp-row-name')].some((name) => name.textContent === 'Kiosk'));
  await page.locator('.ubp-add').first().click();
  await page.waitForFunction(() => window.host.notices.length > 1);
  assert.equal(await text(page, 'Marked.md'), '\ufeff# Marked\n\nthe Kiosk here\n');
  await close();
});

test('text that is only in the editor is saved before a link is planned', async () => {
  const { page, close } = await withPanels({});
  await page.waitForSelector('.ubp-add');
  await page.evaluate(() => window.host.view.editor.replaceRange('typed\n', { line: 5, ch: 0 }));
  await page.locator('.ubp-add').first().click();
  await page.waitForFunction(() => window.host.notices.length > 0);
  // The line has moved: the engine refuses the old place.
  const after = await text(page, 'Login.md');
  assert.match(after, /\ntyped\nA user signs in/);
  assert.ok(!after.includes('[[Kiosk'));
  await page.waitForFunction(() => document.querySelector('.ubp-add')?.disabled === false);
  await page.locator('.ubp-add').first().click();
  await page.waitForFunction(() => window.host.notices.length > 1);
  assert.match(await text(page, 'Login.md'), /A \[\[Kiosk\|kiosk\]\] has/);
  await close();
});

test('the panels follow created, changed, renamed and deleted notes and folders', async () => {
  const { page, problems, close } = await withPanels({});
  const titles = () => page.locator('.ubp-view').first().locator('.ubp-row-name').allTextContents();
  const vault = (action, path, value) => page.evaluate(([action, path, value]) => {
    const { vault } = window.host.app;
    const entry = vault.getFileByPath(path) ?? vault.getRoot().children.find((child) => child.path === path);
    return vault[action](action === 'create' ? path : entry, value).then(() => undefined);
  }, [action, path, value]);
  const after = async (titlesNow) => {
    await settled(page);
    await page.waitForFunction((wanted) => [...document.querySelector('.ubp-view').querySelectorAll('.ubp-row-name')].map((name) => name.textContent).join() === wanted, titlesNow.join());
    assert.deepEqual(await titles(), titlesNow);
  };
  await after(['Kiosk', 'Single sign-on', 'Single sign-on']);
  await vault('create', 'New.md', '# New\n\n[[Login|implements]]\n');
  await after(['New', 'Kiosk', 'Single sign-on', 'Single sign-on']);
  await vault('modify', 'New.md', '# New\n\nno link any more\n');
  await after(['Kiosk', 'Single sign-on', 'Single sign-on']);
  await vault('rename', 'plans', 'ideas');
  await after(['Kiosk', 'Single sign-on', 'Single sign-on']);
  await page.locator('.ubp-row-title').first().click();
  assert.deepEqual((await opened(page)).at(-1), { path: 'ideas/Kiosk.md', line: 2 });
  await page.evaluate(() => window.host.open('Login.md'));
  await vault('delete', 'ideas');
  await after([]);
  assert.deepEqual(problems, []);
  await close();
});

test('what is outside of the pages folder, not a note or not indexed is said', async () => {
  const manifest = { version: '1.0.0', schema_version: 1, embedding_model: { name: 'all-MiniLM-L6-v2', version: '1.0', dimensions: 384 }, pages_dir: 'plans', created_at: '2026-01-01T00:00:00Z', frontmatter: 'preserved' };
  const { page, close } = await withPanels({ files: [...small, { path: '.ubp/manifest.json', text: JSON.stringify(manifest) }] });
  const says = (words) => page.waitForFunction((words) => document.querySelector('.ubp-view .ubp-message')?.textContent === words, words);
  await says('This note is not in the index.');
  await page.evaluate(() => window.host.open('plans/Kiosk.md'));
  await says('No note links here.');
  await page.evaluate(() => window.host.app.vault.create('plans/New.md', '[[Kiosk|depends_on]]\n').then(() => undefined));
  await page.waitForFunction(() => document.querySelector('.ubp-row-name')?.textContent === 'New');
  await page.locator('.ubp-row-title').first().click();
  assert.deepEqual((await opened(page)).at(-1), { path: 'plans/New.md', line: 0 });
  await close();
});

test('a broken manifest is reported, not hidden', async () => {
  const { page, close } = await withPanels({ files: [...small, { path: '.ubp/manifest.json', text: '{ "pages_dir": 5' }] });
  await page.waitForFunction(() => /^The index could not be built: .*manifest\.json/.test(document.querySelector('.ubp-view .ubp-message')?.textContent ?? ''));
  assert.match(await page.locator('.status-bar').textContent(), /could not be built/);
  await close();
});
