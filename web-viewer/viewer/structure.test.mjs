// The structure of a project by hand: menus of rows, renaming, moving by menu and by dragging, and the path above a page.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { accessible, ready, settled, until, withViewer } from './workspace.mjs';

const own = withViewer();
const side = (page) => page.locator('#ubp_side .viewport');
const row = (page, title) => side(page).getByRole('link', { name: title }).first();
const folder = (page, name) => side(page).getByRole('button', { name: new RegExp(`^${name} \\d`) });
const menu = (page) => page.getByRole('menu');
const item = (page, name) => menu(page).getByRole('menuitem', { name });
const toast = (page, text) => page.locator('#ubp_toasts').getByText(text);

/** Opens a page with the folders view in the sidebar. */
async function inFolders(path = 'Guides/Reading.html', options = {}) {
  const opened = await own.open(path, options);
  await ready(opened.page);
  await opened.page.getByRole('button', { name: 'Folders', exact: true }).click();
  await folder(opened.page, 'Guides').waitFor();
  return opened;
}

async function undo(page) {
  await page.locator('#ubp_toasts').getByRole('button', { name: 'Undo' }).last().click();
  await toast(page, 'Undone.').waitFor();
}

describe('the menu of a row', () => {
  test('offers the actions on a page, by right click, by its button, and by keyboard', async () => {
    const { page, done } = await inFolders();
    const names = ['New page here…', 'Rename…', 'Move to…', 'Open in new tab', 'Copy link', 'Copy path', 'Delete…'];
    const shows = async () => {
      const found = await menu(page).getByRole('menuitem').allTextContents();
      assert.deepEqual(names.filter((name) => !found.includes(name)), []);
    };
    await row(page, 'Formatting').click({ button: 'right' });
    await shows();
    await page.keyboard.press('Escape');
    await menu(page).waitFor({ state: 'detached' });

    await row(page, 'Formatting').hover();
    await page.getByRole('button', { name: 'Actions: Formatting' }).click();
    await shows();
    await accessible(page, 'the menu of a row');
    // A click elsewhere closes it.
    await page.mouse.click(700, 500);
    await menu(page).waitFor({ state: 'detached' });

    await row(page, 'Formatting').focus();
    await page.keyboard.press('Shift+F10');
    await shows();
    assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), 'New page here…');
    // Single-letter shortcuts of the window do not apply in a menu: letters go to items.
    await page.keyboard.press('d');
    assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), 'Delete…');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.page), 'Guides/Formatting.md', 'the row has the focus again');
    await done();
  });

  test('creates a page in the folder of the row', async () => {
    const { page, done } = await inFolders(undefined, { expectErrors: true });
    await folder(page, 'Code').click({ button: 'right' });
    assert.deepEqual(await menu(page).getByRole('menuitem').allTextContents(), ['New page here…', 'Copy path']);
    await item(page, 'New page here…').click();
    const dialog = page.getByRole('dialog', { name: 'New page' });
    assert.equal(await dialog.getByLabel('Folder').inputValue(), 'Code');
    await dialog.getByLabel('Name').fill('Tokens');
    await page.keyboard.press('Enter');
    await until(() => existsSync(own.page('Code/Tokens.md')), 'the page is in the folder');
    await undo(page);
    await until(() => !existsSync(own.page('Code/Tokens.md')), 'the page is removed');
    await done();
  });

  test('acts on the page of the row, not on the open one', async () => {
    const { page, done } = await inFolders('Guides/Reading.html', { context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await row(page, 'Formatting').click({ button: 'right' });
    await item(page, 'Copy path').click();
    await until(async () => (await copied()) === 'Guides/Formatting.md', 'the path is copied');
    await row(page, 'Formatting').click({ button: 'right' });
    await item(page, 'Copy link').click();
    await until(async () => (await copied()) === '[[Guides/Formatting]]', 'the link is copied');
    await row(page, 'Formatting').focus();
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog', { name: 'Rename or move' });
    assert.equal(await dialog.getByLabel('Title').inputValue(), 'Formatting');
    await page.keyboard.press('Escape');
    await row(page, 'Formatting').focus();
    await page.keyboard.press('Delete');
    await page.getByRole('dialog', { name: 'Delete “Formatting”?' }).getByRole('button', { name: 'Delete page' }).click();
    await until(() => !existsSync(own.page('Guides/Formatting.md')), 'the page is deleted');
    assert.ok(page.url().endsWith('Guides/Reading.html'), 'the open page stays');
    await undo(page);
    await until(() => existsSync(own.page('Guides/Formatting.md')), 'the page is restored');
    await done();
  });
});

