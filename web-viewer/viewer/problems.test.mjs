// Problems of the project: what the doctor finds, by kind, with how to fix it, and the way to the line.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { accessible, editor, manyPages, ready, saved, settled, until, withHistory, withViewer } from './workspace.mjs';

function prepare(project) {
  withHistory(project);
  writeFileSync(join(project, 'pages/Broken.md'), '---\ntags: [x\n---\n\n# Broken\n\nText.\n\n[[Gone page]] and [[Gone page|again]].\n');
}

const view = (page) => page.getByRole('main', { name: 'Problems' });
const count = (page) => page.locator('#ubp_status .problems');
const messages = (page) => view(page).locator('.row:not(.group) .message').allTextContents();
const line = (page) => page.evaluate(() => {
  const { activeElement } = document;
  const at = getSelection().anchorNode;
  return activeElement?.closest('.cm-content') ? (at instanceof Element ? at : at?.parentElement)?.closest('.cm-line')?.textContent : null;
});

describe('problems', () => {
  const own = withViewer({ prepare });

  test('are counted in the status bar, listed by kind, filtered, and lead to their line in the editor', async () => {
    const { page, done } = await own.open('Home.html', { settings: { opening: 'read', live: false } });
    await ready(page);
    await until(async () => /^\s*\d+ problems\s*$/.test(await count(page).textContent()), 'a count of errors and warnings');
    await count(page).click();
    await view(page).getByRole('button', { name: /Broken links 4/ }).waitFor();
    await view(page).getByText('How to fix: create the page, or fix the link').waitFor();
    await view(page).getByRole('textbox', { name: 'Filter problems' }).fill('broken.md gone');
    await until(async () => (await messages(page)).length === 2, async () => (await messages(page)).join());
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.match(await page.evaluate(() => document.activeElement.textContent), /Broken link to 'Gone page'.*Broken\.md:9/);
    await page.keyboard.press('Enter');
    await until(async () => (await line(page)) === '[[Gone page]] and [[Gone page|again]].', async () => `the cursor is in “${await line(page)}”`);
    await page.goBack();
    await view(page).waitFor();
    await done();
  });

  test('are toggled by kind with the keyboard, and shown only of one severity', async () => {
    const { page, done } = await own.open('Home.html?problems=all');
    await ready(page);
    const group = view(page).getByRole('button', { name: /Broken links/ });
    await group.focus();
    const before = (await messages(page)).length;
    await page.keyboard.press('ArrowLeft');
    await until(async () => (await messages(page)).length < before, 'the group is closed');
    await page.keyboard.press('ArrowRight');
    await until(async () => (await messages(page)).length === before, 'and open again');
    await view(page).getByRole('button', { name: /notes?$/ }).click();
    await group.waitFor({ state: 'detached' });
    await page.keyboard.press('Alt+p');
    await editor(page).waitFor();
    await done();
  });

  test('lead to invalid front matter, and to the dialog for a wanted page', async () => {
    const { page, done } = await own.open('Home.html?problems=all');
    await ready(page);
    await view(page).getByRole('button', { name: /Gone page.*2 links on 1 page.*Create page/ }).click();
    const dialog = page.getByRole('dialog', { name: 'New page' });
    await dialog.waitFor();
    assert.equal(await dialog.getByRole('textbox').first().inputValue(), 'Gone page');
    await page.keyboard.press('Escape');
    await view(page).getByRole('button', { name: /Broken\.md:2/ }).click();
    await until(async () => (await editor(page).getAttribute('aria-label')).endsWith('Broken'), 'the page is open');
    await page.locator('#ubp_desk').getByText('tags: [x').waitFor();
    await done();
  });

  test('follow changes from the editor and from elsewhere', async () => {
    const { page, done } = await own.open('Alone.html');
    await ready(page);
    const number = async () => Number.parseInt(await count(page).textContent(), 10);
    await count(page).waitFor();
    const before = await number();
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n[[Another page that nobody wrote]]\n');
    await saved(page);
    await until(async () => (await number()) === before + 1, 'the count follows', 30_000);
    await page.keyboard.press('Alt+p');
    await view(page).getByRole('button', { name: /Broken link to 'Another page that nobody wrote'/ }).waitFor();
    own.write('Another page that nobody wrote.md', '# Another page that nobody wrote\n\n[[Home]]\n');
    await view(page).getByRole('button', { name: /Broken link to 'Another page that nobody wrote'/ }).waitFor({ state: 'detached' });
    await until(async () => (await number()) === before, 'and back');
    await done();
  });

  for (const width of [1440, 390]) {
    test(`are accessible in both themes, ${width} wide`, async () => {
      const { page, done } = await own.open('Home.html?problems=all', { context: { colorScheme: 'light', viewport: { width, height: 850 } } });
      await view(page).getByRole('button', { name: /Broken links/ }).waitFor();
      await settled(page);
      for (const theme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme: theme });
        await settled(page);
        if (process.env.UBP_SHOTS) await page.screenshot({ path: `${process.env.UBP_SHOTS}/problems ${theme} ${width}.png` });
        await accessible(page, theme, theme === 'dark' ? ['color-contrast'] : null);
      }
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.equal(overflow, false, 'nothing has to be scrolled sideways');
      await done();
    });
  }
});

describe('problems of many pages', () => {
  const own = withViewer({
    prepare: (project) => {
      manyPages(3000)(project);
      for (let number = 0; number < 500; number++) writeFileSync(join(project, 'pages', `broken ${number}.md`), `# Broken ${number}\n\n[[missing ${number}]]\n`);
    },
  });

  test('are not checked again at each edit', async () => {
    const { page, asked, done } = await own.open('area 0/page 0.html');
    await ready(page);
    await until(async () => /500 problems/.test(await count(page).textContent()), 'all problems', 60_000);
    const checks = () => asked.filter((url) => url.endsWith('/api/doctor')).length;
    const before = checks();
    await editor(page).click();
    for (let number = 0; number < 30; number++) {
      await page.keyboard.type('word ');
      await page.waitForTimeout(100);
    }
    await saved(page);
    assert.ok(checks() - before <= 1, `${checks() - before} checks during three seconds of typing`);
    await count(page).click();
    await view(page).getByRole('button', { name: /Broken links 500/ }).waitFor();
    assert.ok((await view(page).locator('.row').count()) < 60, 'only visible rows are in the document');
    await done();
  });
});
