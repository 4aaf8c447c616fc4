// A page that is deleted on disk while it is open: its text is kept, restored or discarded.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { Editor, addressOf, until, withViewer } from './editing.mjs';
import { accessible, settled } from './workspace.mjs';

const own = withViewer();
const LINES = '# Page\n\nfirst line\n\nsecond line\n\nthird line\n';
const NAMES = ['Home', 'Again', 'Typed', 'Bare', 'Go', 'Last', 'Follow', 'Merge', 'Unseen', 'Moved', 'Other/Twin', 'Twin', 'Keys', 'Look', 'Left', 'Late', 'Read', 'Broken', 'Reload'];
let viewer;
before(async () => {
  viewer = await own.start(Object.fromEntries(NAMES.map((name) => [`pages/${name}.md`, LINES.replace('Page', name.replace(/^.*\//, ''))])));
});
const open = (name, options) => own.open(viewer, `${name}.md`, { ...options, options: { permissions: ['clipboard-read', 'clipboard-write'], ...options?.options } });
const textOf = (name) => LINES.replace('Page', name);
const file = (name) => join(viewer.root, 'pages', `${name}.md`);
const remove = (name) => rmSync(file(name));
const pause = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));
const notice = (editor) => editor.page.getByRole('alert').filter({ hasText: 'This page was moved or deleted' });
const button = (editor, name) => editor.page.locator('#ubp_head').getByRole('button', { name });
const listed = (editor, name) => editor.page.locator('#ubp_side .viewport').getByRole('link', { name, exact: true });

/** The drafts in the browser's storage. */
const drafts = (page) =>
  page.evaluate(
    () =>
      new Promise((found) => {
        const opening = indexedDB.open('ubp');
        opening.onsuccess = () => {
          const all = opening.result.transaction('drafts').objectStore('drafts').getAll();
          all.onsuccess = () => found(all.result.map(({ text }) => text));
        };
      }),
  );

async function gone(editor, name) {
  remove(name);
  await button(editor, 'Restore the page').waitFor();
  await until(async () => (await editor.status()) === 'gone', 'the status is updated');
}

test('without unsaved edits, the text stays and can be restored unchanged', async () => {
  const editor = await open('Again');
  await gone(editor, 'Again');
  await notice(editor).waitFor();
  assert.equal(await editor.text(), textOf('Again'));
  await listed(editor, 'Again').waitFor({ state: 'detached' });
  assert.equal(existsSync(file('Again')), false, 'it must not be restored automatically');
  await button(editor, 'Restore the page').click();
  await editor.saved();
  assert.equal(viewer.read('Again.md'), textOf('Again'));
  await notice(editor).waitFor({ state: 'detached' });
  await listed(editor, 'Again').waitFor();
  const { entries } = await viewer.call('audit', {});
  assert.ok(entries.some(({ operation, filepath }) => operation === 'create_page' && filepath === 'Again.md'), 'it was created with create_page');
  await editor.type('NEXT ');
  await until(() => viewer.read('Again.md').includes('NEXT '), 'the text has the focus, and saving continues');
  await editor.close();
});

test('no key is lost that is typed before, while the page is deleted, and while it is restored', async () => {
  const editor = await open('Typed');
  await editor.after('first');
  await editor.type(' before');
  remove('Typed');
  for (const word of ['one', 'two', 'three', 'four', 'five', 'six']) await editor.page.keyboard.type(` ${word}`, { delay: 30 });
  await button(editor, 'Restore the page').waitFor();
  await editor.after('six');
  await editor.type(' seven');
  await editor.askedToSave();
  assert.equal(existsSync(file('Typed')), false, 'typing does not restore it');
  assert.equal(await editor.status(), 'gone');
  // The answer is slow, and typing continues.
  await editor.page.route('**/api/create_page', async (route) => {
    await pause(700);
    await route.continue();
  });
  await button(editor, 'Restore the page').click();
  await editor.after('seven');
  await editor.type(' eight');
  await editor.saved();
  const whole = textOf('Typed').replace('first', 'first before one two three four five six seven eight');
  assert.equal(await editor.text(), whole);
  await until(() => viewer.read('Typed.md') === whole, () => `every letter is in the file: ${viewer.read('Typed.md')}`);
  await editor.close();
});

test('a text without a heading and with invalid front matter is restored unchanged', async () => {
  const odd = '---\ntags: [unclosed\nb: "\n---\n\nNo heading at all,\nand no line break at the end';
  viewer.write('Bare.md', odd);
  const editor = await open('Bare');
  await until(async () => (await editor.text()) === odd, 'it is open');
  await gone(editor, 'Bare');
  await button(editor, 'Restore the page').click();
  await editor.saved();
  assert.equal(viewer.read('Bare.md'), odd);
  await editor.close();
});

test('discarding shows another page and can be undone', async () => {
  const context = await own.context();
  const editor = await open('Home', { context });
  await editor.page.goto(viewer.url + addressOf('Go.md'));
  await until(async () => (await editor.text().catch(() => '')) === textOf('Go'), 'it is open');
  await editor.after('first');
  remove('Go');
  await button(editor, 'Discard').waitFor();
  await editor.after('first');
  await editor.type(' unsaved');
  await button(editor, 'Discard').click();
  await until(async () => (await editor.text()) !== textOf('Go').replace('first', 'first unsaved'), 'another page is shown');
  await editor.saved();
  assert.equal(existsSync(file('Go')), false);
  await notice(editor).waitFor({ state: 'detached' });
  await editor.page.getByRole('button', { name: 'Undo' }).click();
  await until(() => viewer.read('Go.md') === textOf('Go').replace('first', 'first unsaved'), 'it is back with every letter');
  await until(async () => (await editor.text()).includes('first unsaved'), 'and shown');
  await editor.saved();
  await editor.close();
});

test('a discarded text is not offered when the page comes back', async () => {
  const context = await own.context();
  const editor = await open('Last', { context });
  await gone(editor, 'Last');
  await editor.after('first');
  await editor.type(' unwanted');
  await button(editor, 'Discard').click();
  await until(async () => !(await editor.text()).includes('unwanted'), 'another page is shown');
  viewer.write('Last.md', textOf('Last'));
  await listed(editor, 'Last').click();
  await until(async () => (await editor.text()).startsWith('# Last'), 'it is shown');
  await editor.saved();
  assert.equal(await editor.text(), textOf('Last'));
  assert.equal(viewer.read('Last.md'), textOf('Last'));
  await editor.close();
});

test('if the page comes back, the editor shows it', async () => {
  const editor = await open('Follow');
  await gone(editor, 'Follow');
  viewer.write('Follow.md', textOf('Follow').replace('third', 'other third'));
  await until(async () => (await editor.text()).includes('other third'), 'the editor is updated');
  await editor.saved();
  await notice(editor).waitFor({ state: 'detached' });
  await editor.after('first');
  await editor.type(' next');
  await until(() => viewer.read('Follow.md') === textOf('Follow').replace('third', 'other third').replace('first', 'first next'), 'saving continues');
  await editor.close();
});

test('if the page comes back while there are unsaved edits, they are merged', async () => {
  const editor = await open('Merge');
  await gone(editor, 'Merge');
  await editor.after('first');
  await editor.type(' mine');
  viewer.write('Merge.md', textOf('Merge').replace('third', 'yours third'));
  const both = textOf('Merge').replace('third', 'yours third').replace('first', 'first mine');
  await until(() => viewer.read('Merge.md') === both, () => `both are in the file: ${viewer.read('Merge.md')}`);
  assert.equal(await editor.text(), both);
  await editor.saved();
  await notice(editor).waitFor({ state: 'detached' });
  await editor.close();
});

test('a page that came back unnoticed is never overwritten', async () => {
  const editor = await open('Unseen');
  await gone(editor, 'Unseen');
  await editor.after('first');
  await editor.type(' mine');
  // No event reports it.
  await editor.page.route('**/api/create_page', async (route) => {
    viewer.write('Unseen.md', textOf('Unseen').replace('third', 'yours third'));
    await route.continue();
  });
  await button(editor, 'Restore the page').click();
  const both = textOf('Unseen').replace('third', 'yours third').replace('first', 'first mine');
  await until(() => viewer.read('Unseen.md') === both, () => `both are in the file: ${viewer.read('Unseen.md')}`);
  await editor.saved();
  await editor.close();
});

test('a page of the same name in another folder is not changed', async () => {
  const editor = await open('Twin');
  await gone(editor, 'Twin');
  await editor.after('first');
  await editor.type(' mine');
  await editor.askedToSave();
  assert.equal(viewer.read('Other/Twin.md'), LINES.replace('Page', 'Twin'), 'the other page is unchanged');
  assert.equal(await editor.text(), textOf('Twin').replace('first', 'first mine'));
  await editor.page.getByRole('button', { name: 'Page actions' }).click();
  await editor.page.getByRole('menuitem', { name: 'Copy link' }).waitFor();
  assert.deepEqual(await editor.page.getByRole('menuitem').allTextContents(), ['Copy link', 'Copy path'], 'no action is offered that would affect the other page');
  await editor.close();
});

test('a page moved by another program keeps its text here and is listed at its new path', async () => {
  const editor = await open('Moved');
  mkdirSync(dirname(file('Archive/Moved')), { recursive: true });
  renameSync(file('Moved'), file('Archive/Moved'));
  await button(editor, 'Restore the page').waitFor();
  await listed(editor, 'Moved Archive').waitFor();
  assert.deepEqual(await editor.page.locator('#ubp_side .viewport [data-page$="Moved.md"]').evaluateAll((links) => links.map((link) => link.dataset.page)), ['Archive/Moved.md'], 'it is listed once');
  await editor.close();
});

test('if it cannot be written, the reason is shown and nothing is lost', async () => {
  const editor = await open('Broken');
  await gone(editor, 'Broken');
  await editor.after('first');
  await editor.type(' mine');
  const refuse = (route) => route.fulfill({ status: 500, contentType: 'application/json', body: JSON.stringify({ code: 'io', message: 'Broken.md: no space is left' }) });
  await editor.page.route('**/api/create_page', refuse);
  await button(editor, 'Restore the page').click();
  await notice(editor).getByText('It could not be restored: Broken.md: no space is left').waitFor();
  assert.equal(await editor.text(), textOf('Broken').replace('first', 'first mine'));
  await editor.page.unroute('**/api/create_page', refuse);
  await button(editor, 'Restore the page').click();
  await editor.saved();
  assert.equal(viewer.read('Broken.md'), textOf('Broken').replace('first', 'first mine'));
  await editor.close();
});

test('works with the keyboard only: buttons and commands', async () => {
  const editor = await open('Keys');
  await editor.content.focus();
  await gone(editor, 'Keys');
  assert.equal(await editor.page.evaluate(() => document.activeElement.closest('.cm-content') !== null), true, 'the text keeps the focus');
  const isOn = (name) => editor.page.evaluate((name) => document.activeElement.textContent.trim() === name, name);
  await editor.press('Shift+F6');
  for (let step = 0; step < 12 && !(await isOn('Restore the page')); step++) await editor.press('Tab');
  assert.ok(await isOn('Restore the page'), 'the button has the focus');
  await editor.press('Enter');
  await editor.saved();
  assert.equal(viewer.read('Keys.md'), textOf('Keys'));
  await editor.type('K');
  await until(() => viewer.read('Keys.md').includes('K'), 'the text has the focus again');
  await gone(editor, 'Keys');
  await editor.press('Control+k');
  await editor.page.getByRole('combobox', { name: /^Search pages/ }).fill('>restore');
  await editor.page.getByRole('option', { name: /Restore the page/ }).waitFor();
  await editor.press('Enter');
  await until(() => existsSync(file('Keys')), 'it is written');
  await editor.close();
});

test('after leaving the page, Back shows its text again', async () => {
  const editor = await open('Left');
  await gone(editor, 'Left');
  await editor.after('first');
  await editor.type(' mine');
  await listed(editor, 'Home').click();
  await until(async () => (await editor.text()).startsWith('# Home'), 'another page is shown');
  assert.equal(await button(editor, 'Restore the page').count(), 0);
  await editor.press('Alt+ArrowLeft');
  await button(editor, 'Restore the page').click();
  await until(() => viewer.read('Left.md') === textOf('Left').replace('first', 'first mine'), 'it is written');
  await editor.saved();
  await editor.close();
});

test('if the page is deleted during a save after leaving it, a message leads back', async () => {
  const editor = await open('Late');
  await editor.page.route('**/api/save_page', async (route) => {
    remove('Late');
    await pause(800);
    await route.continue();
  });
  await editor.after('first');
  await editor.type(' mine');
  await listed(editor, 'Home').click();
  await until(async () => (await editor.text()).startsWith('# Home'), 'another page is shown');
  await editor.page.getByRole('status').filter({ hasText: 'Late.md was moved or deleted' }).waitFor();
  await editor.page.unroute('**/api/save_page');
  await editor.page.getByRole('button', { name: 'Show edits' }).click();
  await button(editor, 'Restore the page').click();
  await until(() => viewer.read('Late.md') === textOf('Late').replace('first', 'first mine'), 'it is written');
  await editor.saved();
  await editor.close();
});

test('in reading mode, a button opens its text', async () => {
  const editor = await open('Read');
  await editor.press('Control+e');
  await editor.page.locator('#ubp_content').getByText('second line').waitFor();
  remove('Read');
  await button(editor, 'Show text').click();
  await button(editor, 'Restore the page').click();
  await editor.saved();
  assert.equal(viewer.read('Read.md'), textOf('Read'));
  await editor.close();
});

test('after a reload, the text is restored once the page exists again', async () => {
  const context = await own.context();
  const editor = await open('Reload', { context });
  await gone(editor, 'Reload');
  await editor.after('first');
  await editor.type(' mine');
  await until(async () => (await drafts(editor.page)).some((text) => text.includes('first mine')), 'a draft is kept');
  await editor.page.reload();
  await editor.page.locator('#ubp_bar .search').waitFor();
  writeFileSync(file('Reload'), textOf('Reload'));
  await until(() => viewer.call('read_page', { page: 'Reload.md' }).catch(() => null), 'it is known');
  await editor.page.goto(viewer.url + addressOf('Reload.md'));
  await until(() => viewer.read('Reload.md') === textOf('Reload').replace('first', 'first mine'), 'it is restored and saved');
  await context.close();
});

for (const width of [1440, 390]) {
  test(`is accessible, ${width} wide`, async () => {
    const editor = await open('Look', { options: { colorScheme: 'light', viewport: { width, height: 900 } } });
    await gone(editor, 'Look');
    const picture = (name) => process.env.UBP_SHOTS && editor.page.screenshot({ path: `${process.env.UBP_SHOTS}/gone ${name} ${width}.png` });
    await settled(editor.page);
    await picture('light');
    await accessible(editor.page, 'light');
    await editor.page.emulateMedia({ colorScheme: 'dark' });
    await settled(editor.page);
    await picture('dark');
    await accessible(editor.page, 'dark', ['color-contrast', 'link-in-text-block']);
    await button(editor, 'Restore the page').click();
    await editor.saved();
    await editor.close();
  });
}
