// Tabs: opening, switching, closing and reopening them, by pointer and by keyboard; what each keeps; reloading; small windows.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessible, editor, ready, saved, settled, until, withViewer } from './workspace.mjs';

const own = withViewer();
const bar = (page) => page.locator('#ubp_tabs');
const tabs = (page) => bar(page).getByRole('tab');
const tab = (page, title) => bar(page).getByRole('tab', { name: title });
const row = (page, title) => page.locator('#ubp_side .viewport').getByRole('link', { name: title }).first();
const title = (page) => page.locator('#ubp_head .title');

/** The titles of the tabs, the current one in brackets. */
const named = (page) =>
  tabs(page).evaluateAll((all) => all.map((tab) => (tab.ariaSelected === 'true' ? `[${tab.querySelector('.title').textContent}]` : tab.querySelector('.title').textContent)).join(' '));

async function shows(page, expected) {
  await until(async () => (await named(page)) === expected, async () => `tabs are ${await named(page)}, not ${expected}`);
}

async function opened(path = 'Home.html', options = {}) {
  const found = await own.open(path, { settings: { opening: 'read' }, ...options });
  await found.page.locator('#ubp_bar').getByRole('button', { name: 'Graph', disabled: false }).waitFor();
  return found;
}

/** Finds a page by its title, and presses a key. Nothing scrolls meanwhile. */
async function search(page, title, key) {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(title);
  await page.getByRole('option', { name: title }).first().waitFor();
  await page.keyboard.press(key);
}

