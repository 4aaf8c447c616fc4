// Where typed text goes: into a page just created, below its title, however slow the server is; to the last cursor position in
// a page opened again; and never into a page that was only opened.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { editor, empty, ready, saved, until, withViewer } from './workspace.mjs';

/** The delay of every answer in milliseconds. */
const late = (page, milliseconds) =>
  page.route('**/api/**', async (route) => {
    if (route.request().url().endsWith('/events')) return route.continue();
    await sleep(milliseconds);
    await route.continue().catch(() => {});
  });

/** The page's text without front matter. */
const textOf = (own, path) => (existsSync(own.page(path)) ? own.read(path).replace(/^---\n.*?\n---\n/s, '') : '');

const landed = (own, path, text) => until(() => textOf(own, path) === text, () => `${path} says ${JSON.stringify(textOf(own, path))}`, 15_000);

async function makePage(page, name) {
  await page.keyboard.press('Alt+n');
  await page.getByRole('dialog', { name: 'New page' }).waitFor();
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
}

describe('text typed for a page just created', () => {
  const own = withViewer();

  test('goes into it, below its title: at once, and after two seconds', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await editor(page).click();
    const before = own.read('Home.md');
    await makePage(page, 'At once');
    await page.keyboard.type('Body of the page.');
    await landed(own, 'At once.md', '# At once\n\nBody of the page.');
    await makePage(page, 'Two seconds');
    await sleep(2000);
    await page.keyboard.type('Body of the page.');
    await landed(own, 'Two seconds.md', '# Two seconds\n\nBody of the page.');
    assert.equal(own.read('Home.md'), before);
    await done();
  });

  test('goes into it if nothing was edited before', async () => {
    const { page, done } = await own.open('Home.html', { settings: { opening: 'read' } });
    await ready(page);
    await makePage(page, 'From reading');
    await page.keyboard.type('It was read before.');
    await landed(own, 'From reading.md', '# From reading\n\nIt was read before.');
    await done();
  });

  test('goes into it and nowhere else while the server is slow', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await editor(page).click();
    const before = own.read('Home.md');
    await late(page, 700);
    await makePage(page, 'Slowly');
    for (const word of ['One ', 'two ', 'three ', 'four ', 'five ', 'six ', 'seven ', 'eight.']) {
      await page.keyboard.type(word);
      await sleep(400);
    }
    await landed(own, 'Slowly.md', '# Slowly\n\nOne two three four five six seven eight.');
    assert.equal(own.read('Home.md'), before);
    await done();
  });

  test('is kept if the page cannot be created, and goes into it once it is', async () => {
    const { page, done } = await own.open('Home.html', { expectErrors: true });
    await ready(page);
    await page.keyboard.press('Alt+n');
    const dialog = page.getByRole('dialog', { name: 'New page' });
    await dialog.getByLabel('Folder').fill('../outside');
    await late(page, 300);
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Kept');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Typed too early.');
    await dialog.getByRole('alert').waitFor();
    assert.equal(await dialog.getByRole('textbox', { name: 'Text' }).inputValue(), 'Typed too early.');
    assert.equal(await dialog.getByRole('textbox', { name: 'Name' }).inputValue(), 'Kept');
    await dialog.getByLabel('Folder').fill('');
    await dialog.getByRole('button', { name: 'Create page' }).click();
    await landed(own, 'Kept.md', '# Kept\n\nTyped too early.');
    await done();
  });

  test('goes into it during a composition', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await late(page, 500);
    await makePage(page, 'Composed');
    await page.locator('[data-type-ahead]').waitFor({ state: 'attached' });
    const keys = await page.context().newCDPSession(page);
    await keys.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await until(() => existsSync(own.page('Composed.md')), 'the page is created');
    await sleep(1500);
    await keys.send('Input.insertText', { text: '日本' });
    await landed(own, 'Composed.md', '# Composed\n\n日本');
    await done();
  });

  test('goes into a page created with the palette', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await late(page, 300);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor();
    await page.keyboard.type('Out of the palette');
    await page.getByRole('option', { name: 'Create page: “Out of the palette”' }).click();
    await page.keyboard.type('And on.');
    await landed(own, 'Out of the palette.md', '# Out of the palette\n\nAnd on.');
    await done();
  });

  test('goes into a page created from a link, and the page with the link is unchanged', async () => {
    own.write('Linking.md', '# Linking\n\nTo [[Nobody wrote this]].\n');
    const { page, done } = await own.open('Linking.html');
    await ready(page);
    await page.locator('.cm-content .cm-missing').first().waitFor();
    await late(page, 300);
    await editor(page).getByText('Nobody wrote this').click({ modifiers: ['Control'] });
    await page.keyboard.type('Now somebody did.');
    await landed(own, 'Nobody wrote this.md', '# Nobody wrote this\n\nNow somebody did.');
    assert.equal(own.read('Linking.md'), '# Linking\n\nTo [[Nobody wrote this]].\n');
    await done();
  });

  test('is undone with the page', async () => {
    const { page, done } = await own.open('Home.html', { expectErrors: true });
    await ready(page);
    await makePage(page, 'Never mind');
    await page.getByText('Created “Never mind”.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(() => !existsSync(own.page('Never mind.md')), 'the page is gone');
    await until(async () => page.url().endsWith('Home.html'), 'the previous page is shown');
    await makePage(page, 'Minded');
    await page.keyboard.type('Text.');
    await landed(own, 'Minded.md', '# Minded\n\nText.');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('“Minded” was edited since, so it was not removed.').waitFor();
    assert.ok(existsSync(own.page('Minded.md')));
    await done();
  });
});

