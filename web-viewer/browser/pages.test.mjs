// The page list: order, filters, keyboard, freshness; and the drawers of narrow screens.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ready, until, withBrowser } from './support.mjs';

const own = withBrowser();
const titles = (page) => page.locator('#ubp_side li .title').allTextContents();

describe('the page list', () => {
  test('is sorted by title, last change or links', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    assert.match((await titles(page))[1], /^Alone|^A title/);
    await page.getByRole('button', { name: /^Sort/ }).click();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('links');
    await until(async () => (await titles(page))[0] === 'Home', 'Home has most links');
    assert.match(await page.locator('#ubp_side li .about').first().textContent(), /^\d+ links/);
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('updated');
    await until(async () => /\d{4}/.test(await page.locator('#ubp_side li .about').first().textContent()), 'dates are shown');
    await done();
  });

  test('is filtered while typing, in any script', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    const filter = page.getByLabel('Filter pages');
    await filter.fill('ﾃﾞｰﾀ');
    await until(async () => (await titles(page)).join() === 'データベース', 'half-width kana find the page');
    await filter.fill('guides types');
    await until(async () => (await titles(page)).join() === 'Link types', 'folder and title are searched');
    await filter.fill('zzzz');
    await page.getByText('No matching pages.').waitFor();
    await page.getByRole('button', { name: /^Show all/ }).click();
    await ready(page);
    await done();
  });

  test('is filtered by type, tag and freshness', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.getByRole('button', { name: /^Sort/ }).click();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('guide');
    await until(async () => (await titles(page)).sort().join() === 'Formatting,Link types,Reading', 'three guides');
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('reading');
    await until(async () => (await titles(page)).join() === 'Reading', 'one about reading');
    await page.getByRole('combobox', { name: 'Type' }).selectOption('');
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('');
    await page.getByRole('combobox', { name: 'Freshness' }).selectOption('stale');
    await until(async () => (await titles(page)).join() === 'Sign in', 'one is stale');
    assert.match(await page.locator('#ubp_side li .freshness').textContent(), /Out of date/);
    await done();
  });

  test('is shown by folder or by tag', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.getByRole('button', { name: 'Folders' }).click();
    await page.locator('#ubp_side .group', { hasText: 'Guides' }).click();
    await page.locator('#ubp_side').getByRole('link', { name: 'Link types' }).click();
    await page.getByRole('heading', { level: 1, name: 'Link types' }).waitFor();
    await page.getByRole('button', { name: 'Tags', exact: true }).click();
    await page.locator('#ubp_side .group', { hasText: '#reading' }).click();
    await page.locator('#ubp_side').getByRole('link', { name: 'Reading', exact: true }).waitFor();
    assert.ok(!(await titles(page)).includes('Home'), 'other tags are collapsed');
    await done();
  });

  test('works with the keyboard only', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.getByLabel('Filter pages').focus();
    await page.keyboard.type('guides');
    await until(async () => (await titles(page)).length === 4, 'four in that folder');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    assert.equal(await page.evaluate(() => document.activeElement.querySelector('.title').textContent), 'Reading');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Link types' }).waitFor();
    assert.equal(await page.locator('#ubp_side [aria-current=page] .title').textContent(), 'Link types');
    await done();
  });

  test('Enter opens the first match, but not while an input method composes', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.getByLabel('Filter pages').focus();
    const session = await page.context().newCDPSession(page);
    await session.send('Input.imeSetComposition', { text: '検索', selectionStart: 2, selectionEnd: 2 });
    await until(async () => (await titles(page)).join() === '検索エンジン', 'the composition already filters');
    await page.evaluate(() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })));
    assert.equal(await page.locator('main h1').textContent(), 'Home');
    await session.send('Input.insertText', { text: '検索' });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: '検索エンジン' }).waitFor();
    await done();
  });

  test('can be closed, and stays closed on the next page', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.keyboard.press('[');
    assert.equal(await page.locator('#ubp_side').isVisible(), false);
    await page.goto(`${own.root}Alone.html`);
    assert.equal(await page.locator('html').getAttribute('data-side'), 'closed');
    await page.getByRole('button', { name: 'Page list' }).click();
    await ready(page);
    await done();
  });
});

describe('a narrow screen', () => {
  const narrow = { context: { viewport: { width: 390, height: 800 }, hasTouch: true } };

  test('has the list in a drawer, which closes when a page is opened', async () => {
    const { page, done } = await own.open('Home.html', narrow);
    await page.getByRole('button', { name: 'Page list' }).click();
    const drawer = page.getByRole('dialog', { name: 'Pages' });
    await drawer.getByRole('link', { name: 'Alone' }).click();
    await page.getByRole('heading', { level: 1, name: 'Alone' }).waitFor();
    await drawer.waitFor({ state: 'detached' });
    await done();
  });

  test('has outline and backlinks in a drawer, which Escape closes', async () => {
    const { page, done } = await own.open('Guides/Reading.html', narrow);
    const about = page.getByRole('button', { name: 'About this page' });
    await about.click();
    const drawer = page.getByRole('dialog', { name: 'About this page' });
    await drawer.getByRole('heading', { name: 'Backlinks' }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    assert.ok(await about.evaluate((button) => button === document.activeElement), 'the focus is back');
    await about.click();
    await drawer.getByRole('link', { name: 'Part 7' }).click();
    await drawer.waitFor({ state: 'detached' });
    await until(() => page.getByRole('heading', { name: 'Part 7' }).evaluate((heading) => Math.abs(heading.getBoundingClientRect().top) < 200), 'the heading is reached');
    await done();
  });
});

test('a site offers nothing that would change pages', async () => {
  const { page, done } = await own.open('Guides/Reading.html');
  await ready(page);
  await page.getByRole('button', { name: 'Folders', exact: true }).click();
  const row = page.locator('#ubp_side').getByRole('link', { name: 'Formatting' });
  await row.click({ button: 'right' });
  await row.focus();
  for (const key of ['Shift+F10', 'F2', 'Delete', 'Alt+n']) await page.keyboard.press(key);
  await row.hover();
  assert.equal(await page.locator('[role=menu], dialog').count(), 0);
  assert.equal(await page.getByRole('button', { name: /New page|^Actions/ }).count(), 0);
  assert.equal(await page.locator('[draggable=true]').count(), 0);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /Search/ }).fill('No page has this name');
  await page.locator('[aria-live]', { hasText: /results/ }).first().waitFor({ state: 'attached' });
  assert.equal(await page.getByRole('option', { name: /Create page/ }).count(), 0);
  await done();
});