describe('moving', () => {
  test('by menu and keyboard updates links, and one undo restores every file', async () => {
    const before = [own.read('Home.md'), own.read('Code/Sessions.md')];
    const targets = async () => (await own.call('get_page', { filepath: 'Home.md' })).outlinks.map(({ filepath }) => filepath?.replace(/^.*\//, '')).sort();
    const led = await targets();
    const { page, done } = await inFolders('Code/Sessions.html', { expectErrors: true });
    await row(page, 'Sessions').focus();
    await page.keyboard.press('Shift+F10');
    await page.keyboard.press('m');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Rename or move' });
    const field = dialog.getByLabel('Folder');
    await until(() => field.evaluate((input) => input === document.activeElement), 'the folder has the focus');
    await field.fill('Guides');
    await dialog.getByText('New path:').waitFor();
    await page.keyboard.press('Enter');
    await toast(page, /^Moved “Sessions” to Guides/).waitFor();
    assert.ok(existsSync(own.page('Guides/Sessions.md')) && !existsSync(own.page('Code/Sessions.md')));
    await until(() => page.url().endsWith('/Guides/Sessions.html'), 'the address follows');
    assert.deepEqual(await targets(), led, 'every link leads to the same page');
    await undo(page);
    await until(() => existsSync(own.page('Code/Sessions.md')), 'it is back');
    assert.deepEqual([own.read('Home.md'), own.read('Code/Sessions.md')], before);
    await done();
  });

  test('by dragging a page onto a folder moves it there, and onto its own folder does nothing', async () => {
    const { page, done } = await inFolders('Home.html');
    await row(page, 'Alone').dragTo(folder(page, 'Code'));
    await toast(page, 'Moved “Alone” to Code').waitFor();
    assert.ok(existsSync(own.page('Code/Alone.md')));
    await folder(page, 'Code').click();
    await row(page, 'Alone').dragTo(folder(page, 'Code'));
    // The empty part of the list is the top folder.
    const box = await side(page).boundingBox();
    await row(page, 'Alone').dragTo(side(page), { targetPosition: { x: box.width / 2, y: box.height - 8 } });
    await toast(page, 'Moved “Alone” to the top folder').waitFor();
    assert.ok(existsSync(own.page('Alone.md')));
    assert.equal(await page.locator('[data-drop]').count(), 0);
    await done();
  });

  test('reports a name that is taken, and changes nothing', async () => {
    own.write('Code/Alone.md', '# Another\n');
    const { page, done } = await inFolders('Home.html', { expectErrors: true });
    await row(page, 'Alone').dragTo(folder(page, 'Code'));
    await toast(page, /already/).waitFor();
    assert.equal(own.read('Code/Alone.md'), '# Another\n');
    assert.ok(existsSync(own.page('Alone.md')));
    await done();
  });
});

test('the folders above a page show themselves in the sidebar', async () => {
  const { page, done } = await own.open('Guides/Reading.html');
  await ready(page);
  await page.locator('#ubp_head').getByRole('button', { name: 'Guides' }).click();
  await until(() => page.evaluate(() => document.activeElement.dataset.folder === 'Guides'), 'the folder has the focus');
  assert.equal(await page.getByRole('button', { name: 'Folders', exact: true }).getAttribute('aria-pressed'), 'true');
  // Also if the sidebar is closed and its list is filtered.
  await page.getByRole('textbox', { name: 'Filter pages' }).fill('Home');
  await page.getByRole('button', { name: 'Sidebar' }).click();
  await page.locator('#ubp_head').getByRole('button', { name: 'Guides' }).click();
  await until(() => page.evaluate(() => document.activeElement.dataset.folder === 'Guides'), 'the folder has the focus');
  await done();
});

test('in the drawer of a narrow window, the menu is above the drawer', async () => {
  const { page, done } = await own.open('Guides/Reading.html', { context: { viewport: { width: 390, height: 844 } } });
  await page.getByRole('button', { name: 'Sidebar' }).click();
  const drawer = page.getByRole('dialog', { name: 'Pages' });
  await drawer.locator('.viewport').getByRole('link', { name: 'Formatting' }).click({ button: 'right' });
  await settled(page);
  await accessible(page, 'a menu in the drawer');
  await item(page, 'Rename…').click();
  await page.getByRole('dialog', { name: 'Rename or move' }).waitFor();
  await done();
});
