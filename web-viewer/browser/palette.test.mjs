// The palette: names, text, meaning, keyboard, input methods.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ready, until, withBrowser } from './support.mjs';

const own = withBrowser();
const options = (page) => page.getByRole('option');

async function opened(path = 'Home.html', key = 'Control+k') {
  const { page, done } = await own.open(path);
  await ready(page);
  await page.keyboard.press(key);
  const input = page.getByRole('combobox', { name: /Search/ });
  await input.waitFor();
  return { page, input, done };
}

async function typed(page, input, text) {
  await input.fill(text);
  await page.locator('[aria-live]', { hasText: /results/ }).first().waitFor({ state: 'attached' });
}

describe('the palette', () => {
  for (const key of ['Control+k', 'Meta+k', '/']) {
    test(`opens on ${key}, and Escape closes it and restores the focus`, async () => {
      const { page, done } = await own.open('Home.html');
      await ready(page);
      await page.locator('main a.link').first().focus();
      await page.keyboard.press(key);
      const input = page.getByRole('combobox', { name: /Search/ });
      await input.waitFor();
      assert.ok(await input.evaluate((element) => element === document.activeElement));
      await page.keyboard.press('Escape');
      await input.waitFor({ state: 'detached' });
      assert.ok(await page.locator('main a.link').first().evaluate((element) => element === document.activeElement));
      await done();
    });
  }

  test('takes what is typed, and Enter, before the code of its results is loaded', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    let letGo;
    const isFree = new Promise((resolve) => (letGo = resolve));
    await page.route(/\/assets\/Results-/, async (route) => {
      await isFree;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('link types');
    await page.keyboard.press('Enter');
    await page.getByText('Loading search').waitFor();
    letGo();
    await page.getByRole('heading', { level: 1, name: 'Link types' }).waitFor();
    await done();
  });

  test('finds names fuzzily, in any width or kana, and highlights the matches', async () => {
    const { page, input, done } = await opened();
    await input.fill('lntyp');
    await options(page).filter({ hasText: 'Link types' }).first().waitFor();
    await until(async () => (await options(page).first().locator('mark').allTextContents()).join(' ') === 'L n typ', 'the letters are highlighted');
    await input.fill('でーた');
    await options(page).filter({ hasText: 'データベース' }).first().waitFor();
    assert.equal(await options(page).first().locator('mark').first().textContent(), 'データ');
    await input.fill('保存');
    await options(page).filter({ hasText: 'also 保存場所' }).waitFor();
    await done();
  });

  test('finds words in the text and highlights them in the snippet', async () => {
    const { page, input, done } = await opened();
    await typed(page, input, 'lighthouse');
    const found = options(page).filter({ has: page.locator('.snippet') }).first();
    await found.waitFor();
    assert.match(await found.textContent(), /Home.*What it is about/);
    assert.equal(await found.locator('.snippet mark').first().textContent(), 'lighthouse');
    await found.click();
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    assert.match(page.url(), /Home\.html#./);
    await done();
  });

  test('finds Japanese words', async () => {
    const { page, input, done } = await opened();
    await typed(page, input, '索引');
    const found = options(page).filter({ has: page.locator('.snippet mark', { hasText: '索引' }) });
    await found.first().waitFor();
    assert.match(await found.first().textContent(), /検索エンジン/);
    await done();
  });

  test('is a combobox: arrows move, Enter opens, with ARIA attributes', async () => {
    const { page, input, done } = await opened();
    await typed(page, input, 'link');
    assert.equal(await input.getAttribute('aria-expanded'), 'true');
    const first = await input.getAttribute('aria-activedescendant');
    assert.equal(await page.locator(`#${first}`).getAttribute('aria-selected'), 'true');
    await page.keyboard.press('ArrowDown');
    const second = await input.getAttribute('aria-activedescendant');
    assert.notEqual(second, first);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    assert.equal(await input.getAttribute('aria-activedescendant'), `ubp_found-${(await options(page).count()) - 1}`);
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.locator(`#${await input.getAttribute('aria-controls')}`).getAttribute('role'), 'listbox');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Link types' }).waitFor();
    await done();
  });

  test('leaves Enter to an input method that composes', async () => {
    const { page, input, done } = await opened();
    const session = await page.context().newCDPSession(page);
    for (const text of ['け', 'けん', 'けんさ', 'けんさく']) await session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    await session.send('Input.imeSetComposition', { text: '検索', selectionStart: 2, selectionEnd: 2 });
    await options(page).filter({ hasText: '検索エンジン' }).first().waitFor();
    await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Process', code: 'Enter', windowsVirtualKeyCode: 229 });
    await input.evaluate((element) => element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })));
    assert.ok(await input.isVisible(), 'Enter during a composition chose an option');
    await session.send('Input.insertText', { text: '検索' });
    assert.equal(await input.inputValue(), '検索');
    await options(page).filter({ hasText: '検索エンジン' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: '検索エンジン' }).waitFor();
    await done();
  });

  test('shows a message if nothing is found', async () => {
    const { page, input, done } = await opened();
    await input.fill('zzzzqqqq');
    await page.getByText('No results for “zzzzqqqq”').waitFor();
    await done();
  });

  test('shows results by words first, then by meaning, with progress', async (context) => {
    const { page, input, done } = await opened();
    const site = await page.evaluate(() => JSON.parse(document.getElementById('ubp-site').textContent));
    if (!site.semantic) {
      await done();
      return context.skip('the site was exported without a model');
    }
    await input.fill('how do people log into their account');
    await page.getByText(/Loading search by meaning/).waitFor();
    await page.getByText('By meaning and words').waitFor({ timeout: 60_000 });
    const texts = await options(page).filter({ has: page.locator('.snippet') }).allTextContents();
    assert.match(texts[0], /Sign in/);
    await done();
  });

  test('does not load the model if the reader declined it', async (context) => {
    const { page, asked, done } = await own.open('Home.html');
    await ready(page);
    const site = await page.evaluate(() => JSON.parse(document.getElementById('ubp-site').textContent));
    if (!site.semantic) {
      await done();
      return context.skip('the site was exported without a model');
    }
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel(/Search by meaning/).uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('sign');
    await page.getByRole('button', { name: /Enable search by meaning/ }).waitFor();
    await page.getByRole('option').first().waitFor();
    assert.ok(!asked.some((url) => url.includes(site.semantic.model)));
    await done();
  });
});
