// The graph: neighbourhood and full graph, distance, types, keyboard, size.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { accessible, dropFolder, ready, settled, still, until, withBrowser } from './support.mjs';

const own = withBrowser();
const rows = (page) => page.locator('#ubp_stage li a');

async function opened(path = 'Home.html?graph=local') {
  const { page, done } = await own.open(path);
  await page.locator('canvas[data-settled]').waitFor();
  return { page, done };
}

/** The number of pixels that are not background. */
const painted = (page) =>
  page.locator('canvas').evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 3; at < data.length; at += 4) count += Number(data[at] > 0);
    return count;
  });

describe('the graph', () => {
  test('shows the pages around one, with their distance', async () => {
    const { page, done } = await opened();
    await rows(page).first().waitFor();
    assert.match(await rows(page).first().textContent(), /Home.*This page/);
    assert.ok((await rows(page).filter({ hasText: '1 hop ' }).count()) >= 4);
    assert.ok((await rows(page).filter({ hasText: '2 hops' }).count()) >= 1);
    await until(async () => (await painted(page)) > 500, 'the canvas is empty');
    const before = await rows(page).count();
    await page.getByRole('button', { name: '1 hop', exact: true }).click();
    await until(async () => (await rows(page).count()) < before && (await rows(page).count()) > 1, 'fewer pages are one hop away');
    assert.match(page.url(), /graph=local&depth=1/);
    await done();
  });

  test('shows all pages, and Back keeps the address correct', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.getByRole('button', { name: 'Graph' }).click();
    await page.locator('canvas[data-settled]').waitFor();
    await page.getByRole('button', { name: 'All pages' }).click();
    await rows(page).filter({ hasText: 'Alone' }).waitFor();
    assert.match(page.url(), /graph=all/);
    await page.keyboard.press('g');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    assert.doesNotMatch(page.url(), /graph/);
    await page.goBack();
    await page.locator('canvas').waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await done();
  });

  test('has a legend of link types, which hides types', async () => {
    const { page, done } = await opened();
    await rows(page).first().waitFor();
    const legend = page.locator('#ubp_stage fieldset');
    for (const type of ['references', 'depends on', 'implements', 'extends', 'conflicts with']) await legend.getByLabel(type).waitFor();
    const lines = await legend.locator('line').evaluateAll((all) => all.map((line) => [line.getAttribute('stroke'), line.getAttribute('stroke-dasharray'), line.getAttribute('stroke-width')].join(' ')));
    assert.equal(new Set(lines).size, lines.length, 'two types look alike');
    const before = await rows(page).count();
    await legend.getByLabel('references').uncheck();
    await until(async () => (await rows(page).count()) < before, 'pages reached only by references are still shown');
    await done();
  });

  test('colours pages by type or folder as chosen, with a legend, and keeps the choice', async () => {
    const { page, done } = await opened('Home.html?graph=all');
    const colours = page.getByRole('region', { name: 'Colours' });
    const legend = () => colours.getByRole('listitem').allTextContents();
    /** The number of pixels in the colour of the first group. */
    const ofFirst = () =>
      colours.locator('.dot').first().evaluate((dot) => {
        const [red, green, blue] = getComputedStyle(dot).backgroundColor.match(/\d+/g).map(Number);
        const canvas = document.querySelector('canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4) count += Number(data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255);
        return count;
      });
    assert.deepEqual(await legend(), []);
    await colours.getByRole('button', { name: 'Folder' }).click();
    assert.deepEqual((await legend()).sort(), ['Code2', 'Guides4', 'Top folder2', '設計2']);
    await until(async () => (await ofFirst()) > 100, 'no page has the colour of its folder');
    const dots = await colours.locator('.dot').evaluateAll((all) => all.map((dot) => getComputedStyle(dot).backgroundColor));
    assert.equal(new Set(dots).size, 4, 'two folders look alike');
    await page.reload();
    await page.locator('canvas[data-settled]').waitFor();
    assert.equal(await colours.getByRole('button', { name: 'Folder' }).getAttribute('aria-pressed'), 'true');
    await colours.getByRole('button', { name: 'Type' }).click();
    await until(async () => (await legend()).some((text) => /^guide\d$/.test(text)), 'types are listed');
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await until(async () => (await ofFirst()) > 100, `no page has the colour of its type, ${colorScheme}`);
      if (process.env.UBP_SHOTS) await page.screenshot({ path: `${process.env.UBP_SHOTS}/graph ${colorScheme}.png` });
      await accessible(page, `the graph in colours, ${colorScheme}`);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await settled(page);
    if (process.env.UBP_SHOTS) await page.screenshot({ path: `${process.env.UBP_SHOTS}/graph 390.png` });
    await accessible(page, 'the graph in colours, 390 wide');
    await colours.getByRole('button', { name: 'None' }).click();
    assert.deepEqual(await legend(), []);
    await done();
  });

  test('works with the keyboard only', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.keyboard.press('g');
    await page.locator('canvas[data-settled]').waitFor();
    await page.getByLabel('Filter these pages').focus();
    await page.keyboard.press('Tab');
    assert.match(await page.evaluate(() => document.activeElement.textContent), /Home/);
    await page.keyboard.press('ArrowDown');
    const title = await page.evaluate(() => document.activeElement.querySelector('.title').textContent);
    assert.equal(await page.locator('#ubp_stage .picked strong').textContent(), title);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await done();
  });

  test('pans and zooms by keys, wheel and pointer, and a click selects a page', async () => {
    const { page, done } = await opened();
    const canvas = page.locator('canvas');
    const picture = () => canvas.evaluate((element) => element.toDataURL());
    let before = await still(picture, 'the picture comes to rest');
    const changes = async (act, what) => {
      await act();
      await until(async () => (await picture()) !== before, what);
      before = await picture();
    };
    await canvas.focus();
    await changes(() => page.keyboard.press('+'), '+ does nothing');
    await changes(() => page.keyboard.press('ArrowLeft'), 'an arrow does nothing');
    await changes(() => page.keyboard.press('0'), '0 does nothing');
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + 20, box.y + 20);
    await changes(() => page.mouse.wheel(0, -200), 'the wheel does nothing');
    await changes(async () => {
      await page.mouse.down();
      await page.mouse.move(box.x + 90, box.y + 60, { steps: 4 });
      await page.mouse.up();
    }, 'dragging does nothing');
    await page.getByRole('button', { name: 'Zoom to fit' }).click();
    await still(picture, 'the picture comes to rest');
    // In a neighbourhood, the page is at the centre of the rings.
    const at = await canvas.evaluate((element) => {
      const context = element.getContext('2d');
      const { data } = context.getImageData(0, 0, element.width, element.height);
      const probe = document.createElement('span');
      probe.style.color = 'var(--accent)';
      document.body.append(probe);
      const [red, green, blue] = getComputedStyle(probe).color.match(/\d+/g).map(Number);
      probe.remove();
      let [x, y, count] = [0, 0, 0];
      for (let pixel = 0; pixel < data.length / 4; pixel++) {
        if (data[pixel * 4] !== red || data[pixel * 4 + 1] !== green || data[pixel * 4 + 2] !== blue || data[pixel * 4 + 3] !== 255) continue;
        x += pixel % element.width;
        y += Math.floor(pixel / element.width);
        count += 1;
      }
      return { x: x / count / devicePixelRatio, y: y / count / devicePixelRatio, count };
    });
    assert.ok(at.count > 50, 'the centre is not drawn in its colour');
    await canvas.click({ position: { x: at.x, y: at.y } });
    assert.equal(await page.locator('#ubp_stage .picked strong').textContent(), 'Home');
    await page.locator('#ubp_stage .picked').getByRole('link', { name: 'Open' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await done();
  });

  test('of a page without links says so', async () => {
    const { page, done } = await own.open('Alone.html?graph=local');
    await page.getByText('has no links to or from other pages').waitFor();
    await page.getByRole('button', { name: 'Show all pages' }).click();
    await page.locator('canvas[data-settled]').waitFor();
    await done();
  });

  test('of 3,000 pages does not freeze', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ubp-graph-'));
    const count = 3000;
    for (let at = 0; at < count; at++) {
      const links = [(at * 7 + 1) % count, (at * 13 + 5) % count, Math.floor(at / 9)].map((to, kind) => `[[page ${to}${kind === 1 ? '|depends_on' : ''}]]`);
      writeFileSync(join(folder, `page ${at}.md`), `# Page ${at}\n\nWords of page ${at}: ${links.join(', ')}.\n`);
    }
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await dropFolder(page, folder);
    await page.getByText('3,000 pages').first().waitFor({ timeout: 60_000 });
    await page.evaluate(() => {
      globalThis.longest = 0;
      let last = performance.now();
      const beat = () => {
        const now = performance.now();
        globalThis.longest = Math.max(globalThis.longest, now - last);
        last = now;
        requestAnimationFrame(beat);
      };
      requestAnimationFrame(beat);
    });
    await page.getByRole('button', { name: 'Graph' }).click();
    const before = performance.now();
    await page.getByRole('button', { name: 'All pages' }).click();
    await page.getByText('3,000 pages').nth(1).waitFor();
    await page.locator('canvas[data-settled]').waitFor({ timeout: 30_000 });
    const took = performance.now() - before;
    const longest = await page.evaluate(() => globalThis.longest);
    // A layout in one piece would freeze the page for all of its time, on any machine.
    assert.ok(longest < took * 0.7, `the page froze for ${Math.round(longest)} of ${Math.round(took)} ms`);
    console.log(`# longest frame while 3,000 pages are laid out: ${Math.round(longest)} of ${Math.round(took)} ms`);
    rmSync(folder, { recursive: true });
    await done();
  });
});
