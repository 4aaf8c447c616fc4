// The history of a page: commits and texts around changes, the differences to the text of now, and restoring.
import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { accessible, commit, editor, git, ready, saved, settled, until, withHistory, withViewer } from './workspace.mjs';

const PAGE = 'Guides/-設計 [x].md';
const ADDRESS = `${PAGE.replace('.md', '').split('/').map(encodeURIComponent).join('/')}.html`;
const FIRST = '# Tokens\n\nTokens live for an hour.\n\nThey are renewed on use.\n';
const SECOND = '# Tokens\n\nTokens live for a day.\n\nThey are renewed on use.\n\nA long paragraph that does not fit on one line of a narrow window, so that it has to wrap there, whatever its words are.\n';

/** A page with a rename, Windows line endings and a byte order mark in its file, and a version that is not UTF-8. */
function prepare(project) {
  withHistory(project);
  const old = join(project, 'pages/Guides/Old name.md');
  writeFileSync(old, Buffer.concat([Buffer.from('# Tokens\n\nTokens live for an hour. Caf'), Buffer.from([0xe9]), Buffer.from('\n\nThey are renewed on use.\n')]));
  commit(project, 'Write in Latin-1', '2024-06-01T10:00:00Z');
  writeFileSync(old, FIRST);
  commit(project, 'Explain tokens', '2024-06-02T10:00:00Z');
  renameSync(old, join(project, 'pages', PAGE));
  commit(project, 'Rename the page', '2024-06-03T10:00:00Z');
  writeFileSync(join(project, 'pages', PAGE), `\u{feff}${SECOND.replaceAll('\n', '\r\n')}`);
  commit(project, 'Tokens live longer', '2024-06-04T10:00:00Z');
  writeFileSync(join(project, 'pages/Uncommitted.md'), '# Uncommitted\n');
}

const dialog = (page) => page.getByRole('dialog', { name: /^History of/ });
const rows = (page) => dialog(page).locator('.row .label');

async function openHistory(page) {
  await page.getByRole('button', { name: 'Page actions' }).click();
  await page.getByRole('menuitem', { name: 'History' }).click();
  await dialog(page).waitFor();
}

