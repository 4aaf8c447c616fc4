// Enabling and disabling the plugin, its settings, and 1,000 notes.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { test } from 'node:test';
import { mainScript, manifest, ready, settled, withApp } from './support.mjs';
import { generated, small } from './vault.mjs';

const app = withApp();

/** What the plugin has registered with the app. */
const traces = (page) =>
  page.evaluate(() => {
    const { host } = window;
    const { commands, tabs, items } = host.registered;
    return { commands: commands.size, tabs: tabs.size, items: items.size, views: host.app.workspace.views.size, listeners: host.listening.size, post: host.postProcessors.size, extensions: host.editorExtensions.length, suggests: host.suggests.length };
  });

test('nothing is left when the plugin is disabled, also while it indexes, and it can be enabled again', async () => {
  const { page, problems, close } = await app.start({ files: small });
  await page.evaluate(async () => {
    await window.host.open('Login.md', 'preview');
    await window.host.run('open-backlinks');
    await window.host.run('open-suggestions');
  });
  await page.waitForSelector('.markdown-preview-view .ubp-type');
  assert.equal(page.workers().length, 1);
  assert.deepEqual(await traces(page), { commands: 5, tabs: 1, items: 1, views: 2, listeners: 7, post: 1, extensions: 1, suggests: 1 });
  await page.evaluate(() => window.host.disable());
  const nothing = { commands: 0, tabs: 0, items: 0, views: 0, listeners: 0, post: 0, extensions: 0, suggests: 0 };
  await page.waitForFunction(() => !document.querySelector('.ubp-type, .ubp-view'));
  assert.deepEqual(await traces(page), nothing);
  assert.equal(page.workers().length, 0);
  assert.equal(await page.locator('.markdown-preview-view a').first().textContent(), 'depends_on');
  await page.evaluate((manifest) => window.host.enable({ files: [] }, manifest), manifest);
  await ready(page);
  await page.waitForSelector('.markdown-preview-view .ubp-type');
  await page.evaluate(() => {
    window.host.run('rebuild');
    window.host.disable();
  });
  assert.deepEqual(await traces(page), nothing);
  await page.waitForTimeout(300);
  assert.equal(page.workers().length, 0);
  assert.deepEqual(problems, []);
  await close();
});

test('settings from anybody are checked, and change what is shown', async () => {
  const { page, close } = await app.start({ files: small, data: { showTypes: 'yes', meaning: 9, unknown: 1 } });
  assert.deepEqual(await page.evaluate(() => window.host.plugin.settings), { showTypes: true, completeTypes: true, meaning: 'desktop' });
  const settings = await page.evaluate(() => {
    const [tab] = window.host.registered.tabs;
    tab.display();
    tab.display();
    document.body.append(tab.containerEl);
    return [...tab.containerEl.querySelectorAll('.setting-item-name')].map((name) => name.textContent);
  });
  assert.deepEqual(settings, ['Links', 'Show link types', 'Complete link types', 'Search by meaning', 'Freshness', 'Program ubp', 'Index']);
  await page.locator('input[type="checkbox"]').nth(1).uncheck();
  assert.deepEqual(await page.evaluate(() => window.host.data), { showTypes: true, completeTypes: false, meaning: 'desktop' });
  await page.evaluate(() => window.host.open('Login.md', 'live'));
  await page.evaluate(() => window.host.type(' [[Sessions|'));
  assert.equal(await page.locator('.suggestion-item').count(), 0);
  await page.locator('button:text("Rebuild")').click();
  await page.waitForFunction(() => window.host.notices.length > 0);
  assert.deepEqual(await page.evaluate(() => window.host.notices), ['The index has 5 notes.']);
  await close();
});

test('Japanese words everywhere, from the plugin and from the engine', async () => {
  const { page, problems, close } = await app.start({ files: small, language: 'ja' });
  await page.evaluate(async () => {
    await window.host.open('Login.md');
    await window.host.run('open-backlinks');
    await window.host.run('open-suggestions');
  });
  await page.waitForSelector('.ubp-add:text("リンク")');
  const names = await page.evaluate(() => [...window.host.registered.commands.values()].map(({ name }) => name));
  assert.ok(names.every((name) => /[぀-ヿ一-龯]/.test(name)), names.join());
  const message = await page.evaluate(() => window.host.plugin.engine.call('get_page', { filepath: 'never.md' }).catch((error) => error.message));
  assert.match(message, /[぀-ヿ]/);
  assert.deepEqual(problems, []);
  await close();
});

for (const isMobile of [false, true]) {
  test(`1,000 notes ${isMobile ? 'on mobile' : 'on desktop'}: loading does not wait for the index, and a change takes one note`, async (t) => {
    const files = generated(1000);
    const { page, before, loaded, indexed, problems, close } = await app.start({ files, isMobile });
    const memory = await app.memory(page);
    const { page_count, link_count } = await page.evaluate(() => window.host.plugin.engine.call('status', {}));
    assert.equal(page_count, 1000);
    const reads = await page.evaluate(() => window.host.app.vault.adapter.reads);
    const took = await page.evaluate(async () => {
      const { vault } = window.host.app;
      const times = [];
      for (let n = 0; n < 5; n++) {
        await vault.modify(vault.getFileByPath('folder 1/Note 1.md'), `# Note 1\n\n[[Note 2|extends]] changed ${n}\n`);
        const begun = performance.now();
        await window.host.plugin.engine.settle();
        times.push(performance.now() - begun);
      }
      return times.sort((a, b) => a - b)[2];
    });
    await settled(page);
    assert.equal(await page.evaluate(() => window.host.app.vault.adapter.reads), reads + 5);
    const found = await page.evaluate(() => window.host.plugin.engine.call('search', { query: 'changed 4', mode: 'fulltext' }));
    assert.equal(found.results[0].filepath, 'folder 1/Note 1.md');
    const bytes = Buffer.byteLength(mainScript());
    t.diagnostic(`${link_count} links; loaded in ${loaded.toFixed(0)} ms, indexed after ${indexed.toFixed(0)} ms, a change after ${took.toFixed(0)} ms; memory ${before?.toFixed(0)} MB before, ${memory?.toFixed(0)} MB after; main.js ${bytes} bytes, gzipped ${gzipSync(mainScript()).length}`);
    assert.deepEqual(problems, []);
    await close();
  });
}
