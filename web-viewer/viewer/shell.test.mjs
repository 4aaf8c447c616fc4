// Around the editor: editing and reading mode, the sidebar, the command palette, keys, history, the status bar, settings.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FROZEN, bestMedian, editor, ready, saved, switchTo, until, withViewer } from './workspace.mjs';

const own = withViewer();
const titles = (page) => page.locator('#ubp_side .viewport .title').allTextContents();
/** Loads the page again and holds back a part of the app. Returns what lets it go. */
async function held(page, part) {
  let letGo;
  const isFree = new Promise((resolve) => (letGo = resolve));
  await page.route(part, async (route) => {
    await isFree;
    await route.continue();
  });
  await page.reload();
  await editor(page).waitFor();
  return letGo;
}
const face = (page) => page.evaluate(() => document.documentElement.dataset.face ?? 'read');

describe('editing and reading mode', () => {
  test('a page opens in editing mode; a button and a key switch the mode, and the choice is kept', async () => {
    const { page, done } = await own.open('Home.html');
    await editor(page).waitFor();
    assert.match(await editor(page).textContent(), /Home/);
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    assert.equal(await editor(page).isVisible(), false);
    await page.keyboard.press('Control+e');
    await until(async () => (await face(page)) === 'edit', 'the key switches the mode');
    await page.keyboard.press('Control+e');
    await page.reload();
    await ready(page);
    assert.equal(await face(page), 'read');
    await done();
  });

  test('reading mode shows the latest edits', async () => {
    const { page, done } = await own.open('Alone.html');
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' A line that was just typed.');
    await page.keyboard.press('Control+e');
    await page.locator('#ubp_content').getByText('A line that was just typed.').waitFor();
    assert.match(own.read('Alone.md'), /A line that was just typed\./);
    await done();
  });

  test('links to headings work in both modes', async () => {
    const { page, done } = await own.open('Guides/Reading.html#reading/part-7');
    await editor(page).waitFor();
    await until(() => page.getByText('Part 7').locator('visible=true').first().evaluate((heading) => heading.getBoundingClientRect().top < 400), 'the editor is shown');
    await page.locator('#ubp_rail').getByRole('link', { name: 'Part 3' }).click();
    await until(async () => page.url().endsWith('#reading/part-3'), 'the address is updated');
    await page.getByRole('button', { name: 'Read', exact: true }).click();
    await until(() => page.locator('[id="reading/part-3"]').evaluate((heading) => heading.getBoundingClientRect().top < 200), 'the article is shown');
    await done();
  });

  test('the outline follows the cursor', async () => {
    const { page, done } = await own.open('Guides/Reading.html');
    await editor(page).click();
    const current = page.locator('#ubp_rail a[aria-current=location]');
    await page.locator('#ubp_rail').getByRole('link', { name: 'Part 3' }).click();
    await until(async () => (await current.textContent()) === 'Part 3', 'at the cursor');
    await editor(page).focus();
    await page.keyboard.press('Control+End');
    const last = await page.locator('#ubp_rail .outline a').last().textContent();
    await until(async () => (await current.textContent()) === last, 'at the end');
    await done();
  });

  test('opening another page saves, and is fast', async () => {
    const { page, done } = await own.open('Alone.html');
    await ready(page);
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n\nTyped just before leaving.');
    await page.locator('#ubp_side').getByRole('link', { name: 'Formatting' }).first().click();
    await until(async () => /Formatting/.test(await editor(page).textContent()), 'the other page is there');
    await until(() => /Typed just before leaving\./.test(own.read('Alone.md')), 'nothing was lost');
    const best = await bestMedian('page switch', async () => {
      const times = [];
      for (const title of ['Home', 'Reading', 'Sessions', 'Formatting', 'Alone', 'Home']) times.push(await switchTo(page, title));
      return times;
    });
    assert.ok(best < FROZEN, `a switch takes ${Math.round(best)} ms`);
    await done();
  });
});

