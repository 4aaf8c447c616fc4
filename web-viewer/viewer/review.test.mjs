// Freshness: the badge, the banner with what changed, marking as reviewed, the dashboard for many.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cloned, commit, editor, ready, until, withHistory, withViewer } from './workspace.mjs';

describe('a stale page', () => {
  const own = withViewer();

  test('shows a banner and the changes, can be marked as reviewed, and this can be undone', async () => {
    const { page, done } = await own.open('Code/Sign%20in.html');
    await ready(page);
    await page.locator('#ubp_head').getByText('Out of date').waitFor();
    const banner = page.getByRole('region', { name: 'Freshness' });
    await banner.getByText(/Related code \(src\/login\.js\) has been updated\. We recommend reviewing the document\./).waitFor();
    await banner.getByRole('button', { name: 'Show changes' }).click();
    await banner.getByText('Lock accounts after five attempts').waitFor();
    await banner.getByText('+export const ATTEMPTS = 5;').waitFor();
    await banner.getByRole('button', { name: 'Mark as reviewed' }).click();
    await banner.waitFor({ state: 'detached' });
    await page.locator('#ubp_head').getByText('Up to date').waitFor();
    await until(async () => (await page.locator('#ubp_side .viewport a', { hasText: 'Sign in' }).locator('.freshness').textContent()).trim() === 'Up to date', 'the list is updated');
    await page.getByRole('button', { name: 'Undo' }).click();
    await banner.waitFor();
    await done();
  });

  test('shows the same in reading mode', async () => {
    const { page, done } = await own.open('Code/Sessions.html', { settings: { opening: 'read' } });
    await ready(page);
    await page.locator('#ubp_head').getByText('May be out of date').waitFor();
    await page.getByRole('region', { name: 'Freshness' }).getByText('src/session.js').waitFor();
    await done();
  });
});

describe('a page whose code is gone', () => {
  const own = withViewer({
    prepare: (project) => {
      withHistory(project);
      rmSync(join(project, 'src/login.js'));
      commit(project, 'Remove sign-in', '2024-06-01T10:00:00Z');
    },
  });

  test('says that the code was moved or deleted', async () => {
    const { page, done } = await own.open('Code/Sign%20in.html');
    await ready(page);
    await page.getByRole('region', { name: 'Freshness' }).getByText(/Related code \(src\/login\.js\) was moved or deleted\./).waitFor();
    await done();
  });
});

describe('pages to review', () => {
  const own = withViewer();

  test('are all listed, the stalest first, filtered, sorted, and reviewed together by keyboard', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await editor(page).click();
    await page.keyboard.press('Alt+r');
    await page.getByRole('heading', { level: 1, name: 'Pages to review' }).waitFor();
    const rows = page.locator('#ubp_stage .row .title');
    await until(async () => (await rows.count()) >= 3, 'all stale pages');
    assert.equal((await rows.allTextContents()).at(-1), 'Sessions', 'possibly stale pages are last');
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('title');
    assert.deepEqual(await rows.allTextContents(), [...(await rows.allTextContents())].sort());
    await page.getByRole('textbox', { name: 'Filter pages to review' }).fill('session');
    await until(async () => (await rows.allTextContents()).join() === 'Sessions', 'filtered by file');
    await page.getByRole('textbox', { name: 'Filter pages to review' }).fill('');
    await page.getByRole('button', { name: /may be out of date/ }).click();
    await until(async () => (await rows.allTextContents()).join() === 'Sessions', 'filtered by freshness');
    await page.locator('#ubp_stage').getByText('End sessions after an hour').waitFor();
    await page.getByRole('button', { name: /may be out of date/ }).click();
    await page.locator('#ubp_stage [data-row="0"]').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Mark 2 as reviewed' }).press('Enter');
    await until(async () => (await rows.count()) === 1, 'two are gone');
    await page.getByText('2 pages were marked as reviewed.').waitFor();
    await page.keyboard.press('Alt+u');
    await until(async () => (await rows.count()) === 3, 'and back');
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Mark 3 as reviewed' }).click();
    await page.getByText('Nothing to review').waitFor();
    await page.goBack();
    await editor(page).waitFor();
    await done();
  });
});

describe('pages in a clone', () => {
  const own = withViewer({ prepare: cloned });

  test('have the date of their last commit, in the list and in the review, not the date of the file', async () => {
    const { page, done } = await own.open('Code/Sign%20in.html');
    await ready(page);
    await page.getByRole('button', { name: /^Sort/ }).click();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('updated');
    await until(async () => (await page.locator('#ubp_side .viewport [data-page="Code/Sign in.md"] .about').textContent()).trim() === '10 Jan 2024', async () => 'the list has ' + await page.locator('#ubp_side .viewport [data-page="Code/Sign in.md"] .about').textContent());
    await page.keyboard.press('Alt+r');
    await page.locator('#ubp_stage .row', { hasText: 'Sign in' }).click();
    await page.locator('#ubp_stage').getByText('Code/Sign in.md · edited 10 Jan 2024').waitFor();
    await done();
  });
});
