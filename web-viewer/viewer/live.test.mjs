// Changes while a window is open: files on disk, agents, a server that stops.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { editor, ready, until, withViewer } from './workspace.mjs';

const own = withViewer();

describe('changes from elsewhere', () => {
  test('pages that another program writes or deletes appear in the list or disappear', async () => {
    const { page, done } = await own.open('Home.html', { expectErrors: true });
    await ready(page);
    mkdirSync(own.page('Fresh'), { recursive: true });
    own.write('Fresh/Arrived.md', '# Arrived\n\nIt links to [[Alone]].\n');
    await page.locator('#ubp_side').getByRole('link', { name: 'Arrived' }).waitFor();
    rmSync(own.page('Fresh/Arrived.md'));
    await page.locator('#ubp_side').getByRole('link', { name: 'Arrived' }).waitFor({ state: 'detached' });
    await done();
  });

  test('headings with the names of UI elements work like others', async () => {
    const names = ['Rail', 'App', 'Content', 'Side', 'Bar', 'Head', 'Desk', 'Status', 'Toasts', 'Rail outline'];
    own.write('Rail.md', names.map((name, at) => `${at ? '##' : '#'} ${name}\n\nA paragraph.\n`).join('\n'));
    const { page, done } = await own.open('Rail.html', { settings: { opening: 'read' } });
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Rail' }).waitFor();
    await page.locator('#ubp_rail .outline').getByRole('link', { name: 'Toasts' }).waitFor();
    const shared = await page.evaluate(() => {
      const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
      return ids.filter((id, at) => ids.indexOf(id) !== at || (!id.includes('_') && id !== 'ubp-site' && !document.getElementById(id).closest('.prose')));
    });
    assert.deepEqual(shared, []);
    rmSync(own.page('Rail.md'));
    await done();
  });

  test('backlinks are updated', async () => {
    const { page, done } = await own.open('Alone.html', { expectErrors: true });
    await ready(page);
    await page.locator('#ubp_rail').getByText('No backlinks yet.').waitFor();
    own.write('Friend.md', '# Friend\n\nA word about [[Alone]] from a friend.\n');
    await page.locator('#ubp_rail').getByText('A word about Alone from a friend.').waitFor();
    rmSync(own.page('Friend.md'));
    await page.locator('#ubp_rail').getByText('No backlinks yet.').waitFor();
    await done();
  });

  test('the article is updated without losing scroll position and focus', async () => {
    const { page, done } = await own.open('Guides/Reading.html', { settings: { opening: 'read' } });
    await ready(page);
    await page.evaluate(() => scrollTo(0, 900));
    await page.locator('#ubp_content .prose a.link').last().evaluate((link) => link.focus({ preventScroll: true }));
    const before = await page.evaluate(() => ({ top: scrollY, focused: document.activeElement.textContent }));
    own.write('Guides/Reading.md', own.read('Guides/Reading.md').replace('Paragraph 1 of part 4', 'A changed paragraph of part 4'));
    await page.locator('#ubp_content').getByText('A changed paragraph of part 4').waitFor();
    assert.deepEqual(await page.evaluate(() => ({ top: scrollY, focused: document.activeElement.textContent })), before);
    await done();
  });

  test('an edit by an agent over MCP appears in the open editor', async () => {
    const { page, done } = await own.open('Alone.html');
    await ready(page);
    await editor(page).waitFor();
    const { content_hash } = await own.call('read_page', { page: 'Alone.md' });
    await own.tool('ubp_update_page', { page: 'Alone.md', mode: 'append', content: 'An agent was here.', expected_hash: content_hash });
    await until(async () => /An agent was here\./.test(await editor(page).textContent()), 'the editor is updated');
    await done();
  });

  test('a message is shown if the open page is deleted', async () => {
    own.write('Passing.md', '# Passing\n');
    const { page, done } = await own.open('Passing.html', { expectErrors: true });
    await ready(page);
    rmSync(own.page('Passing.md'));
    await page.getByText('This page was moved or deleted').waitFor();
    await done();
  });
});

describe('a server that stops', () => {
  test('is reported; once it is back, changes made meanwhile appear', async () => {
    const { page, done } = await own.open('Home.html', { expectErrors: true });
    await ready(page);
    await own.stop();
    await page.locator('.lost').waitFor();
    writeFileSync(own.page('Meanwhile.md'), '# Meanwhile\n');
    await own.start();
    await page.locator('.lost').waitFor({ state: 'detached' });
    await page.locator('#ubp_side').getByRole('link', { name: 'Meanwhile' }).waitFor();
    await done();
  });
});
