// `ubp hub view`: the list of projects, the switch between them, one search over all, and links from one to another. If
// UBP_SHOTS is a folder, writes a screenshot of each screen there.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { accessible, launch, openPage, settled } from '../browser/support.mjs';
import { until, Viewer } from './editing.mjs';
import { wordsIn } from './words.mjs';

const manifest = JSON.stringify({ version: '1.0.0', schema_version: 1, pages_dir: 'pages', frontmatter: 'preserved', created_at: '2026-01-01T00:00:00Z' });
const PAGES = {
  'auth/pages/index.md': '# Home of auth\n\n[[Login]]\n',
  'auth/pages/login.md': '# Login\n\nSign in with a token, then [[shop:Checkout|depends_on]], by [[shop:Checkout#Refunds|refunds]]. Not [[shop:nothing]].\n',
  'auth/pages/notes.md': '# Notes\n\nText.\n',
  'shop/pages/index.md': '# Home of shop\n\nA token is needed.\n',
  'shop/pages/checkout.md': '# Checkout\n\nPay with copper.\n\n## Refunds\n\nSee [[auth:Login]].\n',
  'front/pages/決済.md': '# 決済\n\nトークンが必要です。\n',
  'late/pages/late.md': '# Late\n\nA token comes late.\n',
};
const list = (projects) => JSON.stringify({ projects });
const PROJECTS = ['auth', 'broken', 'front', { path: 'shop', tags: ['money'] }];
const BROKEN = /manifest\.json:1/;

const root = mkdtempSync(join(tmpdir(), 'ubp-hub-'));
const write = (path, text) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
let [browser, hub] = [];