describe('an existing page', () => {
  const own = withViewer();

  test('has no cursor in its text when it is opened, so that single keys are commands', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await editor(page).click();
    const before = own.read('Guides/Reading.md');
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Reading' }).click();
    await until(async () => /Text of Reading/.test(await editor(page).getAttribute('aria-label')), 'it is shown');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await until(async () => page.url().includes('graph'), 'the graph is shown');
    await page.keyboard.press('g');
    await sleep(600);
    assert.equal(own.read('Guides/Reading.md'), before);
    await done();
  });

  test('receives nothing that is typed before it is shown, and neither does the previous page', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await editor(page).click();
    await page.keyboard.press('Control+End');
    const before = [own.read('Home.md'), own.read('Alone.md')];
    await late(page, 600);
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Alone' }).click();
    for (let time = 0; time < 8; time++) {
      await page.keyboard.type('x');
      await sleep(200);
    }
    await sleep(1500);
    assert.deepEqual([own.read('Home.md'), own.read('Alone.md')], before);
    await done();
  });

  test('restores its cursor position', async () => {
    own.write('Left.md', '# Left\n\nOne two three.\n');
    const { page, done } = await own.open('Left.html');
    await ready(page);
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type(' Four');
    await saved(page);
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Alone' }).click();
    await until(async () => /Text of Alone/.test(await editor(page).getAttribute('aria-label')), 'the other is shown');
    await page.keyboard.press('Alt+ArrowLeft');
    await until(async () => /Text of Left/.test(await editor(page).getAttribute('aria-label')), 'it is shown again');
    await until(() => page.evaluate(() => document.activeElement?.matches('.cm-content')), 'it has the focus');
    await page.keyboard.type(' five.');
    await until(() => /One two three\. Four five\./.test(own.read('Left.md')), () => own.read('Left.md'));
    await done();
  });

  test('has the cursor below its title when it is opened for editing by keyboard', async () => {
    own.write('Titled.md', '---\ntags: [x]\n---\n\n# Titled\n\nText.\n');
    const { page, done } = await own.open('Titled.html', { settings: { opening: 'read' } });
    await ready(page);
    await page.keyboard.press('Control+e');
    await until(() => page.evaluate(() => document.activeElement?.matches('.cm-content')), 'it has the focus');
    await page.keyboard.type('More ');
    await until(() => own.read('Titled.md').endsWith('# Titled\n\nMore Text.\n'), () => own.read('Titled.md'));
    await done();
  });
});

describe('the first page of a project', () => {
  const own = withViewer({ prepare: empty });

  test('receives the keyboard', async () => {
    const { page, done } = await own.open('');
    await page.getByRole('button', { name: 'Create your first page' }).click();
    await page.getByRole('dialog', { name: 'New page' }).waitFor();
    await page.keyboard.type('First page');
    await page.keyboard.press('Enter');
    await page.keyboard.type('hello there');
    await landed(own, 'First page.md', '# First page\n\nhello there');
    assert.ok(!page.url().includes('review'), 'typing ran a command');
    await sleep(2000);
    await page.keyboard.type(', and more');
    await landed(own, 'First page.md', '# First page\n\nhello there, and more');
    await done();
  });
});

describe('the first page of a project, while the server is slow', () => {
  const own = withViewer({ prepare: empty });

  test('receives the keyboard', async () => {
    const { page, done } = await own.open('');
    await page.getByRole('button', { name: 'Create your first page' }).waitFor();
    await late(page, 600);
    await page.getByRole('button', { name: 'Create your first page' }).click();
    await page.getByRole('dialog', { name: 'New page' }).waitFor();
    await page.keyboard.type('First page');
    await page.keyboard.press('Enter');
    for (const word of ['hello ', 'there, ', 'slow ', 'server ', 'and ', 'rest.']) {
      await page.keyboard.type(word);
      await sleep(500);
    }
    await landed(own, 'First page.md', '# First page\n\nhello there, slow server and rest.');
    await done();
  });
});
