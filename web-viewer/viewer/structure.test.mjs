// The structure of a project by hand: menus of rows, renaming, moving by menu and by dragging, and the path above a page.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
    assert.deepEqual(await menu(page).getByRole('menuitem').allTextContents(), ['New page here…', 'Rename…', 'Move to…', 'Copy path', 'Delete…']);
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
    const moved = side(page).locator('.row:has([data-page="Code/Alone.md"])');
    await moved.waitFor();
    await settled(page);
    await moved.dragTo(folder(page, 'Code'));
    // The empty part of the list is the top folder.
    const box = await side(page).boundingBox();
    await moved.dragTo(side(page), { targetPosition: { x: box.width / 2, y: box.height - 8 } });
    await toast(page, 'Moved “Alone” to the top folder').waitFor();
    assert.ok(existsSync(own.page('Alone.md')));
    assert.equal(await page.locator('[data-drop]').count(), 0);
    await done();
  });

  test('drags nothing if the list changed below the pressed button', async () => {
    const { page, done } = await inFolders('Home.html');
    await row(page, 'Alone').hover();
    await page.mouse.down();
    own.write('AAA.md', '# AAA\n');
    await row(page, 'AAA').waitFor();
    await settled(page);
    const { x, y } = await folder(page, 'Code').boundingBox();
    await page.mouse.move(x + 20, y + 20, { steps: 4 });
    await page.mouse.move(x + 20, y + 10);
    await page.mouse.up();
    await settled(page);
    assert.equal(await page.locator('[data-drop]').count(), 0);
    assert.ok(existsSync(own.page('Alone.md')) && existsSync(own.page('AAA.md')));
    assert.ok(page.url().endsWith('Home.html'), 'nor is a page opened');
    await done();
  });

  test('a folder moves with everything in it, keeps where links and pictures lead, and is undone at once', async () => {
    own.write('Area/One.md', '# One\n\nTo [two](./Two.md#part), [[Deep/Three]], [home](../Home.md) and a ![square](../square.svg).\n');
    own.write('Area/Two.md', '# Two\n\n## Part\n\nBack to [[Area/One]].\n');
    own.write('Area/Deep/Three.md', '# Three\n\n[one](../One.md) ![local](local.svg)\n');
    own.write('Area/Deep/local.svg', own.read('square.svg'));
    own.write('Area/.hidden', 'not listed');
    own.write('Points.md', '# Points\n\n[[Area/Two#Part]] and [three](Area/Deep/Three.md).\n');
    const names = ['Area/One.md', 'Area/Two.md', 'Area/Deep/Three.md', 'Points.md'];
    const before = names.map((name) => own.read(name));
    const leads = async (paths) => (await Promise.all(paths.map((filepath) => own.call('get_page', { filepath })))).flatMap(({ outlinks }) => outlinks.map(({ filepath, source_path }) => (filepath ?? source_path ?? 'broken').replace(/^.*\//, ''))).sort();
    const { page, done } = await inFolders('Home.html', { expectErrors: true });
    await folder(page, 'Area').waitFor();
    const led = await leads(names);
    assert.ok(!led.includes('broken') && led.length >= 6, led.join(' '));
    // The open page is among them, and being edited.
    await page.goto(`${own.root}Area/One.html`);
    await ready(page);
    await folder(page, 'Area').focus();
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog', { name: 'Rename or move folder' });
    await dialog.getByLabel('Name').fill('Region');
    await dialog.getByText('3 pages move to Region').waitFor();
    await accessible(page, 'renaming a folder');
    await page.keyboard.press('Enter');
    await toast(page, 'Moved the folder Area to Region: 3 pages.').waitFor();
    const after = names.map((name) => name.replace('Area/', 'Region/'));
    assert.deepEqual(await leads(after), led, 'links lead to the same pages and files');
    await until(() => page.url().endsWith('/Region/One.html'), 'the address follows');
    assert.ok(own.read('Region/.hidden') === 'not listed' && existsSync(own.page('Region/Deep/local.svg')) && !existsSync(own.page('Area')), 'everything moved');
    assert.equal(await page.locator('.gone').count(), 0, 'the open page was not reported as deleted');
    await folder(page, 'Region').dragTo(folder(page, 'Guides'));
    await toast(page, 'Moved the folder Region to Guides/Region: 3 pages.').waitFor();
    assert.deepEqual(await leads(names.map((name) => name.replace('Area/', 'Guides/Region/'))), led);
    await undo(page);
    await until(() => existsSync(own.page('Region/One.md')), 'the last move is undone');
    await page.keyboard.press('Alt+u');
    await page.locator('#ubp_toasts').getByRole('button', { name: 'Undo' }).last().click();
    await until(() => existsSync(own.page('Area/Deep/Three.md')), 'the first one, too');
    await until(() => names.every((name, at) => existsSync(own.page(name)) && own.read(name) === before[at]), 'every byte is as before');
    // Files that are not listed move after the pages.
    await until(() => existsSync(own.page('Area/.hidden')) && !existsSync(own.page('Region')), 'also what is not listed');
    await done();
  });

  test('a page that moves is never shown as deleted, even if its list and its file follow before the answer', async () => {
    own.write('Soon.md', '# Soon\n\nText.\n');
    const { page, done } = await own.open('Soon.html', { settings: { opening: 'edit' }, expectErrors: true });
    await ready(page);
    const content = page.locator('#ubp_desk .cm-content');
    await content.waitFor();
    await page.evaluate(() => {
      window.toldGone = false;
      new MutationObserver(() => (window.toldGone ||= document.querySelector('.gone') !== null)).observe(document.body, { childList: true, subtree: true });
    });
    let release;
    const isHeld = new Promise((resolve) => {
      void page.route('**/api/rename_page', async (route) => {
        if (route.request().postDataJSON().dry_run) return route.continue();
        const response = await route.fetch();
        await new Promise((go) => {
          release = go;
          resolve();
        });
        await route.fulfill({ response });
      });
    });
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('Later');
    await page.keyboard.press('Enter');
    await isHeld;
    await row(page, 'Later').waitFor();
    await row(page, 'Soon').waitFor({ state: 'detached' });
    // A request of the editor for the file at its old path fails.
    const missed = page.waitForResponse((response) => response.url().endsWith('/api/read_page') && response.request().postDataJSON().page === 'Soon.md');
    own.write('Soon.md', '# Soon\n\nOther.\n');
    await row(page, 'Soon').waitFor();
    rmSync(own.page('Soon.md'));
    await missed;
    await row(page, 'Soon').waitFor({ state: 'detached' });
    release();
    await until(() => page.url().endsWith('/Later.html'), 'the address follows');
    await settled(page);
    await content.locator('.cm-line', { hasText: 'Text.' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' More.');
    await until(() => own.read('Later.md').endsWith('Text. More.\n'), () => own.read('Later.md'));
    assert.ok(!existsSync(own.page('Soon.md')));
    assert.equal(await page.evaluate(() => window.toldGone), false);
    await done();
  });

  test('a folder whose page cannot be moved stays as it is', async () => {
    own.write('Left/A.md', '# A\n');
    own.write('Left/B.md', '# B\n');
    own.write('Right/B.md', '# Other\n');
    const { page, done } = await inFolders('Home.html', { expectErrors: true });
    await folder(page, 'Left').click({ button: 'right' });
    await item(page, 'Rename…').click();
    const dialog = page.getByRole('dialog', { name: 'Rename or move folder' });
    await dialog.getByLabel('Name').fill('Right');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').filter({ hasText: 'B.md' }).waitFor();
    assert.ok(existsSync(own.page('Left/A.md')) && existsSync(own.page('Left/B.md')) && !existsSync(own.page('Right/A.md')));
    assert.equal(own.read('Right/B.md'), '# Other\n');
    // Nor into itself.
    await dialog.getByLabel('Name').fill('Left');
    await dialog.getByLabel('Folder').fill('Left/Inner');
    await dialog.getByText('A folder cannot be moved into itself.').waitFor();
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

describe('the editor of the user', () => {
  /** Records addresses instead of opening them: no editor is installed here. */
  const recorded = (page) =>
    page.addInitScript(() => {
      globalThis.opened = [];
      HTMLAnchorElement.prototype.click = function () {
        globalThis.opened.push(this.href);
      };
    });
  const opened = (page) => page.evaluate(() => globalThis.opened.at(-1));

  test('opens a page from its menu, from the list and from the palette, at the line of the cursor', async () => {
    const { page, done } = await own.open();
    await recorded(page);
    await page.goto(`${own.root}Guides/Reading.html`);
    await ready(page);
    const address = (path, line) => new RegExp(`^vscode://file/.*/pages/${path}:${line}$`);
    await page.getByRole('button', { name: 'Page actions' }).click();
    await item(page, 'Open in editor').click();
    await until(async () => address('Guides/Reading.md', 1).test(await opened(page)), 'the page is opened');
    await page.locator('#ubp_desk .cm-content').click();
    await page.keyboard.press('Control+Home');
    for (let line = 1; line < 3; line++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('>open page in');
    await page.keyboard.press('Enter');
    await until(async () => /Reading\.md:([2-9]|\d\d)$/.test(await opened(page)), 'it is opened at the line of the cursor');
    await page.getByRole('button', { name: 'Folders', exact: true }).click();
    await row(page, 'Link types').click({ button: 'right' });
    await item(page, 'Open in editor').click();
    await until(async () => address('Guides/Link%20types.md', 1).test(await opened(page)), 'another page is opened at its first line');
    await done();
  });

  test('is chosen in the settings, and a wrong address is refused', async () => {
    const { page, done } = await own.open();
    await recorded(page);
    await page.goto(`${own.root}Guides/Reading.html`);
    await ready(page);
    await page.getByRole('button', { name: 'Settings' }).click();
    const dialog = page.getByRole('dialog', { name: 'Settings' });
    await dialog.getByRole('combobox', { name: 'Editor' }).selectOption('JetBrains IDEs');
    const field = dialog.getByRole('textbox', { name: 'Address' });
    assert.equal(await field.inputValue(), 'idea://open?file={path}&line={line}');
    await field.fill('javascript:alert("{path}")');
    await dialog.getByText('Not valid').waitFor();
    await accessible(page, 'a wrong address of an editor');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Page actions' }).click();
    await item(page, 'Open in editor').click();
    await toast(page, 'The address of your editor is not valid').waitFor();
    assert.equal(await opened(page), undefined);
    await page.getByRole('button', { name: 'Settings' }).click();
    await field.fill('my-editor://{path}#{line}');
    await page.keyboard.press('Escape');
    await page.reload();
    await ready(page);
    await page.getByRole('button', { name: 'Page actions' }).click();
    await item(page, 'Open in editor').click();
    await until(async () => /^my-editor:\/\/\/?.*Reading\.md#1$/.test(await opened(page)), 'the chosen editor is used');
    await done();
  });
});

describe('deleting a folder', () => {
  test('moves its pages to the trash, says who links to them, and is undone at once', async () => {
    own.write('Old/One.md', '# One\n\nTo [[Old/Two]].\n');
    own.write('Old/Two.md', '# Two\n\nBack to [[Old/One]].\n');
    own.write('Old/Deep/Three.md', '# Three\n');
    own.write('Old/kept.svg', own.read('square.svg'));
    own.write('Links.md', '# Links\n\nSee [[Old/Two]].\n');
    const names = ['Old/One.md', 'Old/Two.md', 'Old/Deep/Three.md', 'Links.md'];
    const before = names.map((name) => own.read(name));
    const { page, done } = await inFolders('Home.html', { expectErrors: true });
    await folder(page, 'Old').waitFor();
    await page.goto(`${own.root}Old/One.html`);
    await ready(page);
    await folder(page, 'Old').click({ button: 'right' });
    await item(page, 'Delete…').click();
    const dialog = page.getByRole('dialog', { name: 'Delete “Old”?' });
    await dialog.getByText('3 pages will be moved to the trash').waitFor();
    await dialog.getByText('1 page outside of the folder links to them.').waitFor();
    await accessible(page, 'deleting a folder');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(names.map((name) => own.read(name)), before, 'nothing was deleted');

    await folder(page, 'Old').focus();
    await page.keyboard.press('Delete');
    await dialog.getByText('1 page outside').waitFor();
    await dialog.getByRole('button', { name: 'Delete 3 pages' }).click();
    await toast(page, 'Deleted the folder Old: 3 pages.').waitFor();
    assert.deepEqual(names.filter((name) => existsSync(own.page(name))), ['Links.md']);
    assert.equal(own.read('Links.md'), '# Links\n\nSee Old/Two.\n', 'the link is plain text');
    assert.ok(existsSync(own.page('Old/kept.svg')), 'other files stay');
    await until(() => !page.url().includes('/Old/'), 'another page is shown');
    await folder(page, 'Old').waitFor({ state: 'detached' });

    await undo(page);
    assert.deepEqual(names.map((name) => own.read(name)), before, 'every byte is as before');
    await until(() => page.url().endsWith('/Old/One.html'), 'the page is shown again');
    await folder(page, 'Old').waitFor();
    await done();
  });
});

describe('the desktop of the user', { skip: process.platform !== 'linux' && 'programs of the desktop are found by PATH on Linux alone' }, () => {
  /** A program in the project that appends its arguments to a file. */
  const program = (project, name) => {
    mkdirSync(join(project, '.bin'), { recursive: true });
    writeFileSync(join(project, '.bin', name), '#!/bin/sh\nprintf "%s\\n" "$*" >> "$(dirname "$0")/calls"\n', { mode: 0o755 });
    return join(project, '.bin', name);
  };
  const desktop = withViewer({
    environment: (project) => {
      program(project, 'xdg-open');
      return { DISPLAY: ':0', PATH: `${join(project, '.bin')}:${process.env.PATH}`, VISUAL: `${program(project, 'code')} --wait` };
    },
  });
  const calls = () => {
    const file = join(desktop.project, '.bin/calls');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };

  test('opens pages in the editor that the environment names, and shows pages and folders in the file manager', async () => {
    const { page, done } = await desktop.open('Guides/Reading.html');
    await ready(page);
    await page.getByRole('button', { name: 'Page actions' }).click();
    await item(page, 'Open in editor').click();
    await until(() => calls().length === 1, 'the editor was started');
    assert.match(calls()[0], /^--wait --goto \/.*\/pages\/Guides\/Reading\.md:1$/);
    await page.getByRole('button', { name: 'Page actions' }).click();
    await item(page, 'Show in file manager').click();
    await until(() => calls().length === 2, 'the file manager was started');
    assert.match(calls()[1], /^\/.*\/pages\/Guides$/);
    await page.getByRole('button', { name: 'Folders', exact: true }).click();
    await folder(page, 'Code').click({ button: 'right' });
    await item(page, 'Show in file manager').click();
    await until(() => calls().length === 3, 'it shows a folder');
    assert.match(calls()[2], /^\/.*\/pages\/Code$/);
    await page.getByRole('button', { name: 'Settings' }).click();
    const dialog = page.getByRole('dialog', { name: 'Settings' });
    const chosen = dialog.getByRole('combobox', { name: 'Editor' });
    assert.equal(await chosen.evaluate(({ selectedOptions }) => selectedOptions[0].textContent), 'code (your EDITOR)');
    await accessible(page, 'the own editor in the settings');
    await chosen.selectOption('Zed');
    assert.equal(await dialog.getByRole('textbox', { name: 'Address' }).inputValue(), 'zed://file/{path}:{line}');
    await done();
  });
});

describe('a second page', () => {
  const beside = (page) => page.locator('#ubp_second');
  const heading = (page, name) => beside(page).getByRole('heading', { level: 1, name });

  test('opens beside the first one, follows changes, and keeps its own scroll position', async () => {
    const { page, done } = await inFolders('Guides/Reading.html');
    await row(page, 'Formatting').click({ button: 'right' });
    await item(page, 'Open beside').click();
    await heading(page, 'Formatting').waitFor();
    assert.ok(page.url().endsWith('/Guides/Reading.html'), 'the address is that of the first page');
    const body = beside(page).getByRole('region', { name: 'Beside: Formatting' });
    await body.evaluate((element) => element.scrollTo({ top: 200, behavior: 'instant' }));
    own.write('Guides/Formatting.md', `${own.read('Guides/Formatting.md')}\nA line from elsewhere.\n`);
    await beside(page).getByText('A line from elsewhere.').waitFor();
    assert.equal(await body.evaluate((element) => element.scrollTop), 200);
    // Another first page leaves it where it is.
    await row(page, 'Link types').click();
    await until(() => page.url().endsWith('Link%20types.html'), 'the first page changes');
    await heading(page, 'Formatting').waitFor();
    const repeated = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(({ id }) => id).filter((id, at, all) => all.indexOf(id) !== at));
    assert.deepEqual(repeated, [], 'no id is used twice');
    await done();
  });

  test('opens links in itself, goes back, swaps with the first page, and closes', async () => {
    const { page, done } = await own.open('Guides/Reading.html', { settings: { opening: 'read' } });
    await ready(page);
    await page.keyboard.press('Control+\\');
    await heading(page, 'Reading').waitFor();
    const link = beside(page).locator('a.link[data-page]:not([data-page="Guides/Reading.md"])').first();
    const target = await link.getAttribute('data-page');
    await link.click();
    await until(async () => (await beside(page).locator('article').getAttribute('data-page')) === target, 'the link opens beside');
    assert.ok(page.url().endsWith('/Guides/Reading.html'));
    await beside(page).getByRole('button', { name: 'Swap the two pages' }).click();
    await heading(page, 'Reading').waitFor();
    await until(async () => (await page.locator('#ubp_content article').getAttribute('data-page')) === target, 'the pages are swapped');
    await beside(page).getByRole('button', { name: 'Previous page beside' }).click();
    await until(async () => (await beside(page).locator('article').getAttribute('data-page')) === target, 'back works beside');
    // It is still there after a reload.
    await page.reload();
    await beside(page).locator('article').waitFor();
    await beside(page).getByRole('button', { name: 'Close the page beside' }).click();
    await beside(page).waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate(() => document.querySelector('#ubp_content').contains(document.activeElement)), true, 'the first page has the focus');
    await page.keyboard.press('Control+\\');
    await beside(page).waitFor();
    await page.keyboard.press('Control+\\');
    await beside(page).waitFor({ state: 'hidden' });
    await done();
  });

  test('opens with Ctrl+Alt+click on a link while the first page is edited, and shows what is typed', async () => {
    const { page, done } = await own.open('Guides/Reading.html');
    await ready(page);
    await row(page, 'Reading').click({ modifiers: ['Control', 'Alt'] });
    await heading(page, 'Reading').waitFor();
    await page.locator('#ubp_desk .cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n\nTyped on the left.\n');
    await beside(page).getByText('Typed on the left.').waitFor();
    await done();
  });

  test('follows a rename, and says so if its page is deleted', async () => {
    own.write('Brief.md', '# Brief\n\nText.\n');
    const { page, done } = await inFolders('Home.html', { expectErrors: true });
    await row(page, 'Brief').click({ modifiers: ['Control', 'Alt'] });
    await heading(page, 'Brief').waitFor();
    await row(page, 'Brief').dragTo(folder(page, 'Guides'));
    await until(async () => (await beside(page).locator('> header').textContent())?.trim() === 'Brief Guides/Brief.md', 'the header has the new path');
    await heading(page, 'Brief').waitFor();
    await own.call('delete_page', { page: 'Guides/Brief.md', confirm: true });
    await beside(page).getByText('This page is not in the project any more.').waitFor();
    await done();
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`is accessible in the ${colorScheme} theme`, async () => {
      const { page, done } = await own.open('Guides/Reading.html', { context: { colorScheme } });
      await ready(page);
      await row(page, 'Formatting').click({ modifiers: ['Control', 'Alt'] });
      await heading(page, 'Formatting').waitFor();
      await settled(page);
      await accessible(page, 'a second page');
      await done();
    });
  }

  test('is not offered in a narrow window', async () => {
    const { page, done } = await own.open('Guides/Reading.html', { context: { viewport: { width: 980, height: 800 } } });
    await ready(page);
    await page.getByRole('button', { name: 'Page actions' }).click();
    await item(page, 'Copy path').waitFor();
    assert.equal(await item(page, 'Open beside').count(), 0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+\\');
    await row(page, 'Formatting').waitFor();
    assert.equal(await beside(page).isVisible(), false);
    // An open one is hidden while there is no room.
    await page.setViewportSize({ width: 1440, height: 900 });
    await settled(page);
    await page.keyboard.press('Control+\\');
    await beside(page).waitFor();
    await page.setViewportSize({ width: 980, height: 800 });
    await beside(page).waitFor({ state: 'hidden' });
    await done();
  });
});
