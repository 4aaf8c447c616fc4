#!/usr/bin/env node
// Takes the screenshots of the README: `ubp viewer` over the pages of this repository.
//
//   node pictures.mjs --ubp PROGRAM     writes docs/pictures/editor-{light,dark}.webp
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Viewer, launch } from './viewer/editing.mjs';

const repository = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { ubp: { type: 'string' } } });
if (!values.ubp) {
  console.error('usage: node pictures.mjs --ubp PROGRAM');
  process.exit(2);
}
process.env.UBP_PROGRAM = resolve(values.ubp);

const clone = mkdtempSync(join(tmpdir(), 'ubp-pictures-'));
const out = join(repository, 'docs/pictures');
// A clone, because freshness needs the history.
execFileSync('git', ['clone', '--quiet', '--local', repository, clone]);
mkdirSync(out, { recursive: true });
const viewer = await Viewer.start(clone);
const browser = await launch();
try {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 760 }, deviceScaleFactor: 1.5, colorScheme, locale: 'en-GB', reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${viewer.url}?token=${viewer.token}`);
    await page.goto(`${viewer.url}search.html`);
    await page.locator('article.page').waitFor();
    await page.keyboard.press('Control+e');
    await page.locator('#ubp_desk .cm-content').waitFor();
    await page.locator('#ubp_rail .backlinks a').first().waitFor();
    await page.locator('.status').getByText('Index up to date').waitFor({ timeout: 120_000 });
    await page.evaluate(() => document.fonts.ready);
    const screen = await context.newCDPSession(page);
    const { data } = await screen.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
    writeFileSync(join(out, `editor-${colorScheme}.webp`), Buffer.from(data, 'base64'));
    await context.close();
  }
} finally {
  await browser.close();
  await viewer.stop();
  rmSync(clone, { recursive: true, force: true });
}