describe('the sidebar', () => {
  test('sorts by title and by date', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    assert.match((await titles(page))[0], /^A title/);
    await page.getByRole('button', { name: /^Sort/ }).click();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('updated');
    await until(async () => (await page.locator('#ubp_side .viewport .about').allTextContents()).every((text) => /\d{4}/.test(text)), 'dates are shown');
    await done();
  });

  test('has folders that expand and collapse by keyboard', async () => {
    const { page, done } = await own.open('Alone.html');
    await ready(page);
    await page.getByRole('button', { name: 'Folders' }).click();
    const folder = page.locator('#ubp_side .group', { hasText: 'Guides' });
    assert.equal(await folder.getAttribute('aria-expanded'), 'false');
    await folder.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.evaluate(() => document.activeElement.querySelector('.title').textContent), 'Formatting');
    await folder.focus();
    await page.keyboard.press('ArrowLeft');
    assert.equal(await folder.getAttribute('aria-expanded'), 'false');
    await done();
  });

  test('expands the folders of the open page', async () => {
    const { page, done } = await own.open('Guides/Reading.html');
    await ready(page);
    await page.getByRole('button', { name: 'Folders' }).click();
    await page.locator('#ubp_side [aria-current=page]', { hasText: 'Reading' }).waitFor();
    await done();
  });

  test('has tags', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.getByRole('button', { name: 'Tags', exact: true }).click();
    await page.locator('#ubp_side .group', { hasText: '#code' }).click();
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Sign in' }).waitFor();
    await done();
  });

  test('keeps favourites in the project, added by pointer, key and command', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.locator('#ubp_head').getByRole('button', { name: 'Favourite' }).click();
    await page.locator('#ubp_side .favorites').getByRole('link', { name: 'Home' }).waitFor();
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Reading' }).focus();
    await page.keyboard.press('s');
    await page.locator('#ubp_side .favorites').getByRole('link', { name: 'Reading' }).waitFor();
    await until(async () => (await own.call('favorites', {})).pages.length === 2, 'they are stored in the project');
    await page.reload();
    await page.locator('#ubp_side .favorites').getByRole('link', { name: 'Reading' }).waitFor();
    await page.keyboard.press('Alt+s');
    await until(async () => (await page.locator('#ubp_side .favorites a').allTextContents()).length === 1, 'the key removes the favourite');
    await own.call('favorites', { remove: ['Guides/Reading.md'] });
    await page.locator('#ubp_side .favorites').waitFor({ state: 'detached' });
    await done();
  });

  test('lists recently opened pages', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    for (const name of ['Alone', 'Formatting']) await page.locator('#ubp_side .viewport').getByRole('link', { name }).first().click();
    await until(async () => (await page.locator('#ubp_side .recent .title').allTextContents()).join() === 'Alone,Home', 'the latest first, without the open page');
    await done();
  });

  test('shows freshness and filters by it', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.getByRole('button', { name: /^Sort/ }).click();
    await page.getByRole('combobox', { name: 'Freshness' }).selectOption('stale');
    await until(async () => (await titles(page)).includes('Sign in') && !(await titles(page)).includes('Home'), 'only stale pages');
    assert.match(await page.locator('#ubp_side .viewport .freshness').first().textContent(), /Out of date/);
    await done();
  });

  test('can be hidden, and stays hidden', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await editor(page).click();
    await page.keyboard.press('Control+b');
    assert.equal(await page.locator('#ubp_side').isVisible(), false);
    await page.reload();
    await editor(page).waitFor();
    assert.equal(await page.locator('#ubp_side').isVisible(), false);
    await page.getByRole('button', { name: 'Sidebar' }).click();
    await ready(page);
    await done();
  });
});

