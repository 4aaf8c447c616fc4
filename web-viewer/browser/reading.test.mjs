// Reading: pages without scripts, links, history, previews, outline, the sidebars.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ready, until, withBrowser } from './support.mjs';

const own = withBrowser();
const READING = 'Guides/Reading.html';

describe('without scripts', () => {
  test('a page is shown, and its links work', async () => {
    const { page, done } = await own.open('Home.html', { context: { javaScriptEnabled: false } });
    assert.equal(await page.locator('main h1').textContent(), 'Home');
    await page.locator('main a.link', { hasText: 'Link types' }).first().click();
    assert.equal(await page.locator('main h1').textContent(), 'Link types');
    assert.equal(await page.locator('#ubp_side').isVisible(), false);
    await done();
  });
});

describe('the app', () => {
  test('starts without layout shift', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.locator('.page-facts').waitFor();
    const shift = await page.evaluate(
      () =>
        new Promise((resolve) => {
          let sum = 0;
          const observer = new PerformanceObserver((list) => {
            for (const entry of list.getEntriesByType('layout-shift')) sum += entry.value;
            // After a paint, all layout shifts have been reported.
            if (list.getEntriesByType('paint').length > 0) resolve(sum);
          });
          for (const type of ['layout-shift', 'paint']) observer.observe({ type, buffered: true });
        }),
    );
    assert.ok(shift < 0.001, `layout shift ${shift}`);
    await done();
  });

  test('keeps the article of the HTML', async () => {
    const { page, done } = await own.open('Home.html');
    const kept = await page.evaluate(() => (globalThis.before = document.querySelector('article')).isConnected);
    await ready(page);
    assert.ok(kept && (await page.evaluate(() => globalThis.before === document.querySelector('main > article'))));
    await done();
  });
});

