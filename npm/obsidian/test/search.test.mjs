// The search dialog: by words everywhere, by meaning where a model is installed and may use memory.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { plugin, withApp } from './support.mjs';
import { small } from './vault.mjs';

const app = withApp();
const root = join(plugin, '../..');
const semantic = join(root, 'bindings-wasm/dist/semantic/ubp_semantic_bg.wasm');
const base64 = (path) => readFileSync(path).toString('base64');
const FOLDER = '.obsidian/plugins/unified-blueprint/meaning';
const model = () => [
  { path: `${FOLDER}/ubp_semantic_bg.wasm`, base64: base64(semantic) },
  ...['model.onnx', 'tokenizer.json', 'model.json'].map((name) => ({ path: `${FOLDER}/${name}`, base64: base64(join(root, 'core/models/tiny/bert', name)) })),
];

async function searching(page, query) {
  if (!(await page.locator('.ubp-search').count())) await page.evaluate(() => window.host.run('search'));
  await page.locator('.ubp-search-input').fill(query);
}
const how = (page, words) => page.waitForFunction((words) => document.querySelector('.ubp-search-how')?.textContent.includes(words), words);

test('finds sections by words, shows the selected one, and opens it at its line', async () => {
  const { page, problems, close } = await app.start({ files: small });
  await searching(page, 'ten sessions');
  await how(page, 'the model for search by meaning is not installed');
  const result = page.locator('.ubp-result').first();
  assert.equal(await result.locator('.ubp-result-title').textContent(), 'Sessions');
  assert.deepEqual(await result.locator('mark').allTextContents(), ['ten', 'sessions']);
  await page.waitForSelector('.ubp-search-preview :text("At most ten sessions for each user.")');
  assert.equal(await page.locator('.ubp-search-input').getAttribute('aria-activedescendant'), 'ubp-result-0');
  await page.locator('.ubp-search-input').fill('login');
  await page.waitForFunction(() => document.querySelectorAll('.ubp-result').length > 1);
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.locator('.ubp-result.is-selected').getAttribute('id'), 'ubp-result-1');
  const title = await page.locator('.ubp-result.is-selected .ubp-result-title').textContent();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => window.host.app.workspace.opened.length > 0);
  const [{ path, line }] = await page.evaluate(() => window.host.app.workspace.opened);
  assert.ok(path.endsWith(`${title}.md`), `${path} is not ${title}`);
  assert.equal(typeof line, 'number');
  assert.equal(await page.locator('.ubp-search').count(), 0);
  assert.deepEqual(problems, []);
  await close();
});

test('Japanese words, nothing found, no query', async () => {
  const { page, close } = await app.start({ files: [...small, { path: '認証.md', text: '# 認証\n\n利用者の認証は索引とは別です。\n' }], language: 'ja' });
  await searching(page, '利用者の認証');
  await page.waitForSelector('.ubp-result-title:text("認証")');
  await how(page, '意味検索のモデルがインストールされていません');
  await searching(page, 'zzzzqqqq');
  await page.waitForSelector('.ubp-message:text("見つかりませんでした。")');
  await searching(page, '');
  await page.waitForSelector('.ubp-message:text("語句または質問を入力してください。")');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.ubp-search').count(), 0);
  await close();
});