before(async () => {
  for (const [path, text] of Object.entries(PAGES)) write(path, text);
  for (const project of ['auth', 'shop', 'front', 'late']) write(`${project}/.ubp/manifest.json`, manifest);
  write('broken/.ubp/manifest.json', '{ broken');
  write('hub.json', list(PROJECTS));
  browser = await launch();
  hub = await Viewer.start(root, undefined, {}, ['hub', 'view'], 'projects');
});
after(async () => {
  await browser?.close();
  await hub?.stop();
  rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

async function open(path = '', { settings = {}, ...options } = {}) {
  const opened = await openPage(browser, hub.url, options);
  await opened.page.context().addInitScript((kept) => {
    if (!localStorage.getItem('ubp')) localStorage.setItem('ubp', JSON.stringify(kept));
  }, settings);
  await opened.page.goto(hub.entry(path));
  await mounted(opened.page);
  return opened;
}

const rows = (page) => page.locator('.projects li');
const row = (page, name) => rows(page).filter({ has: page.locator(`:is(a, strong):text-is("${name}")`) });
/** Waits until the application is there, which obeys keys. */
const mounted = (page) => page.locator('#ubp_bar .bar').waitFor();

async function at(page, path) {
  await until(() => page.url() === hub.url + path, () => `expected ${path}, not ${page.url()}`);
  await mounted(page);
}
const hits = (page) => page.getByRole('option').evaluateAll((options) => options.map((option) => `${option.querySelector('.project')?.textContent}: ${option.querySelector('.title')?.textContent}`));

async function search(page, typed) {
  await page.keyboard.press('Control+k');
  await page.locator('dialog [role=combobox]').fill(typed);
  await page.getByRole('option').first().waitFor();
}

async function switcher(page) {
  await page.keyboard.press('Alt+o');
  await rows(page).first().waitFor();
}

test('the first page lists the projects with their pages, and names a broken one', async () => {
  const { page, done } = await open();
  await until(async () => (await row(page, 'shop').textContent())?.includes('2 pages'), 'the pages of shop');
  assert.match(await row(page, 'shop').textContent(), /#money/);
  assert.match(await row(page, 'broken').textContent(), BROKEN);
  assert.equal(await row(page, 'broken').locator('a').count(), 0);
  await page.getByRole('textbox', { name: 'Filter projects' }).fill('money');
  assert.equal(await rows(page).count(), 1);
  await page.keyboard.press('Enter');
  await at(page, 'p/shop/');
  await done();
});

test('one search finds pages of all projects, and opens each in its project', async () => {
  const { page, done } = await open();
  await search(page, 'token');
  await until(async () => (await hits(page)).length >= 2, async () => `hits: ${await hits(page)}`);
  const found = await hits(page);
  for (const hit of ['auth: Login', 'shop: Home of shop']) assert.ok(found.includes(hit), `${hit} in ${found}`);
  await page.getByText('Not searched: broken').waitFor();
  await page.getByRole('option', { name: /Home of shop/ }).first().click();
  await at(page, 'p/shop/index.html#home-of-shop');
  // Within a project, the same search; its own pages open without loading the application again.
  await search(page, 'copper');
  await page.getByRole('option', { name: /Checkout/ }).first().click();
  await until(() => page.url().startsWith(`${hub.url}p/shop/checkout.html`), 'the page of this project');
  await search(page, 'token');
  await page.getByRole('option', { name: /Login/ }).first().waitFor();
  await page.getByRole('button', { name: 'All projects' }).click();
  // The text of a page of this project links to Login, so titles decide.
  const titles = () => page.locator('[role=option] .title').allTextContents();
  await until(async () => (await titles()).includes('Home of shop') && !(await titles()).includes('Login'), async () => `only this project is searched: ${await titles()}`);
  await done();
});

test('projects are switched by keyboard and by mouse', async () => {
  const { page, done } = await open('p/auth/login.html');
  await page.getByRole('button', { name: /^auth ?, switch project$/ }).waitFor();
  await switcher(page);
  assert.equal(await row(page, 'auth').locator('a').getAttribute('aria-current'), 'page');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'front');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await at(page, 'p/shop/');
  await page.getByRole('button', { name: /^shop ?, switch project$/ }).click();
  await row(page, 'front').locator('a').click();
  await at(page, 'p/front/');
  await page.getByRole('button', { name: /^front ?, switch project$/ }).click();
  await page.getByRole('link', { name: 'All projects' }).click();
  await at(page, '');
  await done();
});

test('links lead into another project, and its page shows where they come from', async () => {
  const { page, done } = await open('p/auth/login.html');
  const link = (name) => page.locator('.prose').getByRole('link', { name, exact: true });
  await until(async () => (await page.locator('.prose a.elsewhere').count()) === 2, 'both links lead to shop');
  assert.equal(await page.locator('.prose a.missing').textContent(), 'shop:nothing');
  const missing = page.getByRole('complementary').locator('.missing li');
  await until(async () => (await missing.allTextContents()).join() === 'shop:nothing', 'only one link is broken');
  await link('refunds').click();
  await at(page, 'p/shop/checkout.html#checkout/refunds');
  const back = page.getByRole('complementary').locator('.backlinks a[data-type="depends_on"]');
  await back.waitFor();
  await page.getByRole('complementary').getByText('auth:login.md').first().waitFor();
  await back.click();
  await at(page, 'p/auth/login.html');
  await done();
});

test('a page is edited in its project, and no text is lost by switching', async () => {
  const { page, done } = await open('p/auth/notes.html', { settings: { opening: 'edit', live: false } });
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('Typed just before, see [[shop:Checkout]].');
  await switcher(page);
  await row(page, 'shop').locator('a').click();
  await at(page, 'p/shop/');
  await until(() => readFileSync(join(root, 'auth/pages/notes.md'), 'utf8').endsWith('see [[shop:Checkout]].\n') || readFileSync(join(root, 'auth/pages/notes.md'), 'utf8').endsWith('see [[shop:Checkout]].'), 'the text is in its file');
  await page.goto(`${hub.url}p/auth/notes.html`);
  const written = page.locator('.cm-content .cm-page-link', { hasText: 'shop:Checkout' });
  await written.waitFor();
  await until(async () => (await page.locator('.cm-content .cm-missing').count()) === 0, 'the link is not broken');
  await written.first().click({ modifiers: ['Control'] });
  await at(page, 'p/shop/checkout.html');
  await done();
});

test('links to other projects are completed while they are typed', async () => {
  const { page, done } = await open('p/auth/index.html', { settings: { opening: 'edit', live: false } });
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('[[shop:che');
  const option = page.locator('.cm-candidates [role=option]');
  await option.filter({ hasText: 'Checkout' }).waitFor();
  assert.match(await option.first().textContent(), /shop:checkout/);
  await page.keyboard.press('Enter');
  await until(() => readFileSync(join(root, 'auth/pages/index.md'), 'utf8').includes('[[shop:Checkout]]'), 'the link is written');
  await done();
});

test('projects come and go while the list is shown', async () => {
  const { page, done } = await open();
  await row(page, 'auth').waitFor();
  write('hub.json', list([...PROJECTS, 'late']));
  await row(page, 'late').waitFor();
  await until(async () => (await row(page, 'late').textContent())?.includes('1 page'), 'its pages');
  write('hub.json', '{');
  await page.getByText('The list of projects cannot be read').waitFor();
  assert.equal(await row(page, 'late').count(), 1, 'the projects stay');
  write('hub.json', list(PROJECTS));
  await page.getByText('The list of projects cannot be read').waitFor({ state: 'detached' });
  await row(page, 'late').waitFor({ state: 'detached' });
  await done();
});

const SCREENS = {
  'the projects': { act: (page) => row(page, 'shop').locator('.counts span').first().waitFor() },
  'a search over all projects': { act: (page) => search(page, 'token') },
  'a page of a project': { path: 'p/auth/login.html', act: (page) => page.locator('.prose a.elsewhere').first().waitFor() },
  'the switch of projects': { path: 'p/auth/login.html', act: switcher },
  'a search in a project': { path: 'p/auth/login.html', act: (page) => search(page, 'token') },
};

async function look(name, width, { path, act }, locale = 'en-GB') {
  const { page, done } = await open(path, { context: { locale, colorScheme: 'light', viewport: { width, height: 900 } } });
  await act(page);
  await settled(page);
  const picture = (theme) => process.env.UBP_SHOTS && page.screenshot({ path: `${process.env.UBP_SHOTS}/hub ${name} ${locale} ${width} ${theme}.png` });
  await picture('light');
  await accessible(page, `${name}, light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await settled(page);
  await picture('dark');
  await accessible(page, `${name}, dark`, ['color-contrast', 'link-in-text-block']);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the window');
  await done();
}

for (const width of [1440, 390]) {
  describe(`${width} wide`, () => {
    for (const [name, screen] of Object.entries(SCREENS)) test(name, () => look(name, width, screen));
  });
}
describe('in Japanese', () => {
  for (const name of ['the projects', 'the switch of projects']) test(name, () => look(name, 390, SCREENS[name], 'ja'));
});

test('the words of the list and of the switch are Japanese', async () => {
  const ja = await wordsIn('ja');
  const { page, done } = await open('', { context: { locale: 'ja' } });
  await page.getByRole('heading', { name: ja.hub.projects }).waitFor();
  await page.getByRole('button', { name: ja.hub.search }).waitFor();
  await page.getByText(ja.hub.unreadable).waitFor();
  await until(async () => (await row(page, 'auth').textContent())?.includes('3 ページ'), 'the number of pages');
  assert.equal(await page.title(), ja.hub.projects);
  await row(page, 'auth').locator('a').click();
  await page.getByRole('button', { name: new RegExp(`^auth ?${ja.hub.switch}$`) }).click();
  await page.getByRole('dialog', { name: ja.hub.projects }).waitFor();
  assert.match(await row(page, 'auth').textContent(), new RegExp(ja.hub.here));
  await done();
});
