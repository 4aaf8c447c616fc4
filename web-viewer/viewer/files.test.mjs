// Files of the project that are not pages: completed in properties and links, listed, and shown as code.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { accessible } from '../browser/support.mjs';
import { until, withViewer } from './editing.mjs';

const own = withViewer();

/** One pixel. */
const PICTURE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const code = Array.from({ length: 200 }, (_, index) => `pub fn line_${index + 1}() -> u32 { ${index + 1} } // note`).join('\n');
const FILES = {
  '.gitignore': '*.key\n',
  'src/main.rs': `${code}\n`,
  'src/auth/login.ts': 'export const login = () => true;\n',
  'src/auth/session.ts': 'export const session = 1;\n',
  'src/auth/style.css': 'a { color: red }\n',
  'lib/thing.py': 'print("x")\n',
  'server.key': 'SECRET\n',
  '.env': 'SECRET\n',
  'pages/Sources.md': '---\nsource_refs:\n  - src/auth/login.ts\n  - src/\n  - src/**/*.ts\n  - src/none.ts\n  - old/\n  - src/*.py\n---\n# Sources\n\nText.\n',
  'pages/Form.md': '---\nsource_refs: []\n---\n# Form\n\nText.\n',
  'pages/Links.md':
    '---\nsource_refs: [src/auth/login.ts, src/]\n---\n# Links\n\n[the lines](../src/main.rs#L100-L104) and [[src/auth/login.ts]] and [[src/auth/login.ts|once more]].\n\n[big](../src/big.rs) [binary](../src/data.rs)\n',
  'pages/Embeds.md': '# Embeds\n\nHere:\n',
  'pages/Flow chart.md': '# Flow chart\n\nText.\n',
  'pages/Later.md': '---\nsource_refs: [src/later.ts]\n---\n# Later\n\nText.\n',
};
let viewer;
before(async () => {
  viewer = await own.start(FILES);
  const put = (path, bytes) => {
    mkdirSync(dirname(join(viewer.root, path)), { recursive: true });
    writeFileSync(join(viewer.root, path), bytes);
  };
  for (const path of ['pages/attachments/flow.png', 'pages/auth/shot.png', 'pages/db/shot.png']) put(path, PICTURE);
  put('pages/attachments/flow.pdf', Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1'));
  put('src/big.rs', 'x'.repeat(1_200_000));
  put('src/data.rs', Buffer.from([0, 1, 2, 255]));
  symlinkSync(join(viewer.root, '.env'), join(viewer.root, 'src/env.rs'));
});
const open = (path, settings = {}, options = {}) => own.open(viewer, path, { settings: { live: true, ...settings }, options });
const form = (editor) => editor.page.getByRole('region', { name: 'Properties' });
const field = (editor, name) => form(editor).locator(`[data-key="${name}"] .value .next input`);
const chip = (editor, name) => form(editor).locator('[data-key="source_refs"] .chip').filter({ has: editor.page.getByText(name, { exact: true }) });
const textIs = (editor, wanted) => until(async () => (await editor.text()) === wanted, async () => `expected ${JSON.stringify(wanted)}, got ${JSON.stringify(await editor.text())}`);
const option = (editor, name) => editor.page.getByRole('option').filter({ has: editor.page.getByText(name, { exact: true }) });

test('files, folders and globs that match nothing are marked, and those that match something are not', async () => {
  const editor = await open('Sources.md');
  for (const name of ['src/none.ts', 'old/', 'src/*.py']) {
    await until(async () => (await chip(editor, name).getAttribute('data-missing')) === 'true', `${name} is marked`);
  }
  for (const name of ['src/auth/login.ts', 'src/', 'src/**/*.ts']) assert.equal(await chip(editor, name).getAttribute('data-missing'), null, name);
  assert.match(await chip(editor, 'old/').locator('[data-item]').getAttribute('aria-label'), /matches no file/);
  await editor.close();
});

test('a mark goes when the file is there', async () => {
  const editor = await open('Later.md');
  await until(async () => (await chip(editor, 'src/later.ts').getAttribute('data-missing')) === 'true', 'the missing file is marked');
  writeFileSync(join(viewer.root, 'src/later.ts'), 'export {};\n');
  viewer.write('Form.md', `${FILES['pages/Form.md']}\nMore.\n`);
  await until(async () => (await chip(editor, 'src/later.ts').getAttribute('data-missing')) === null, 'the mark is gone');
  rmSync(join(viewer.root, 'src/later.ts'));
  viewer.write('Form.md', FILES['pages/Form.md']);
  await editor.close();
});

test('source_refs completes files that no page names, folders and globs', async () => {
  const editor = await open('Form.md');
  const before = await editor.text();
  await field(editor, 'source_refs').fill('thing');
  await option(editor, 'lib/thing.py').click();
  await textIs(editor, before.replace('[]', '[lib/thing.py]'));
  await field(editor, 'source_refs').fill('src/au');
  await option(editor, 'src/auth/').click();
  await textIs(editor, before.replace('[]', '[lib/thing.py, src/auth/]'));
  await field(editor, 'source_refs').fill('src/auth/');
  await option(editor, 'src/auth/**/*.ts').click();
  await textIs(editor, before.replace('[]', '[lib/thing.py, src/auth/, src/auth/**/*.ts]'));
  await field(editor, 'source_refs').fill('src/**/*.c');
  await option(editor, 'src/**/*.c').getByText('glob, no files').waitFor();
  await field(editor, 'source_refs').fill('src/**/*.css');
  await option(editor, 'src/**/*.css').getByText('glob, 1 file', { exact: true }).waitFor();
  const [list, text] = await Promise.all([editor.page.getByRole('listbox').boundingBox(), editor.page.locator('.cm-editor').boundingBox()]);
  assert.ok(list.x + list.width <= text.x + text.width + 1, 'the choices are not cut off');
  await accessible(editor.page, 'choices of sources');
  // Neither ignored files nor pages are sources to choose.
  for (const [typed, absent] of [['server', 'server.key'], ['Later', 'pages/Later.md']]) {
    await field(editor, 'source_refs').fill(typed);
    await editor.idle();
    assert.equal(await option(editor, absent).count(), 0, absent);
  }
  await editor.close();
});

test('![[ completes attachments by name and by path, pictures first, then pages', async () => {
  const editor = await open('Embeds.md');
  await editor.after('Here:');
  await editor.type('\n\n![[flow');
  await editor.candidates.first().waitFor();
  await until(async () => (await editor.candidates.locator('.cm-completionLabel').allInnerTexts()).join('|') === 'flow.png|flow.pdf|Flow chart', async () => JSON.stringify(await editor.candidates.allInnerTexts()));
  await editor.press('Enter');
  await textIs(editor, '# Embeds\n\nHere:\n\n![[flow.png]]\n');
  await editor.page.locator('.cm-content img[src$="flow.png"]').waitFor();
  await editor.after('![[flow.png]]');
  await editor.type('\n![[db/');
  await editor.candidates.filter({ hasText: 'db/shot.png' }).click();
  await textIs(editor, '# Embeds\n\nHere:\n\n![[flow.png]]\n![[db/shot.png]]\n');
  await editor.type('\n![[shot');
  await until(async () => (await editor.candidates.locator('.cm-completionLabel').allInnerTexts()).join('|') === 'auth/shot.png|db/shot.png', async () => JSON.stringify(await editor.candidates.allInnerTexts()));
  await editor.close();
});

test('attachments are in the folders of the list, and open beside the page', async () => {
  const editor = await open('Form.md');
  const { page } = editor;
  await page.getByRole('button', { name: 'Folders', exact: true }).click();
  await page.getByRole('button', { name: 'attachments', exact: true }).click();
  const row = page.locator('#ubp_side a[data-project-file="pages/attachments/flow.png"]');
  await row.waitFor();
  assert.equal(await row.locator('svg').count(), 1);
  await accessible(page, 'attachments in the list');
  await row.click();
  await page.getByRole('img', { name: 'pages/attachments/flow.png' }).waitFor();
  assert.equal(await row.getAttribute('aria-current'), 'page');
  assert.equal(await page.getByRole('img', { name: 'pages/attachments/flow.png' }).evaluate((img) => img.decode().then(() => img.naturalWidth)), 1);
  await accessible(page, 'a picture');
  await page.locator('#ubp_side a[data-project-file="pages/attachments/flow.pdf"]').click();
  await page.getByRole('link', { name: 'Open the file' }).waitFor();
  await page.getByRole('button', { name: 'Back to the page' }).click();
  await editor.content.waitFor();
  await page.getByRole('searchbox').or(page.getByLabel('Filter pages')).first().fill('flow.pn');
  await until(async () => (await page.locator('#ubp_side .viewport a').count()) === 1, 'the filter finds the picture');
  await editor.close();
});

const stage = (page) => page.locator('#ubp_stage');
/** Numbers of the lines on screen that are marked. */
const marks = (page) =>
  page.locator('.mark').evaluate((mark) => {
    const [box, text, view] = [mark.getBoundingClientRect(), document.querySelector('#ubp_stage .text').getBoundingClientRect(), document.querySelector('#ubp_stage .code').getBoundingClientRect()];
    return { first: (box.top - text.top) / 20 + 1, last: (box.bottom - text.top) / 20, isSeen: box.top >= view.top && box.bottom <= view.bottom };
  });

test('a link to code opens the file with its lines marked, and the page comes back', async () => {
  const editor = await open('Links.md');
  const { page } = editor;
  await editor.press('Control+e');
  await page.locator('#ubp_content').getByRole('link', { name: 'the lines' }).click();
  await stage(page).getByRole('heading', { name: 'src/main.rs' }).waitFor();
  await stage(page).getByText('Lines 100–104 · 200 lines').waitFor();
  assert.deepEqual(await marks(page), { first: 100, last: 104, isSeen: true });
  assert.match(page.url(), /\?file=src%2Fmain\.rs#L100-L104$/);
  await stage(page).locator('.text .md-keyword').first().waitFor();
  assert.equal(await stage(page).locator('.text code').evaluate((element) => element.textContent), code);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Text of src/main.rs');
  await page.reload();
  await stage(page).getByText('Lines 100–104').waitFor();
  await page.goBack();
  await page.locator('#ubp_content').getByRole('link', { name: 'once more' }).click();
  await stage(page).getByText('export const login').waitFor();
  await stage(page).getByRole('link', { name: 'Links' }).waitFor();
  await page.goBack();
  await page.locator('#ubp_rail').getByRole('link', { name: 'src/auth/login.ts' }).click();
  await stage(page).getByText('export const login').waitFor();
  await stage(page).getByRole('button', { name: 'Back to the page' }).click();
  await page.locator('#ubp_content').getByRole('heading', { name: 'Links' }).waitFor();
  await editor.close();
});

test('from the editor, Ctrl+click on a link or a source opens the file', async () => {
  const editor = await open('Links.md', { live: false });
  const { page } = editor;
  await editor.content.getByText('src/main.rs#L100').click({ modifiers: ['Control'] });
  await stage(page).getByText('Lines 100–104').waitFor();
  await page.goBack();
  await form(editor).getByRole('button', { name: 'src/auth/login.ts', exact: true }).click({ modifiers: ['Control'] });
  await stage(page).getByText('export const login').waitFor();
  await editor.close();
});

test('large, binary, missing, hidden and ignored files are told, with the limit', async () => {
  const editor = await open('Links.md');
  const { page } = editor;
  for (const [path, message] of [
    ['src/big.rs', /too large to show: it has 1\.1 MB, and at most 1 MB/],
    ['src/data.rs', /not UTF-8 text/],
    ['src/none.rs', /does not exist/],
    ['src', /does not exist/],
    ['.env', /hidden, or ignored/],
    ['server.key', /hidden, or ignored/],
    ['src/env.rs', /outside of the project|hidden, or ignored/],
    ['.ubp/manifest.json', /hidden, or ignored/],
    ['../../etc/passwd', /outside of the project/],
    ['/etc/passwd', /outside of the project/],
    ['src/../../../etc/passwd', /outside of the project/],
  ]) {
    await page.goto(`${viewer.url}Links.html?file=${encodeURIComponent(path)}`);
    await stage(page).getByText(message).first().waitFor();
    assert.doesNotMatch(await stage(page).innerText(), /SECRET|root:x:/);
  }
  await editor.close();
});

for (const [width, height] of [[1440, 900], [800, 900], [390, 844]]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`a file is accessible and fits at ${width} pixels, ${colorScheme}`, async () => {
      const editor = await open('Links.md', {}, { viewport: { width, height }, colorScheme });
      const { page } = editor;
      await page.goto(`${viewer.url}Links.html?file=src%2Fmain.rs#L100-L104`);
      await stage(page).locator('.text .md-keyword').first().waitFor();
      await accessible(page, 'code');
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      assert.equal((await marks(page)).isSeen, true);
      await page.goto(`${viewer.url}Links.html?file=src%2Fbig.rs`);
      await stage(page).getByText('too large').waitFor();
      await accessible(page, 'a file that is too large');
      await editor.close();
    });
  }
}
