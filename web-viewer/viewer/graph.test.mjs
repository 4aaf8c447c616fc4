// Wanted pages in the graph: shown and hidden, selected, created.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { accessible, until, withViewer } from './workspace.mjs';

const own = withViewer();
const rows = (page) => page.locator('#ubp_stage li .entry');
const row = (page, name) => rows(page).filter({ hasText: name });

async function opened(path, options = {}) {
  own.write('Plan.md', '# Plan\n\nAfter [[Road map]] and [[Road map#Later|depends_on]] comes [[Launch]]; see ![[missing.png]].\n');
  own.write('Goals.md', '# Goals\n\n[[road map]] and [[Plan]]\n');
  const { page, done } = await own.open(path, { settings: { opening: 'read' }, ...options });
  await page.locator('canvas[data-settled]').waitFor();
  return { page, done };
}

describe('wanted pages in the graph', () => {
  test('are in the list with their links, can be hidden, and stay hidden', async () => {
    const { page, done } = await opened('Plan.html?graph=all');
    await row(page, 'Road map').waitFor();
    assert.match(await row(page, 'Road map').textContent(), /Does not exist yet · 3 links/);
    assert.match(await row(page, 'Launch').textContent(), /Does not exist yet · 1 link$/);
    assert.equal(await row(page, 'missing.png').count(), 0, 'a missing file is no page');
    assert.match(await page.locator('canvas').getAttribute('aria-label'), /\d+ pages, \d+ wanted pages, \d+ links/);
    await accessible(page, 'wanted pages');
    await page.getByRole('checkbox', { name: /Wanted pages/ }).uncheck();
    await until(async () => (await row(page, 'Road map').count()) === 0, 'they are hidden');
    await page.reload();
    await row(page, 'Goals').waitFor();
    assert.equal(await row(page, 'Road map').count(), 0);
    await page.getByRole('checkbox', { name: /Wanted pages/ }).check();
    await row(page, 'Road map').waitFor();
    await done();
  });

  test('around a page, one is selected, and created by Enter', async () => {
    const { page, done } = await opened('Plan.html?graph=local&depth=1', { expectErrors: true });
    await row(page, 'Launch').waitFor();
    await row(page, 'Road map').waitFor();
    await row(page, 'Launch').focus();
    await page.locator('.picked').getByText('This page does not exist yet. 1 link names it.').waitFor();
    await page.locator('canvas').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New page' });
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Launch');
    await page.keyboard.press('Enter');
    await until(() => existsSync(own.page('Launch.md')), 'the page is created');
    await page.locator('.cm-content:focus').waitFor();
    await done();
  });

  test('are created from the list', async () => {
    const { page, done } = await opened('Plan.html?graph=all', { context: { viewport: { width: 390, height: 844 } } });
    await row(page, 'Road map').focus();
    await page.locator('.picked').getByText('This page does not exist yet. 3 links name it.').waitFor();
    await row(page, 'Road map').click();
    const dialog = page.getByRole('dialog', { name: 'New page' });
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Road map');
    await page.keyboard.press('Escape');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await done();
  });
});