describe('links', () => {
  test('open pages without a new document, with address, title and focus', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.evaluate(() => (globalThis.sameDocument = true));
    await page.locator('main a.link', { hasText: 'Reading' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Reading' }).waitFor();
    assert.equal(page.url(), `${own.root}${READING}`);
    assert.match(await page.title(), /^Reading/);
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'ubp_content');
    assert.ok(await page.evaluate(() => globalThis.sameDocument), 'the document was reloaded');
    await done();
  });

  test('relative links of the new page are correct', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.locator('main a.link', { hasText: 'Formatting' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Formatting' }).waitFor();
    await page.waitForFunction(() => document.querySelector('main img')?.naturalWidth > 0);
    await done();
  });

  test('back and forward keep the scroll position', async () => {
    const { page, done } = await own.open(READING);
    await ready(page);
    await page.evaluate(() => scrollTo(0, 1200));
    await until(() => page.evaluate(() => history.state?.y === 1200), 'the position is remembered');
    await page.evaluate(() => document.querySelector('main a.link[data-page="Home.md"]').click());
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    assert.equal(await page.evaluate(() => scrollY), 0);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Reading' }).waitFor();
    await until(async () => Math.abs((await page.evaluate(() => scrollY)) - 1200) < 2, 'the position was lost');
    await page.goForward();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await done();
  });

  test('to headings scroll to them, within a page and across pages', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.locator('main a.link', { hasText: 'Wide table' }).click();
    await page.getByRole('heading', { level: 1, name: 'Formatting' }).waitFor();
    assert.match(page.url(), /#./);
    await until(
      () => page.getByRole('heading', { name: 'Wide table' }).evaluate((heading) => heading.getBoundingClientRect().top >= 40 && (heading.getBoundingClientRect().top < 200 || innerHeight + scrollY >= document.body.scrollHeight - 2) && scrollY > 0),
      'the heading is not in sight',
    );
    await done();
  });

  test('a deep link opens at its heading', async () => {
    const { page, done } = await own.open(READING);
    await ready(page);
    const id = await page.getByRole('heading', { name: 'Part 5' }).getAttribute('id');
    await done();
    const deep = await own.open(`${READING}#${encodeURIComponent(id)}`);
    await ready(deep.page);
    const top = await deep.page.getByRole('heading', { name: 'Part 5' }).evaluate((heading) => heading.getBoundingClientRect().top);
    assert.ok(top >= 40 && top < 200, `the heading is at ${top}`);
    await deep.done();
  });

  test('of different types differ in colour and in another way', async () => {
    const { page, done } = await own.open('Guides/Link%20types.html');
    await ready(page);
    const looks = await page.locator('main .prose a.link[data-page]').evaluateAll((links) =>
      links.map((link) => {
        const style = getComputedStyle(link);
        return { type: link.dataset.type, colour: style.color, line: `${style.textDecorationStyle} ${style.textDecorationThickness}` };
      }),
    );
    assert.deepEqual(looks.map(({ type }) => type).sort(), ['conflicts_with', 'depends_on', 'extends', 'implements', 'references']);
    assert.equal(new Set(looks.map(({ colour }) => colour)).size, 5);
    assert.equal(new Set(looks.map(({ line }) => line)).size, 5);
    await done();
  });

  test('that are broken are marked, announced, and do nothing', async () => {
    const { page, done } = await own.open('Guides/Link%20types.html');
    await ready(page);
    const missing = page.locator('main .link.missing');
    assert.equal(await missing.textContent(), 'Nowhere');
    assert.equal(await missing.getAttribute('aria-disabled'), 'true');
    assert.equal(await missing.evaluate((link) => getComputedStyle(link).textDecorationStyle), 'dotted');
    const address = page.url();
    await missing.click({ force: true });
    assert.equal(page.url(), address);
    assert.ok(await page.locator('#ubp_rail').getByText('Broken links').isVisible());
    await done();
  });
});

describe('previews', () => {
  test('open after a delay under the pointer, and close when it leaves', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    const link = page.locator('main a.link', { hasText: 'Link types' }).first();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await link.hover();
    await page.clock.runFor(120);
    assert.equal(await page.locator('#ubp_preview').count(), 0);
    await page.clock.runFor(300);
    await page.locator('#ubp_preview').waitFor();
    assert.match(await page.locator('#ubp_preview').textContent(), /Every type has a colour/);
    assert.equal(await link.getAttribute('aria-describedby'), 'ubp_preview');
    await page.locator('#ubp_preview').hover();
    await page.clock.runFor(400);
    assert.equal(await page.locator('#ubp_preview').count(), 1);
    await page.mouse.move(5, 500);
    await page.clock.runFor(400);
    await page.locator('#ubp_preview').waitFor({ state: 'detached' });
    await done();
  });

  test('show the section that a link points to', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.locator('main a.link', { hasText: 'Wide table' }).hover();
    await page.locator('#ubp_preview table').waitFor();
    assert.doesNotMatch(await page.locator('#ubp_preview').textContent(), /Worth knowing/);
    await done();
  });

  test('open on focus as well, and Escape closes them', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.locator('.page-facts .tag').last().focus();
    await page.keyboard.press('Tab');
    await page.locator('#ubp_preview').waitFor();
    assert.match(await page.locator('#ubp_preview').textContent(), /long enough to be scrolled/);
    await page.keyboard.press('Escape');
    await page.locator('#ubp_preview').waitFor({ state: 'detached' });
    await done();
  });
});

describe('beside the page', () => {
  test('the outline scrolls to headings and follows the scroll position', async () => {
    const { page, done } = await own.open(READING);
    await ready(page);
    const outline = page.locator('#ubp_rail .outline');
    await outline.getByRole('link', { name: 'Part 6' }).click();
    await outline.locator('[aria-current]', { hasText: 'Part 6' }).waitFor();
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight }));
    await outline.locator('[aria-current]', { hasText: 'Part 8' }).waitFor();
    await page.evaluate(() => scrollTo({ top: 0 }));
    await outline.locator('[aria-current]').waitFor({ state: 'detached' });
    await done();
  });

  test('backlinks are shown with their context', async () => {
    const { page, done } = await own.open(READING);
    await ready(page);
    const backlinks = page.locator('#ubp_rail .backlinks li');
    const types = backlinks.filter({ has: page.getByRole('link', { name: 'Link types' }) });
    await types.waitFor();
    assert.match(await types.textContent(), /depends on/);
    assert.match(await types.locator('p').textContent(), /has a colour and a line/);
    await types.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Link types' }).waitFor();
    await done();
  });

  test('freshness is shown with its reasons', async () => {
    const { page, done } = await own.open('Code/Sign%20in.html');
    await ready(page);
    await page.locator('#ubp_rail').getByText('Out of date', { exact: true }).waitFor();
    assert.match(await page.locator('#ubp_rail .verdict').textContent(), /src\/login\.js/);
    await done();
    const fresh = await own.open('Code/Sessions.html');
    await ready(fresh.page);
    await fresh.page.locator('#ubp_rail').getByText('Up to date', { exact: true }).waitFor();
    await fresh.done();
  });

  test('a page without backlinks says so', async () => {
    const { page, done } = await own.open('Alone.html');
    await ready(page);
    await page.locator('#ubp_rail').getByText('No backlinks yet.').waitFor();
    await done();
  });
});

