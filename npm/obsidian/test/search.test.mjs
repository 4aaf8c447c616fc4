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
const skip = existsSync(semantic) ? false : 'the semantic module is not built';
const DATABASE = 'vectors-of-test';
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

test('an installed model ranks by meaning on desktops; vectors are kept on the device', { skip }, async () => {
  const { page, problems, close } = await app.start({ files: small, installed: model(), stored: { 'unified-blueprint-vectors': DATABASE } });
  const isReady = () => page.waitForFunction(() => window.host.plugin.engine.vectors?.done === window.host.plugin.engine.vectors?.total && window.host.plugin.engine.meaning.state === 'ready');
  await isReady();
  await searching(page, 'where do passwords live');
  await how(page, 'Ranked by meaning, words and links.');
  // New text has vectors as well.
  await page.evaluate(() => window.host.app.vault.create('Vault of words.md', '# Vault of words\n\npasswords live here\n').then(() => undefined));
  await page.waitForSelector('.ubp-result-title:text("Vault of words")');
  await how(page, 'Ranked by meaning, words and links.');
  await page.keyboard.press('Escape');
  // If all kept vectors are the same, which no model computes, a new index shows that it took them.
  const { total } = await page.evaluate(() => window.host.plugin.engine.vectors);
  assert.ok(total >= 7);
  await page.waitForTimeout(1200);
  assert.ok((await spoil(page)) >= total);
  const similarities = () =>
    page.evaluate(async () => {
      const { results } = await window.host.plugin.engine.call('search', { query: 'passwords', mode: 'vector' });
      return new Set(results.map(({ score_breakdown }) => score_breakdown.vector_similarity)).size;
    });
  assert.ok((await similarities()) > 1);
  await page.evaluate(() => window.host.plugin.engine.rebuild());
  await isReady();
  assert.equal(await similarities(), 1);
  // Turning it off gives the memory back.
  await page.evaluate(() => window.host.plugin.change({ meaning: 'never' }));
  await searching(page, 'passwords');
  await how(page, 'search by meaning is off on this device');
  assert.deepEqual(problems, []);
  await close();
});

/** Makes all kept vectors the same, and returns how many there are. */
function spoil(page) {
  const { dimensions } = JSON.parse(readFileSync(join(root, 'core/models/tiny/bert/model.json'), 'utf8'));
  return page.evaluate(
    async ([name, dimensions]) => {
      const answer = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
      const database = await answer(indexedDB.open(name));
      const store = database.transaction('vectors', 'readwrite').objectStore('vectors');
      const keys = await answer(store.getAllKeys());
      for (const key of keys) store.put(new Float32Array(dimensions).fill(1, 0, 1), key);
      await new Promise((resolve) => (store.transaction.oncomplete = resolve));
      database.close();
      return keys.length;
    },
    [DATABASE, dimensions],
  );
}

test('on mobile, a model uses memory only if the user wants', { skip }, async () => {
  const { page, problems, close } = await app.start({ files: small, installed: model(), isMobile: true });
  await searching(page, 'passwords');
  await how(page, 'search by meaning is off on this device');
  assert.equal(await page.evaluate(() => window.host.plugin.engine.meaning.state), 'offered');
  await page.keyboard.press('Escape');
  await page.evaluate(() => window.host.plugin.change({ meaning: 'everywhere' }));
  await page.waitForFunction(() => window.host.plugin.engine.meaning.state === 'ready');
  await searching(page, 'passwords');
  await how(page, 'Ranked by meaning, words and links.');
  assert.deepEqual(problems, []);
  await close();
});

test('a damaged model is reported, and search by words still works', { skip }, async () => {
  const damaged = model().map((file) => (file.path.endsWith('model.onnx') ? { path: file.path, text: 'not a model' } : file));
  const { page, close } = await app.start({ files: small, installed: damaged });
  await searching(page, 'passwords');
  await how(page, 'the model could not be loaded');
  assert.equal(await page.locator('.ubp-result-title').first().textContent(), 'User database');
  await close();
});