test('an installed model ranks by meaning on desktops, and on mobile only if the user wants', { skip: existsSync(semantic) ? false : 'the semantic module is not built' }, async () => {
  const desktop = await app.start({ files: [...small, ...model()] });
  await desktop.page.waitForFunction(() => window.host.plugin.engine.meaning.state === 'ready' && window.host.plugin.engine.vectors?.done === window.host.plugin.engine.vectors?.total);
  await searching(desktop.page, 'where do passwords live');
  await how(desktop.page, 'Ranked by meaning, words and links.');
  // New text has vectors as well.
  await desktop.page.evaluate(() => window.host.app.vault.create('Vault of words.md', '# Vault of words\n\npasswords live here\n').then(() => undefined));
  await desktop.page.waitForSelector('.ubp-result-title:text("Vault of words")');
  await how(desktop.page, 'Ranked by meaning, words and links.');
  // Turning it off gives the memory back.
  await desktop.page.keyboard.press('Escape');
  await desktop.page.evaluate(() => window.host.plugin.change({ meaning: 'never' }));
  await searching(desktop.page, 'passwords');
  await how(desktop.page, 'search by meaning is off on this device');
  assert.deepEqual(desktop.problems, []);
  await desktop.close();

  const mobile = await app.start({ files: [...small, ...model()], isMobile: true });
  await searching(mobile.page, 'passwords');
  await how(mobile.page, 'search by meaning is off on this device');
  assert.equal(await mobile.page.evaluate(() => window.host.plugin.engine.meaning.state), 'offered');
  await mobile.page.keyboard.press('Escape');
  await mobile.page.evaluate(() => window.host.plugin.change({ meaning: 'everywhere' }));
  await mobile.page.waitForFunction(() => window.host.plugin.engine.meaning.state === 'ready');
  await searching(mobile.page, 'passwords');
  await how(mobile.page, 'Ranked by meaning, words and links.');
  assert.deepEqual(mobile.problems, []);
  await mobile.close();
});

test('vectors are kept on the device: a second start computes none', { skip: existsSync(semantic) ? false : 'the semantic module is not built' }, async () => {
  const { page, problems, close } = await app.start({ files: [...small, ...model()], stored: { 'unified-blueprint-vectors': 'vectors-of-test' } });
  const isReady = () => page.waitForFunction(() => window.host.plugin.engine.vectors?.done === window.host.plugin.engine.vectors?.total && window.host.plugin.engine.meaning.state === 'ready');
  const change = (what) =>
    page.evaluate(async ([what, dimensions]) => {
      const opening = indexedDB.open('vectors-of-test');
      const database = await new Promise((resolve) => (opening.onsuccess = () => resolve(opening.result)));
      const store = database.transaction('vectors', 'readwrite').objectStore('vectors');
      const keys = await new Promise((resolve) => (store.getAllKeys().onsuccess = ({ target }) => resolve(target.result)));
      // Every text has the same vector now, which no model computes.
      if (what === 'spoil') for (const key of keys) store.put(new Float32Array(dimensions).fill(0).fill(1, 0, 1), key);
      await new Promise((resolve) => (store.transaction.oncomplete = resolve));
      database.close();
      return keys.length;
    }, [what, JSON.parse(readFileSync(join(root, 'core/models/tiny/bert/model.json'), 'utf8')).dimensions]);
  await isReady();
  await page.waitForTimeout(1500);
  const { total } = await page.evaluate(() => window.host.plugin.engine.vectors);
  assert.ok(total >= 6);
  assert.ok((await change('spoil')) >= total);
  const similar = () => page.evaluate(async () => {
    const { results } = await window.host.plugin.engine.call('search', { query: 'passwords', mode: 'vector' });
    return new Set(results.map(({ score_breakdown }) => score_breakdown.vector_similarity)).size;
  });
  assert.ok((await similar()) > 1);
  await page.evaluate(async () => window.host.plugin.engine.rebuild());
  await isReady();
  assert.equal(await similar(), 1);
  assert.deepEqual(problems, []);
  await close();
});

test('a damaged model is reported, and search by words still works', { skip: existsSync(semantic) ? false : 'the semantic module is not built' }, async () => {
  const damaged = model().map((file) => (file.path.endsWith('model.onnx') ? { path: file.path, text: 'not a model' } : file));
  const { page, close } = await app.start({ files: [...small, ...damaged] });
  await searching(page, 'passwords');
  await how(page, 'the model could not be loaded');
  assert.equal(await page.locator('.ubp-result-title').first().textContent(), 'User database');
  await close();
});
