// A page that is deleted on disk while somebody has it open: its text is kept, restored or discarded.
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

/** Texts that the browser keeps. */
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
  await until(async () => (await editor.status()) === 'gone', 'the state says so');
}

test('without unsaved edits: the text stays, and is restored as it was', async () => {
  const editor = await open('Again');
  await gone(editor, 'Again');
  await notice(editor).waitFor();
  assert.equal(await editor.text(), textOf('Again'));
  await listed(editor, 'Again').waitFor({ state: 'detached' });
  assert.equal(existsSync(file('Again')), false, 'nobody asked for it yet');
  await button(editor, 'Restore the page').click();
  await editor.saved();
  assert.equal(viewer.read('Again.md'), textOf('Again'));
  await notice(editor).waitFor({ state: 'detached' });
  await listed(editor, 'Again').waitFor();
  const { entries } = await viewer.call('audit', {});
  assert.ok(entries.some(({ operation, filepath }) => operation === 'create_page' && filepath === 'Again.md'), 'it was made by the operation that makes pages');
  await editor.type('NEXT ');
  await until(() => viewer.read('Again.md').includes('NEXT '), 'the keyboard is in the text, and saving goes on');
  await editor.close();
});

test('no key is lost: what was typed before, while it was gone, and while it was written', async () => {
  const editor = await open('Typed');
  await editor.after('first');
  await editor.type(' before');
  remove('Typed');
  for (const word of ['one', 'two', 'three', 'four', 'five', 'six']) await editor.page.keyboard.type(` ${word}`, { delay: 30 });
  await button(editor, 'Restore the page').waitFor();
  await editor.after('six');
  await editor.type(' seven');
  await editor.askedToSave();
  assert.equal(existsSync(file('Typed')), false, 'typing does not bring it back');
  assert.equal(await editor.status(), 'gone');
  // The answer takes its time, and somebody types on.
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

test('a text without a heading, with front matter that cannot be read, is written as it is', async () => {
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

test('let go: another page is shown, the text is gone, and can be taken back', async () => {
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

test('what was let go is not offered when the page comes back', async () => {
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

test('it comes back by itself: the editor follows', async () => {
  const editor = await open('Follow');
  await gone(editor, 'Follow');
  viewer.write('Follow.md', textOf('Follow').replace('third', 'other third'));
  await until(async () => (await editor.text()).includes('other third'), 'the editor follows');
  await editor.saved();
  await notice(editor).waitFor({ state: 'detached' });
  await editor.after('first');
  await editor.type(' next');
  await until(() => viewer.read('Follow.md') === textOf('Follow').replace('third', 'other third').replace('first', 'first next'), 'saving goes on');
  await editor.close();
});

test('it comes back by itself while edits are unsaved: both are merged', async () => {
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

test('a page that came back unseen is never written over', async () => {
  const editor = await open('Unseen');
  await gone(editor, 'Unseen');
  await editor.after('first');
  await editor.type(' mine');
  // Nothing tells of it before it is asked for.
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

test('one of the same name in another folder does not take its place', async () => {
  const editor = await open('Twin');
  await gone(editor, 'Twin');
  await editor.after('first');
  await editor.type(' mine');
  await editor.askedToSave();
  assert.equal(viewer.read('Other/Twin.md'), LINES.replace('Page', 'Twin'), 'the other is as it was');
  assert.equal(await editor.text(), textOf('Twin').replace('first', 'first mine'));
  await editor.page.getByRole('button', { name: 'Page actions' }).click();
  await editor.page.getByRole('menuitem', { name: 'Copy a link to it' }).waitFor();
  assert.equal(await editor.page.getByRole('menuitem').count(), 1, 'nothing is offered that would be done to the other');
  await editor.close();
});

test('a page that another program moved is kept here, and listed there', async () => {
  const editor = await open('Moved');
  mkdirSync(dirname(file('Archive/Moved')), { recursive: true });
  renameSync(file('Moved'), file('Archive/Moved'));
  await button(editor, 'Restore the page').waitFor();
  await listed(editor, 'Moved Archive').waitFor();
  assert.deepEqual(await editor.page.locator('#ubp_side .viewport [data-page$="Moved.md"]').evaluateAll((links) => links.map((link) => link.dataset.page)), ['Archive/Moved.md'], 'it is listed once');
  await editor.close();
});

test('why it cannot be written is told, and nothing is lost', async () => {
  const editor = await open('Broken');
  await gone(editor, 'Broken');
  await editor.after('first');
  await editor.type(' mine');
  const refuse = (route) => route.fulfill({ status: 500, contentType: 'application/json', body: JSON.stringify({ code: 'io', message: 'Broken.md: no space is left' }) });
  await editor.page.route('**/api/create_page', refuse);
  await button(editor, 'Restore the page').click();
  await notice(editor).getByText('It could not be written: Broken.md: no space is left').waitFor();
  assert.equal(await editor.text(), textOf('Broken').replace('first', 'first mine'));
  await editor.page.unroute('**/api/create_page', refuse);
  await button(editor, 'Restore the page').click();
  await editor.saved();
  assert.equal(viewer.read('Broken.md'), textOf('Broken').replace('first', 'first mine'));
  await editor.close();
});

test('by keyboard alone: from the text to the choice and back, and by name', async () => {
  const editor = await open('Keys');
  await editor.content.focus();
  await gone(editor, 'Keys');
  assert.equal(await editor.page.evaluate(() => document.activeElement.closest('.cm-content') !== null), true, 'the keyboard stays in the text');
  const isOn = (name) => editor.page.evaluate((name) => document.activeElement.textContent.trim() === name, name);
  await editor.press('Shift+F6');
  for (let step = 0; step < 12 && !(await isOn('Restore the page')); step++) await editor.press('Tab');
  assert.ok(await isOn('Restore the page'), 'the choice is reached');
  await editor.press('Enter');
  await editor.saved();
  assert.equal(viewer.read('Keys.md'), textOf('Keys'));
  await editor.type('K');
  await until(() => viewer.read('Keys.md').includes('K'), 'the keyboard is back in the text');
  await gone(editor, 'Keys');
  await editor.press('Control+k');
  await editor.page.getByRole('combobox').fill('>restore');
  await editor.page.getByRole('option', { name: /Restore the page/ }).waitFor();
  await editor.press('Enter');
  await until(() => existsSync(file('Keys')), 'it is written');
  await editor.close();
});

test('somebody who goes away from it finds it again by going back', async () => {
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

test('it was deleted while what somebody typed was saved, and they had gone on: they are told, and led back', async () => {
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
  await editor.page.getByRole('button', { name: 'Show them' }).click();
  await button(editor, 'Restore the page').click();
  await until(() => viewer.read('Late.md') === textOf('Late').replace('first', 'first mine'), 'it is written');
  await editor.saved();
  await editor.close();
});

test('where it is read, one button leads to its text', async () => {
  const editor = await open('Read');
  await editor.press('Control+e');
  await editor.page.locator('#ubp_content').getByText('second line').waitFor();
  remove('Read');
  await button(editor, 'Show its text').click();
  await button(editor, 'Restore the page').click();
  await editor.saved();
  assert.equal(viewer.read('Read.md'), textOf('Read'));
  await editor.close();
});

test('the window is loaded anew: the text is put back when there is a page again', async () => {
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
  await until(() => viewer.read('Reload.md') === textOf('Reload').replace('first', 'first mine'), 'it is put back and saved');
  await context.close();
});

for (const width of [1440, 390]) {
  test(`is accessible and looks well, ${width} wide`, async () => {
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