describe('the palette', () => {
  test('creates a page if no page has this name', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('Zebra crossings');
    // With a model, Enter alone would open a result of the search by meaning.
    await page.getByRole('option', { name: 'Create page: “Zebra crossings”' }).click();
    await until(async () => /Zebra crossings/.test(await editor(page).textContent()), 'it is open');
    assert.match(own.read('Zebra crossings.md'), /# Zebra crossings/);
    await until(async () => (await titles(page)).includes('Zebra crossings'), 'it is listed');
    await done();
  });

  test('does not create one by mistake if text is found', async () => {
    const { page, done } = await own.open('Alone.html');
    await ready(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor();
    await page.keyboard.type('lighthouse');
    await page.keyboard.press('Enter');
    await until(async () => page.url().includes('Home.html'), 'the linking page is open');
    await done();
  });

  test('takes what is typed, and Enter, before the code of its results is loaded', async () => {
    const { page, done } = await own.open('Alone.html');
    const letGo = await held(page, /\/assets\/Results-/);
    const before = own.read('Alone.md');
    await editor(page).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('lighthouse');
    await page.keyboard.press('Enter');
    await page.getByText('Loading search').waitFor();
    letGo();
    await until(async () => page.url().includes('Home.html'), 'the linking page is open');
    assert.equal(own.read('Alone.md'), before, 'nothing is typed into the page');
    await done();
  });

  test('keeps the selected result when results by meaning replace those by words', async () => {
    const { page, done } = await own.open('Alone.html');
    await ready(page);
    let isAnswered = false;
    await page.route('**/api/search', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      if (route.request().postDataJSON().mode === 'hybrid') {
        await until(() => isAnswered, 'results by words are shown');
        answer.results?.reverse();
        answer.search_type = 'hybrid';
      }
      await route.fulfill({ response, json: answer });
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('page links');
    const selected = page.getByRole('option', { selected: true });
    const texts = page.getByRole('group', { name: 'In the text' }).getByRole('option');
    await texts.nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    const path = await selected.locator('.where').textContent();
    isAnswered = true;
    await page.getByText('By meaning and words').waitFor();
    assert.equal(await selected.locator('.where').textContent(), path);
    await page.keyboard.press('Enter');
    await until(() => decodeURI(page.url()).includes(path.replace(/\.md$/, '.html')), 'the selected page is open');
    await done();
  });

  test('lists titles that begin with the word before aliases that do, and more than six names on request', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.route('**/api/complete', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const named = (name, title) => ({ ...answer.pages[0], name, title, filepath: `${title}.md` });
      const pages = [named('Zyx FAQ', 'Questions'), ...Array.from({ length: 8 }, (_, at) => named(`Zyx ${at}`, `Zyx ${at}`)), named('zyx', 'Exactly')];
      await route.fulfill({ response, json: { ...answer, pages } });
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('zyx');
    const names = page.getByRole('group', { name: 'Pages' }).getByRole('option');
    await until(async () => (await names.count()) === 7, async () => `six names and more: ${await names.allTextContents()}`);
    assert.match((await names.allTextContents()).map((text) => text.trim()).join('\n'), /^Exactly.*\nZyx 0.*\n(?:Zyx.*\n){4}More pages…$/);
    await page.keyboard.press('End');
    for (let key = 0; key < 6; key++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until(async () => (await names.count()) === 10, 'all names are shown');
    assert.match(await names.last().textContent(), /Questions/);
    assert.ok(await page.getByRole('combobox', { name: /^Search pages/ }).isVisible());
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await done();
  });

  test('a result before the first heading is called by its page alone', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.route('**/api/search', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      for (const { sections } of answer.results) for (const section of sections) section.heading = '';
      await route.fulfill({ response, json: answer });
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('lighthouse');
    const title = page.getByRole('option').filter({ has: page.locator('.snippet') }).first().locator('.title');
    await until(async () => (await title.textContent()) === 'Home', async () => `only the page, not ${await title.textContent()}`);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await done();
  });

  test('runs commands', async () => {
    const { page, done } = await own.open('Home.html', { context: { colorScheme: 'light' } });
    await ready(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('theme');
    await page.getByRole('option', { name: /Change theme/ }).waitFor();
    await page.keyboard.press('Enter');
    await until(async () => (await page.evaluate(() => document.documentElement.dataset.theme)) === 'dark', 'the theme changed');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('>');
    const names = await page.getByRole('option').allTextContents();
    for (const name of ['New page', 'Rename', 'Delete page', 'Focus mode', 'Graph', 'Pages to review', 'Settings', 'Keyboard shortcuts', 'Toggle sidebar', 'Read this page']) {
      assert.ok(names.some((option) => option.includes(name)), `${name} is offered`);
    }
    await done();
  });

  test('shows recently opened pages first', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Alone' }).click();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Home' }).first().waitFor();
    await page.keyboard.press('Enter');
    await until(async () => page.url().includes('Home.html'), 'Enter goes back there');
    await done();
  });
});

describe('keys', () => {
  test('do not reach the page while the code of a layer is loading', async () => {
    const { page, done } = await own.open('Alone.html');
    const letGo = await held(page, /\/assets\/Settings-/);
    const before = own.read('Alone.md');
    await editor(page).click();
    await page.keyboard.press('Control+,');
    await page.keyboard.type('lost');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+,');
    await page.keyboard.press('Enter');
    letGo();
    await page.getByRole('dialog', { name: 'Settings' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Settings' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await saved(page);
    assert.equal(own.read('Alone.md'), before, 'nothing is typed into the page');
    await done();
  });

  test('every listed shortcut works inside the editor', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await editor(page).click();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor();
    await page.keyboard.press('Escape');
    await editor(page).click();
    await page.keyboard.press('Control+s');
    await saved(page);
    await page.keyboard.press('Control+b');
    assert.equal(await page.locator('#ubp_side').isVisible(), false);
    await page.keyboard.press('Control+b');
    await page.keyboard.press('Control+Shift+f');
    assert.equal(await page.locator('#ubp_bar').isVisible(), false);
    assert.equal(await page.locator('#ubp_rail').isVisible(), false);
    assert.ok(await page.locator('#ubp_status').isVisible(), 'the save status is always visible');
    await page.keyboard.press('Control+Shift+f');
    for (const keys of ['Alt+n', 'Control+n']) {
      await page.keyboard.press(keys);
      const dialog = page.getByRole('dialog', { name: 'New page' });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Alone' }).click();
    await until(async () => page.url().includes('Alone.html'), 'on');
    await editor(page).click();
    await page.keyboard.press('Alt+ArrowLeft');
    await until(async () => page.url().includes('Home.html'), 'back');
    await until(async () => /Home$/.test(await editor(page).getAttribute('aria-label')), 'the editor is updated');
    await page.keyboard.press('Alt+ArrowRight');
    await until(async () => page.url().includes('Alone.html'), 'forward');
    await done();
  });

  test('a dialog lists all of them', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await editor(page).click();
    await page.keyboard.press('Control+/');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const name of ['New page', 'Save', 'Toggle sidebar', 'Focus mode', 'Previous page', 'Find and replace']) await sheet.getByText(name, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sidebar' }).focus();
    await page.keyboard.press('?');
    await sheet.waitFor();
    await done();
  });

  test('single letters are not shortcuts while typing', async () => {
    const { page, done } = await own.open('Alone.html');
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' g r ? / [');
    assert.match(await editor(page).textContent(), /g r \? \/ \[/);
    assert.equal(await page.getByRole('dialog').count(), 0);
    await done();
  });

  test('F6 reaches every part', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.locator('#ubp_rail').getByRole('link').first().waitFor();
    await editor(page).click();
    const parts = new Set();
    for (let step = 0; step < 8; step++) {
      await page.keyboard.press('F6');
      parts.add(await page.evaluate(() => document.activeElement.closest('#ubp_bar, #ubp_side, #ubp_head, #ubp_desk, #ubp_rail, #ubp_status')?.id));
    }
    for (const part of ['bar', 'side', 'head', 'desk', 'rail']) assert.ok(parts.has(`ubp_${part}`), `${part} of ${[...parts]}`);
    await done();
  });

  test('are Command on a Mac', async () => {
    const { page, done } = await own.open('Home.html', { context: { userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/130 Safari/537.36' } });
    await ready(page);
    await page.keyboard.press('Meta+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Meta+/');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('⌘').first().waitFor();
    await done();
  });
});

describe('the header', () => {
  test('names the file of a page with another title, whose path can be copied', async () => {
    own.write('odd-name.md', '# Quite another title\n');
    const { page, done } = await own.open('Home.html', { context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    await ready(page);
    const file = page.locator('#ubp_head .file');
    assert.equal(await file.count(), 0, 'the title is the name of the file');
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Quite another title' }).click();
    await file.getByText('odd-name.md').waitFor();
    await page.getByRole('button', { name: 'Page actions' }).click();
    await page.getByRole('menuitem', { name: 'Copy path' }).click();
    await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === 'odd-name.md', 'the path is copied');
    await done();
  });
});

describe('the status bar', () => {
  test('shows words, characters, links and the save status while typing', async () => {
    const { page, done } = await own.open('Alone.html');
    await ready(page);
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n\nOne two three [[Home]].');
    await until(async () => /1 link/.test(await page.locator('#ubp_status').textContent()), 'the link is counted');
    await saved(page);
    assert.match(await page.locator('#ubp_status').textContent(), /Saved.*words.*characters.*link/s);
    assert.equal(await page.locator('#ubp_status [aria-live=polite]').textContent(), '', 'ordinary saving is not announced');
    await done();
  });
});

describe('settings', () => {
  test('change font, size and width at once and permanently', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await editor(page).waitFor();
    await page.keyboard.press('Control+,');
    const sheet = page.getByRole('dialog', { name: 'Settings' });
    await sheet.getByText('Serif').click();
    await sheet.getByText('Wide', { exact: true }).click();
    await sheet.getByRole('button', { name: 'Larger text' }).click();
    await sheet.getByText('Check spelling').click();
    const style = () => page.evaluate(() => {
      const scroller = document.querySelector('#ubp_desk .cm-scroller');
      return { font: getComputedStyle(scroller).fontFamily, size: getComputedStyle(scroller).fontSize, spelling: document.querySelector('#ubp_desk .cm-content').spellcheck };
    });
    const changed = await style();
    assert.match(changed.font, /Charter|Georgia/);
    assert.equal(changed.size, '18px');
    assert.equal(changed.spelling, false);
    await page.reload();
    await editor(page).waitFor();
    await until(async () => (await style()).spelling === false, 'it stays');
    assert.deepEqual(await style(), changed);
    await done();
  });
});
