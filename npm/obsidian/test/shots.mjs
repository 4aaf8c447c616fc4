// Pictures to look at, not a test: node test/shots.mjs FOLDER
import { test } from 'node:test';
import { join } from 'node:path';
import { withApp } from './support.mjs';
import { small } from './vault.mjs';
const app = withApp();
const folder = '/tmp/w/shots';
test('shots', async () => {
  for (const [name, options] of Object.entries({ light: {}, dark: { dark: true }, narrow: { width: 390, height: 844, isMobile: true, dark: true }, ja: { language: 'ja' } })) {
    const { page } = await app.start({ files: small, ...options });
    await page.evaluate(async () => { await host.open('Login.md', 'preview'); await host.run('open-backlinks'); await host.run('open-suggestions'); });
    await page.waitForSelector('.ubp-add'); await page.waitForTimeout(600);
    await page.screenshot({ path: join(folder, `ob-${name}-panel.png`) });
    await page.evaluate(async () => { await host.open('Login.md', 'live'); });
    await page.waitForTimeout(700);
    await page.evaluate(() => host.type('\n[[Sessions|'));
    await page.screenshot({ path: join(folder, `ob-${name}-live.png`) });
    await page.evaluate(() => host.run('search'));
    await page.locator('.ubp-search-input').fill('session for a user');
    await page.waitForTimeout(800);
    await page.screenshot({ path: join(folder, `ob-${name}-search.png`) });
  }
});
