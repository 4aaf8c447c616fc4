// Ten thousand pages: nothing freezes, and everything responds at once.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FROZEN, bestMedian, editor, manyPages, ready, switchTo, until, withViewer } from './workspace.mjs';

const own = withViewer({ prepare: manyPages(10_000), timeout: 300_000 });

describe('ten thousand pages', () => {
  test('are listed, scrolled and filtered with few rows in the document', async () => {
    const { page, done } = await own.open('area%200/page%200.html');
    await page.getByText('10,000 pages').first().waitFor();
    assert.ok((await page.locator('#ubp_side .viewport li').count()) < 60);
    await page.evaluate(() => {
      globalThis.longest = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (globalThis.longest = Math.max(globalThis.longest, duration)))).observe({ type: 'longtask' });
    });
    await page.locator('#ubp_side .viewport').evaluate((viewport) => (viewport.scrollTop = viewport.scrollHeight));
    await page.locator('#ubp_side .viewport .title', { hasText: /^Page 9999$/ }).waitFor();
    await page.getByRole('button', { name: 'Folders' }).click();
    await page.locator('#ubp_side .group', { hasText: 'area 99' }).waitFor({ state: 'attached' }).catch(() => {});
    await page.getByRole('button', { name: 'Tags', exact: true }).click();
    await page.getByRole('button', { name: 'Pages', exact: true }).click();
    await page.getByLabel('Filter pages').fill('page 77');
    await until(async () => /of 10,000 pages/.test(await page.locator('#ubp_side .foot').textContent()), 'filtered');
    const longest = await page.evaluate(() => globalThis.longest);
    console.log(`longest task in the list of 10,000: ${Math.round(longest)} ms`);
    assert.ok(longest < FROZEN, `the page froze for ${Math.round(longest)} ms`);
    await done();
  });

  test('are found while typing', async () => {
    const { page, done } = await own.open('area%200/page%200.html');
    await ready(page);
    const opening = await page.evaluate(async () => {
      const start = performance.now();
      document.querySelector('#ubp_bar .search').click();
      while (!document.querySelector('#ubp_found [role=option]')) await new Promise(requestAnimationFrame);
      return performance.now() - start;
    });
    console.log(`palette: opened in ${Math.round(opening)} ms`);
    const best = await bestMedian('names', async () => {
      const times = [];
      for (const typed of ['page 1', 'page 98', 'pge 543', 'page 9871', '4242']) {
        times.push(
          await page.evaluate(async (text) => {
            const input = document.querySelector('dialog [role=combobox]');
            const last = text.match(/\d+/)[0];
            input.value = text;
            const start = performance.now();
            input.dispatchEvent(new InputEvent('input', { bubbles: true }));
            while (![...document.querySelectorAll('#ubp_found .name .title')].some((title) => title.textContent.includes(last))) await new Promise(requestAnimationFrame);
            const time = performance.now() - start;
            // Full-text search continues after the names are found. Wait for it, so that it does not affect the next query.
            await new Promise((resolve) => setTimeout(resolve, 250));
            return time;
          }, typed),
        );
      }
      return times;
    });
    assert.ok(best < FROZEN, `names came after ${Math.round(best)} ms`);
    await done();
  });

  test('open at once, and typing is saved without a freeze', async () => {
    const { page, done } = await own.open('area%200/page%200.html');
    await ready(page);
    await editor(page).waitFor();
    const best = await bestMedian('page switch', async () => {
      const times = [];
      for (const number of [1, 2, 3, 4, 5, 6, 7]) times.push(await switchTo(page, `Page ${number}`));
      return times;
    });
    assert.ok(best < FROZEN, `a switch takes ${Math.round(best)} ms`);
    await page.evaluate(() => {
      globalThis.longest = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (globalThis.longest = Math.max(globalThis.longest, duration)))).observe({ type: 'longtask' });
    });
    await editor(page).click();
    for (const word of ['one', 'two', 'three', 'four']) {
      await page.keyboard.type(` ${word}`, { delay: 20 });
      await page.waitForTimeout(500);
    }
    const longest = await page.evaluate(() => globalThis.longest);
    console.log(`longest task while typing and saving: ${Math.round(longest)} ms`);
    assert.ok(longest < FROZEN, `the page froze for ${Math.round(longest)} ms`);
    await done();
  });
});