describe('the history of a page', () => {
  const own = withViewer({ prepare });

  test('lists commits across a rename, and shows what changed since each', async () => {
    const { page, done } = await own.open(ADDRESS);
    await ready(page);
    await editor(page).waitFor();
    await openHistory(page);
    await until(async () => (await rows(page).count()) === 4, 'all versions');
    assert.deepEqual(await rows(page).allTextContents(), ['Tokens live longer', 'Rename the page', 'Explain tokens', 'Write in Latin-1']);
    await dialog(page).getByText('The text is the same now.').waitFor();
    assert.equal(await dialog(page).getByRole('button', { name: 'Restore this version' }).isDisabled(), true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Since this version: 3 lines added (+), 1 line removed (-).').waitFor();
    await dialog(page).getByText('The page was pages/Guides/Old name.md then.').waitFor();
    const diff = dialog(page).getByRole('region', { name: 'Changes since this version' });
    assert.match(await diff.textContent(), /-Tokens live for an hour\.\+Tokens live for a day\./);
    await dialog(page).getByRole('button', { name: 'Text' }).click();
    assert.equal(await dialog(page).getByRole('region', { name: 'Text of this version' }).textContent(), FIRST);
    await dialog(page).getByRole('button', { name: /Write in Latin-1/ }).click();
    await dialog(page).getByText('It cannot be restored: the file was not UTF-8 then').waitFor();
    assert.equal(await dialog(page).getByRole('button', { name: 'Restore this version' }).isDisabled(), true);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await done();
  });

  test('restores a version while editing: edits are saved first, line endings stay, one undo brings the edits back', async () => {
    const { page, done } = await own.open(ADDRESS);
    await ready(page);
    const before = own.read(PAGE);
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Typed just now.');
    await openHistory(page);
    await dialog(page).getByRole('button', { name: /Explain tokens/ }).click();
    await dialog(page).getByText('+Typed just now.').waitFor();
    await dialog(page).getByRole('button', { name: 'Restore this version' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await until(() => own.read(PAGE) === `\u{feff}${FIRST.replaceAll('\n', '\r\n')}`, () => `restored: ${JSON.stringify(own.read(PAGE))}`);
    await page.locator('.cm-content:focus').waitFor();
    await page.keyboard.press('Control+z');
    await until(() => own.read(PAGE) === `${before}Typed just now.`, () => `undone: ${JSON.stringify(own.read(PAGE))}`);
    own.write(PAGE, before);
    await saved(page);
    await done();
  });

  test('restores a version while reading, and the notice undoes it', async () => {
    const { page, done } = await own.open(ADDRESS, { settings: { opening: 'read' } });
    await ready(page);
    const before = own.read(PAGE);
    await openHistory(page);
    await dialog(page).getByRole('button', { name: /Explain tokens/ }).click();
    await dialog(page).getByRole('button', { name: 'Restore this version' }).click();
    await page.getByText('Restored a former version of “Tokens”.').waitFor();
    await page.locator('#ubp_content').getByText('Tokens live for an hour.').waitFor();
    assert.equal(own.read(PAGE), `\u{feff}${FIRST.replaceAll('\n', '\r\n')}`);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('#ubp_content').getByText('Tokens live for a day.').waitFor();
    assert.equal(own.read(PAGE), before);
    await done();
  });

  test('restores nothing if the page changed after the differences were shown, and shows the new ones', async () => {
    const { page, done } = await own.open(ADDRESS, { settings: { opening: 'read' }, expectErrors: true });
    await ready(page);
    const before = own.read(PAGE);
    await openHistory(page);
    await dialog(page).getByRole('button', { name: /Explain tokens/ }).click();
    await dialog(page).getByText('+Tokens live for a day.').waitFor();
    own.write(PAGE, `${before}From elsewhere.\r\n`);
    await dialog(page).getByRole('button', { name: 'Restore this version' }).click();
    await dialog(page).getByText('The page changed after these differences were shown').waitFor();
    await dialog(page).getByText('+From elsewhere.').waitFor();
    assert.equal(own.read(PAGE), `${before}From elsewhere.\r\n`);
    own.write(PAGE, before);
    await done();
  });

  test('lists the text before the edit of an agent, which was never committed', async () => {
    await own.tool('ubp_update_page', { page: 'Uncommitted.md', mode: 'append', content: 'From an agent.' });
    const { page, done } = await own.open('Uncommitted.html');
    await ready(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search pages/ }).fill('>history of');
    await page.getByRole('option', { name: /History of page/ }).click();
    await until(async () => (await rows(page).allTextContents()).length === 1, 'one version');
    assert.match((await rows(page).allTextContents())[0], /^Before an edit by agent /);
    await dialog(page).getByText('+From an agent.').waitFor();
    await dialog(page).getByText('This page was never committed.').waitFor();
    await done();
  });

  for (const width of [1440, 390]) {
    test(`is readable without colours in both themes, ${width} wide`, async () => {
      const { page, done } = await own.open(ADDRESS, { context: { colorScheme: 'light', viewport: { width, height: 850 } }, settings: { opening: 'read' } });
      await until(() => page.locator('#ubp_status .status').isVisible(), 'the app has started');
      await openHistory(page);
      await rows(page).first().waitFor();
      const shot = (name) => process.env.UBP_SHOTS && page.screenshot({ path: `${process.env.UBP_SHOTS}/history ${name} ${width}.png` });
      await settled(page);
      await shot('list');
      await accessible(page, 'the list');
      await dialog(page).getByRole('button', { name: /Explain tokens/ }).click();
      await dialog(page).getByText('-Tokens live for an hour.').waitFor();
      await settled(page);
      await shot('light');
      await accessible(page, 'light');
      const overflow = await page.evaluate(() => [...document.querySelectorAll('dialog, dialog .detail, dialog .diff')].filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.className));
      assert.deepEqual(overflow, [], 'nothing has to be scrolled sideways');
      await page.emulateMedia({ colorScheme: 'dark' });
      await settled(page);
      await shot('dark');
      await accessible(page, 'dark', ['color-contrast']);
      if (width < 860) {
        await dialog(page).getByRole('button', { name: 'All versions' }).click();
        await rows(page).first().waitFor();
      }
      await done();
    });
  }
});

describe('a project without git', () => {
  const own = withViewer({
    prepare: (project) => {
      withHistory(project);
      rmSync(join(project, '.git'), { recursive: true });
    },
  });

  test('says that there are no versions, and what to do', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await openHistory(page);
    await dialog(page).getByText('There are no former versions of this page.').waitFor();
    await dialog(page).getByText(/not under version control.*git init/).waitFor();
    await accessible(page, 'without versions');
    await done();
  });
});

describe('a page with many versions', () => {
  const own = withViewer({
    prepare: (project) => {
      withHistory(project);
      const file = join(project, 'pages/Home.md');
      const text = readFileSync(file, 'utf8');
      for (let number = 1; number <= 120; number++) {
        writeFileSync(file, `${text}\nLine ${number}\n`);
        git(project, ['commit', '-qam', `Version ${number}`], new Date(Date.UTC(2025, 0, 1, 0, number)).toISOString());
      }
    },
  });

  test('lists a part, and more on request', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await openHistory(page);
    const size = () => dialog(page).locator('li').first().getAttribute('aria-setsize');
    await until(async () => (await size()) === '100', 'the first part');
    await dialog(page).getByRole('button', { name: 'Show more' }).click();
    await until(async () => (await size()) === '121', async () => `all versions, not ${await size()}`);
    await dialog(page).getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    await done();
  });
});