describe('wide content and printing', () => {
  test('tables and code scroll within the page, also by keyboard', async () => {
    const { page, done } = await own.open('Guides/Formatting.html', { context: { viewport: { width: 390, height: 800 } } });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the screen');
    await page.locator('[role=region][aria-label=Code][tabindex="0"]').waitFor();
    const table = page.locator('[role=region][aria-label=Table]');
    await table.focus();
    await page.keyboard.press('ArrowRight');
    await until(() => table.evaluate((element) => element.scrollLeft > 0), 'the table does not scroll');
    await done();
  });

  test('only the page is printed', async () => {
    const { page, done } = await own.open('Home.html', { context: { colorScheme: 'dark' } });
    await ready(page);
    await page.emulateMedia({ media: 'print' });
    for (const part of ['#ubp_bar', '#ubp_side', '#ubp_rail']) assert.equal(await page.locator(part).isVisible(), false);
    assert.ok(await page.locator('main h1').isVisible());
    await done();
  });
});

describe('a published site', () => {
  const heavy = (asked) => asked.filter((url) => /\.(?:db|wasm|onnx)$/.test(url));

  test('loads the engine and the database only when somebody searches', async () => {
    const { page, asked, done } = await own.open('Home.html');
    await ready(page);
    await page.locator('.page-facts').waitFor();
    await page.locator('#ubp_rail').getByRole('heading', { name: 'Backlinks' }).waitFor();
    await page.locator('#ubp_side').getByRole('link', { name: 'Link types' }).click();
    await page.getByRole('heading', { level: 1, name: 'Link types' }).waitFor();
    await page.locator('#ubp_rail').getByRole('link', { name: 'Home' }).first().waitFor();
    assert.match(page.url(), /Guides\/Link%20types\.html$/);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    assert.deepEqual(heavy(asked), []);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Search/ }).fill('lighthouse');
    await page.getByRole('option', { name: /Home/ }).first().waitFor();
    assert.equal(heavy(asked).filter((url) => url.endsWith('.db')).length, 1);
    await done();
  });

  test('a search that could not be loaded says so, and works later', async () => {
    const { page, done } = await own.open('Home.html', { expectErrors: true });
    await ready(page);
    await page.route('**/*.db', (route) => route.abort(), { times: 1 });
    await page.keyboard.press('Control+k');
    await page.getByText(/could not be loaded/).waitFor();
    await page.getByRole('combobox', { name: /Search/ }).fill('lighthouse');
    await page.getByRole('option', { name: /Home/ }).first().waitFor();
    await done();
  });

  test('leads to the folders above a page, and to the pages before and after it', async () => {
    const { page, done } = await own.open('Guides/Reading.html');
    await ready(page);
    const titles = async (name) => page.locator(`.page-foot .${name} a`).allTextContents();
    const [before, after] = [await titles('previous'), await titles('next')];
    assert.equal(before.length + after.length, 2);
    await page.locator('.page-foot .previous a').click();
    await page.getByRole('heading', { level: 1, name: before[0] }).waitFor();
    assert.deepEqual(await titles('next'), ['Reading'], 'the article that a script shows has them too');
    await page.locator('.page-header .way').getByRole('link', { name: 'Guides' }).click();
    await page.getByRole('heading', { level: 1, name: 'All pages' }).waitFor();
    assert.ok(await page.getByRole('heading', { level: 2, name: 'Guides' }).evaluate((heading) => heading.id === decodeURIComponent(location.hash.slice(1))));
    await done();
  });

  test('a tag below the title shows the pages that have it', async () => {
    const { page, done } = await own.open('Guides/Reading.html');
    await ready(page);
    await page.locator('.page-facts').getByRole('button', { name: '#reading' }).click();
    const group = page.locator('#ubp_side .group', { hasText: '#reading' });
    await until(() => group.evaluate((element) => element === document.activeElement), 'the tag has the focus');
    assert.equal(await group.getAttribute('aria-expanded'), 'true');
    await page.locator('#ubp_side').getByRole('link', { name: 'Reading', exact: true }).waitFor();
    await done();
  });
});