describe('tabs', () => {
  test('open by Alt+click, a middle click, a menu, the search and a command; one tab has no bar', async () => {
    const { page, done } = await opened();
    assert.equal(await bar(page).evaluate((bar) => bar.getBoundingClientRect().height), 0);
    await row(page, 'Formatting').click();
    await page.locator('.page h1', { hasText: 'Formatting' }).waitFor();
    assert.equal(await tabs(page).count(), 0, 'a plain click goes on in the current tab');

    await row(page, 'Reading').click({ modifiers: ['Alt'] });
    await shows(page, 'Formatting [Reading]');
    await page.locator('.page h1', { hasText: 'Reading' }).waitFor();
    await row(page, 'Home').click({ button: 'middle' });
    await shows(page, 'Formatting [Reading] Home');
    assert.match(page.url(), /Reading/, 'a middle click leaves the page');
    assert.equal(page.context().pages().length, 1, 'and opens no tab of the browser');

    await row(page, 'Alone').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open in new tab' }).click();
    await shows(page, 'Formatting Reading [Alone] Home');

    await search(page, 'Sign in', 'Alt+Enter');
    await shows(page, 'Formatting Reading Alone [Sign in] Home');

    await page.keyboard.press('Alt+Shift+n');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    await page.keyboard.press('Escape');
    await shows(page, 'Formatting Reading Alone Sign in [Home] Home');
    await accessible(page, 'tabs');
    await done();
  });

  test('links that the browser opens stay with the browser', async () => {
    const { page, done } = await opened();
    const [other] = await Promise.all([page.context().waitForEvent('page'), row(page, 'Reading').click({ modifiers: ['Control'] })]);
    await other.close();
    assert.equal(await tabs(page).count(), 0);
    await done();
  });

  test('keep where one was, how the page is shown, and the cursor', async () => {
    const { page, done } = await opened('Guides/Reading.html');
    await page.evaluate(() => scrollTo(0, 400));
    await settled(page);
    // The bar of tabs, which comes, moves the page in the document but not in the window.
    const place = () => page.evaluate(() => Math.round(document.querySelectorAll('#ubp_content :is(h2, h3)')[2].getBoundingClientRect().top));
    const before = await place();
    assert.ok((await page.evaluate(() => scrollY)) > 100, 'the page is long enough to scroll');
    await search(page, 'Formatting', 'Alt+Enter');
    await shows(page, 'Reading [Formatting]');
    await page.keyboard.press('Control+e');
    await editor(page).waitFor();
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('End.');
    await page.keyboard.press('Alt+PageUp');
    await shows(page, '[Reading] Formatting');
    await until(async () => Math.abs((await place()) - before) < 3, async () => `the page is at ${await place()}, not ${before}`);
    await until(() => own.read('Guides/Formatting.md').trimEnd().endsWith('End.'), 'leaving a tab saves');
    await page.keyboard.press('Alt+PageDown');
    await shows(page, 'Reading [Formatting]');
    await page.locator('.cm-content:focus').waitFor();
    await page.keyboard.type(' More.');
    await until(() => own.read('Guides/Formatting.md').trimEnd().endsWith('End. More.'), 'the cursor is where it was');
    await page.keyboard.press('Control+z');
    await saved(page);
    await done();
  });

  test('close, reopen, and go back to their places by keyboard', async () => {
    const { page, done } = await opened();
    await row(page, 'Reading').click({ modifiers: ['Alt'] });
    await row(page, 'Formatting').click({ modifiers: ['Alt'] });
    await shows(page, 'Home Reading [Formatting]');
    await page.goBack();
    await shows(page, 'Home [Reading] Formatting');
    await page.goBack();
    await shows(page, '[Home] Reading Formatting');
    await page.goForward();
    await shows(page, 'Home [Reading] Formatting');

    await tab(page, 'Reading').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await shows(page, '[Home] Reading Formatting');
    await tab(page, 'Home').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Delete');
    await shows(page, '[Home] Reading');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'tab', 'the focus stays in the bar');
    await page.keyboard.press('Alt+w');
    await until(async () => (await tabs(page).count()) === 0, 'one tab has no bar');
    await page.locator('.page h1', { hasText: 'Reading' }).waitFor();
    await page.keyboard.press('Alt+Shift+W');
    await shows(page, '[Home] Reading');
    await page.keyboard.press('Alt+Shift+W');
    await shows(page, 'Home Reading [Formatting]');
    await done();
  });

  test('close by their button and a middle click, and move by dragging and by menu', async () => {
    const { page, done } = await opened();
    await row(page, 'Reading').click({ button: 'middle' });
    await row(page, 'Formatting').click({ button: 'middle' });
    await shows(page, '[Home] Formatting Reading');
    await tab(page, 'Reading').dragTo(tab(page, 'Home'), { targetPosition: { x: 5, y: 10 } });
    await shows(page, 'Reading [Home] Formatting');
    await tab(page, 'Reading').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Move to the right' }).click();
    await shows(page, '[Home] Reading Formatting');
    await tab(page, 'Reading').click({ button: 'middle' });
    await shows(page, '[Home] Formatting');
    await bar(page).locator('.tab.current .close').click();
    await until(async () => (await tabs(page).count()) === 0, 'one tab is left');
    await page.locator('.page h1', { hasText: 'Formatting' }).waitFor();
    await done();
  });

  test('are there after a reload, with the graph in one of them', async () => {
    const { page, done } = await opened();
    await row(page, 'Reading').click({ modifiers: ['Alt'] });
    await row(page, 'Formatting').click({ button: 'middle' });
    await shows(page, 'Home [Reading] Formatting');
    await page.keyboard.press('Alt+p');
    await shows(page, 'Home [Problems] Formatting');
    await page.reload();
    await ready(page);
    await shows(page, 'Home [Problems] Formatting');
    await tab(page, 'Formatting').click();
    await shows(page, 'Home Problems [Formatting]');
    // The address that the viewer printed opens the tabs of the last window.
    const next = await page.context().newPage();
    await next.goto(own.root);
    await ready(next);
    await shows(next, 'Home Problems [Formatting]');
    await next.locator('.page h1', { hasText: 'Formatting' }).waitFor();
    // An address of a page opens that page only.
    const other = await page.context().newPage();
    await other.goto(`${own.root}Guides/Reading.html`);
    await ready(other);
    assert.equal(await tabs(other).count(), 0);
    await done();
  });

  test('follow renamed and deleted pages, and close when their page is gone', async () => {
    own.write('Zebra.md', '# Zebra\n');
    own.write('Yak.md', '# Yak\n');
    own.write('Xerus.md', '# Xerus\n');
    const { page, done } = await opened('Home.html', { expectErrors: true });
    for (const name of ['Xerus', 'Yak', 'Zebra']) {
      await row(page, name).waitFor();
      await row(page, name).click({ button: 'middle' });
    }
    await shows(page, '[Home] Zebra Yak Xerus');
    await row(page, 'Zebra').focus();
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog', { name: 'Rename or move' });
    await dialog.getByLabel('Title').fill('Gnu');
    await page.keyboard.press('Enter');
    await shows(page, '[Home] Gnu Yak Xerus');
    await tab(page, 'Gnu').click();
    await title(page).filter({ hasText: 'Gnu' }).waitFor();
    await row(page, 'Gnu').focus();
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete page' }).click();
    await shows(page, 'Home [Yak] Xerus');
    await own.call('delete_page', { page: 'Xerus.md', confirm: true });
    await until(async () => (await row(page, 'Xerus').count()) === 0, 'the list knows that the page is gone');
    await tab(page, 'Xerus').click();
    await shows(page, 'Home [Yak]');
    await page.locator('#ubp_toasts').getByText('Xerus.md was moved or deleted').waitFor();
    await done();
  });

  test('mark pages that are not saved', async () => {
    const { page, done } = await opened('Guides/Formatting.html', { settings: { opening: 'edit' }, expectErrors: true });
    await row(page, 'Home').click({ button: 'middle' });
    await shows(page, '[Formatting] Home');
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await own.stop();
    await page.keyboard.type('Offline.');
    await tab(page, /Formatting.*not saved yet/).waitFor();
    assert.ok(await bar(page).locator('.tab.current .dot').isVisible());
    await own.start();
    await until(() => own.read('Guides/Formatting.md').includes('Offline.'), 'the text is saved');
    await until(async () => (await tab(page, /not saved yet/).count()) === 0, 'the mark goes');
    await page.keyboard.press('Control+z');
    await saved(page);
    await done();
  });

  test('are behind a button in a small window', async () => {
    const { page, done } = await opened('Home.html', { context: { viewport: { width: 390, height: 844 } } });
    const button = page.getByRole('button', { name: /^Tabs: / });
    assert.equal(await button.count(), 0);
    await page.keyboard.press('Alt+Shift+n');
    await page.getByRole('combobox').fill('Reading');
    await page.getByRole('option', { name: /Reading/ }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.page h1', { hasText: 'Reading' }).waitFor();
    await button.click();
    assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Home', 'Reading', 'New tab', 'Close tab']);
    await accessible(page, 'the tabs of a small window');
    await page.getByRole('menuitem', { name: 'Home' }).click();
    await page.locator('.page h1', { hasText: 'Home' }).waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await done();
  });
});
