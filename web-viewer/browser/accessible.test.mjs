// Checks the accessibility of every view, in both themes and at two widths.
import { describe, test } from 'node:test';
import { accessible, ready, settled, withBrowser } from './support.mjs';

const own = withBrowser();

const VIEWS = {
  reading: { path: 'Home.html' },
  'all kinds of content': { path: 'Guides/Formatting.html' },
  'all types of links': { path: 'Guides/Link%20types.html' },
  'a stale page': { path: 'Code/Sign%20in.html' },
  'a page in Japanese': { path: `${encodeURIComponent('設計')}/${encodeURIComponent('検索エンジン')}.html` },
  'a page with empty sidebars': { path: 'Alone.html' },
  'the first page without scripts': { path: 'index.html' },
  'the list of all pages': { path: 'all-pages.html', unready: true },
  'the palette': {
    path: 'Home.html',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('link');
      await page.getByRole('option').first().waitFor();
    },
  },
  'the palette without results': {
    path: 'Home.html',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('zzzzqqqq');
      await page.getByText('No results').waitFor();
    },
  },
  settings: {
    path: 'Home.html',
    act: async (page) => {
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('dialog', { name: 'Settings' }).waitFor();
    },
  },
  'the graph around a page': { path: 'Home.html?graph=local', act: (page) => page.locator('canvas[data-settled]').waitFor() },
  'the graph of all pages': { path: 'Home.html?graph=all', act: (page) => page.locator('canvas[data-settled]').waitFor() },
  'a preview': {
    path: 'Home.html',
    act: async (page) => {
      // On a narrow screen, nothing visible shows that the app has started.
      for (let tried = 0; tried < 30 && !(await page.locator('#ubp_preview').isVisible()); tried++) {
        await page.locator('main a.link').first().focus();
        await page.keyboard.press('Tab');
        await page.waitForTimeout(500);
      }
      await page.locator('#ubp_preview').waitFor();
    },
  },
  'opening a folder': {
    path: 'Home.html',
    act: async (page) => {
      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByRole('button', { name: /Open a folder/ }).click();
      await page.getByRole('button', { name: /Choose a folder/ }).waitFor();
    },
  },
  'the filtered page list': {
    path: 'Home.html',
    act: async (page, isNarrow) => {
      if (isNarrow) await page.getByRole('button', { name: 'Page list' }).click();
      await page.getByRole('button', { name: /^Sort/ }).click();
      await page.getByRole('combobox', { name: 'Sort by' }).selectOption('links');
    },
  },
  'the details of a page': {
    path: 'Guides/Reading.html',
    act: async (page, isNarrow) => {
      if (isNarrow) await page.getByRole('button', { name: 'About this page' }).click();
      await page.getByRole('heading', { name: 'Backlinks' }).first().waitFor();
    },
  },
};

for (const width of [1440, 390]) {
  describe(`${width} wide`, () => {
    for (const [name, { path, act, unready }] of Object.entries(VIEWS)) {
      test(name, async () => {
        const { page, done } = await own.open(path, { context: { colorScheme: 'light', viewport: { width, height: 900 } } });
        if (width > 860 && !unready) await ready(page);
        else await page.locator('#ubp_bar .search').waitFor();
        await act?.(page, width < 860);
        await settled(page);
        await accessible(page, `${name}, light`);
        await page.emulateMedia({ colorScheme: 'dark' });
        await settled(page);
        await accessible(page, `${name}, dark`, ['color-contrast', 'link-in-text-block']);
        await done();
      });
    }
  });
}
