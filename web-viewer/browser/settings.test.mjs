// Theme, keyboard, and missing parts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ready, withBrowser } from './support.mjs';

const own = withBrowser();
const paper = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

describe('the language', () => {
  test('of the app is that of the browser, pages keep theirs, and another one can be chosen', async () => {
    const { page, done } = await own.open('Home.html', { context: { locale: 'ja-JP' } });
    await page.getByRole('button', { name: '設定' }).click();
    assert.equal(await page.locator('html').getAttribute('lang'), 'ja');
    assert.equal(await page.locator('#ubp_content').getAttribute('lang'), 'en');
    await page.getByText(/^\d{4}年\d{1,2}月\d{1,2}日 更新$/).waitFor();
    await page.getByRole('dialog', { name: '設定' }).getByLabel('言語').selectOption('English');
    await page.getByRole('dialog', { name: 'Settings' }).waitFor();
    await page.getByText(/^Updated [A-Z]/).waitFor();
    await page.reload();
    await ready(page);
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
    await done();
  });
});

describe('the theme', () => {
  test('follows the system until another one is chosen, which is applied before the first paint', async () => {
    const { page, done } = await own.open('Home.html', { context: { colorScheme: 'dark' } });
    await ready(page);
    const dark = await paper(page);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Light').check();
    const light = await paper(page);
    assert.notEqual(light, dark);
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction(() => document.body);
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'light');
    assert.equal(await paper(page), light);
    await ready(page);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('System').check();
    assert.equal(await paper(page), dark);
    await done();
  });

  test('can be chosen by keyboard', async () => {
    const { page, done } = await own.open('Home.html', { context: { colorScheme: 'light' } });
    await ready(page);
    await page.getByRole('button', { name: 'Settings' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('System').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Settings');
    await done();
  });
});

describe('keyboard', () => {
  test('the first Tab stop skips to the page', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the page');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'ubp_content');
    await done();
  });

  test('every stop can be seen', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    for (let stop = 0; stop < 30; stop++) {
      await page.keyboard.press('Tab');
      const seen = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return true;
        const [own, around] = [getComputedStyle(element), getComputedStyle(element.closest('.field, .filter, label') ?? element)];
        return own.outlineStyle !== 'none' || around.outlineStyle !== 'none' || element.outerHTML;
      });
      assert.equal(seen, true, `no visible focus: ${seen}`);
    }
    await done();
  });
});

describe('when something is missing', () => {
  test('a list of pages that cannot be loaded is reported with a retry button, and pages can be read', async () => {
    const { page, done } = await own.open('404.html', { expectErrors: true });
    await page.route('**/data/pages.*.json', (route) => route.abort());
    await page.goto(`${own.root}Home.html`);
    await page.locator('#ubp_side').getByText('could not be loaded').waitFor();
    assert.equal(await page.locator('main h1').textContent(), 'Home');
    await page.unroute('**/data/pages.*.json');
    await page.locator('#ubp_side').getByRole('button', { name: 'Try again' }).click();
    await ready(page);
    await page.locator('main a.link', { hasText: 'Link types' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Link types' }).waitFor();
    await done();
  });
});
