// Two windows on one page: letters, cursors and undo of each, changes on disk, a server that ends, and input methods.
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Agent } from './agent.mjs';
import { until, withViewer } from './editing.mjs';

const LINES = '# Page\n\nfirst line\n\nsecond line\n\nthird line\n';
const LONG = `# Long\n\n${Array.from({ length: 300 }, (_, line) => `line ${line}`).join('\n\n')}\n`;
const NAMES = ['Letters', 'Cursors', 'Undo', 'Disk', 'Alone', 'Composing', 'Renamed', 'Deleted', 'Left', 'Named', 'Sooner', 'Agents', 'Scribe', 'Long', 'Next'];
const own = withViewer();
let viewer;

/** Two people with a page: two contexts share nothing. */
async function both(path, { server, settings = [{}, {}] } = {}) {
  viewer ??= await own.start({ ...Object.fromEntries(NAMES.map((name) => [`pages/${name}.md`, LINES])), 'pages/Long.md': LONG });
  const on = server ?? viewer;
  const windows = [await own.open(on, path, { settings: settings[0] }), await own.open(on, path, { settings: settings[1] })];
  await together(windows);
  return windows;
}

/** Waits until each window shows the cursor of the other one: from then on, the server has the text. */
async function together(windows) {
  for (const editor of windows) {
    await editor.page.locator('.guest').first().waitFor();
    await editor.page.locator('.cm-guest').first().waitFor({ state: 'attached' });
  }
}

const close = (...windows) => Promise.all(windows.map((editor) => editor.close()));
const equal = (windows, server, path, text) =>
  until(
    async () => {
      const texts = [server.read(path), ...(await Promise.all(windows.map((editor) => editor.text())))];
      return texts.every((found) => found === (text ?? texts[0])) && (await Promise.all(windows.map((editor) => editor.status()))).every((status) => status === 'saved');
    },
    async () => `they differ: ${JSON.stringify([server.read(path), ...(await Promise.all(windows.map(async (editor) => `${await editor.status()}: ${await editor.text()}`)))])}`,
    30_000,
  );

test('letters of two people arrive in both windows and in the file, also in the same line', async () => {
  const [one, other] = await both('Letters.md');
  await one.after('first');
  await other.after('first');
  await Promise.all([one.type('abcdefgh'), other.type('ABCDEFGH')]);
  await equal([one, other], viewer, 'Letters.md');
  const line = viewer.read('Letters.md').split('\n')[2];
  assert.match(line, /^first.*a.*b.*c.*d.*e.*f.*g.*h.* line$/);
  assert.match(line, /^first.*A.*B.*C.*D.*E.*F.*G.*H.* line$/);
  assert.equal(line.length, 'first line'.length + 16);
  await close(one, other);
});

test('each window shows the cursors and the names of the others', async () => {
  const [one, other] = await both('Cursors.md', { settings: [{ name: 'Ann' }, {}] });
  await other.page.getByRole('button', { name: 'Ann' }).waitFor();
  await one.page.getByRole('button', { name: /^Guest \d$/ }).waitFor();
  await one.after('third');
  const before = (editor) => editor.content.evaluate((element) => {
    const caret = element.querySelector('.cm-guest');
    return caret?.closest('.cm-line')?.textContent ?? '';
  });
  await until(async () => (await before(other)).includes('third'), async () => `the cursor is in the line: ${await before(other)}`);
  assert.equal(await other.page.locator('.cm-guest-name').textContent(), 'Ann');
  await one.type(' typed');
  await until(async () => /third typed\u2060?Ann line/.test(await before(other)), async () => `the cursor follows the letters: ${await before(other)}`);
  await one.select('second');
  await until(() => other.content.evaluate((element) => element.querySelector('.cm-guest-selection')?.textContent === 'second'), 'the selection is shown');
  await one.close();
  await until(async () => (await other.page.locator('.cm-guest').count()) === 0 && (await other.page.locator('.guest').count()) === 0, 'who has left is not shown');
  await close(other);
});

test('undo takes back only what was typed here', async () => {
  const [one, other] = await both('Undo.md');
  await one.after('first');
  await one.type(' mine');
  await until(async () => (await other.text()).includes('first mine'), 'it arrives');
  await other.after('first mine');
  await other.type(' theirs');
  await until(async () => (await one.text()).includes('mine theirs'), 'it arrives');
  await one.press('Control+z');
  await equal([one, other], viewer, 'Undo.md', LINES.replace('first', 'first theirs'));
  await one.press('Control+y');
  await equal([one, other], viewer, 'Undo.md', LINES.replace('first', 'first mine theirs'));
  await close(one, other);
});

test('a change on disk arrives in both windows while both type', async () => {
  const [one, other] = await both('Disk.md');
  await one.after('first');
  await other.after('second');
  const typing = Promise.all([one.type(' 1234567890'), other.type(' abcdefghij')]);
  // Another program compares before it writes, as the server does.
  await until(() => {
    const seen = viewer.read('Disk.md');
    const text = seen.replace('third', 'brought third');
    if (viewer.read('Disk.md') !== seen) return false;
    viewer.write('Disk.md', text);
    return true;
  }, 'it is written');
  await typing;
  await until(async () => (await one.text()).includes('brought') && (await other.text()).includes('brought'), 'the change arrives');
  await equal([one, other], viewer, 'Disk.md', LINES.replace('first', 'first 1234567890').replace('second', 'second abcdefghij').replace('third', 'brought third'));
  await one.press('Control+z');
  await until(async () => !(await one.text()).includes('1234567890'), 'undo takes back what was typed');
  assert.match(await one.text(), /second abcdefghij line\n\nbrought third/);
  await close(one, other);
});

test('what is typed while the server is away is merged once it is back', async () => {
  const server = await own.start({ 'pages/Away.md': LINES });
  const [one, other] = await both('Away.md', { server });
  await one.after('first');
  await one.type(' before');
  await until(async () => (await other.text()).includes('first before'), 'it arrives');
  await server.stop('SIGKILL');
  await one.after('first before');
  await one.type(' one');
  await other.after('first before');
  await other.type(' other');
  for (const editor of [one, other]) await until(async () => (await editor.status()) === 'offline', 'the status is shown');
  await server.run();
  const words = ['before', 'one', 'other'];
  await equal([one, other], server, 'Away.md');
  for (const word of words) assert.equal(server.read('Away.md').split(word).length, word === 'other' || word === 'before' || word === 'one' ? 2 : 1, `${word}: ${server.read('Away.md')}`);
  await together([one, other]);
  await one.after('third');
  await one.type(' again');
  await equal([one, other], server, 'Away.md');
  await close(one, other);
});

test('a server that is killed forgets nothing that it has shown to others, even if no window is left', async () => {
  const server = await own.start({ 'pages/Killed.md': LINES });
  const [one, other] = await both('Killed.md', { server });
  await one.after('first');
  await one.type(' kept');
  await until(async () => (await other.text()).includes('first kept'), 'it arrives');
  const killed = server.stop('SIGKILL');
  await Promise.all([one.context.close(), other.context.close()]);
  await killed;
  await server.run();
  await until(() => server.read('Killed.md') === LINES.replace('first', 'first kept'), () => `it is in the file: ${server.read('Killed.md')}`);
});

test('Japanese that is composed in one window and letters of another in the same line are both whole', async () => {
  const [one, other] = await both('Composing.md');
  await one.after('first');
  await other.after('first line');
  const session = await one.context.newCDPSession(one.page);
  const compose = (text) => session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  await compose('に');
  await other.type(' abc');
  await compose('にほ');
  await other.type('def');
  await compose('にほん');
  await until(() => viewer.read('Composing.md').includes('first line abcdef'), 'the letters of the other window are saved');
  assert.equal(await one.text(), LINES.replace('first', 'firstにほん'), 'the composition is left alone');
  await session.send('Input.insertText', { text: '日本' });
  await equal([one, other], viewer, 'Composing.md', LINES.replace('first line', 'first日本 line abcdef'));
  await close(one, other);
});

test('both windows follow a page that is renamed while they type', async () => {
  const [one, other] = await both('Renamed.md');
  await one.after('first');
  await one.type(' before');
  await until(async () => (await other.text()).includes('first before'), 'it arrives');
  await viewer.call('rename_page', { page: 'Renamed.md', path: 'Moved/Here.md' });
  await one.type(' after');
  for (const editor of [one, other]) await editor.page.waitForURL(/Moved\/Here/);
  await other.after('third');
  await other.type(' too');
  await equal([one, other], viewer, 'Moved/Here.md', LINES.replace('first', 'first before after').replace('third', 'third too'));
  assert.equal(viewer.read('Renamed.md'), '');
  await close(one, other);
});

test('a page that is deleted while it is edited is offered to be restored', async () => {
  const [one, other] = await both('Deleted.md');
  await one.after('first');
  await one.type(' kept');
  await equal([one, other], viewer, 'Deleted.md');
  renameSync(join(viewer.root, 'pages/Deleted.md'), join(viewer.root, 'away.txt'));
  for (const editor of [one, other]) await until(async () => (await editor.status()) === 'gone', async () => `it is gone: ${await editor.status()}`, 20_000);
  assert.match(await other.text(), /first kept/);
  await one.page.getByRole('button', { name: 'Restore the page' }).click();
  await equal([one, other], viewer, 'Deleted.md', LINES.replace('first', 'first kept'));
  await close(one, other);
});

test('a page that is left is saved, and is shared again when it is shown again', async () => {
  const [one, other] = await both('Left.md');
  await one.after('first');
  await one.type(' [[Alone]]');
  await one.after('[[Al');
  await one.press('Control+Enter');
  await until(async () => !(await one.text()).includes('[['), 'the other page is shown');
  await until(() => viewer.read('Left.md').includes('first [[Alone]] line'), 'the page is saved');
  await until(async () => (await other.page.locator('.guest').count()) === 0, 'the other window is alone');
  await other.after('second');
  await other.type(' later');
  await until(() => viewer.read('Left.md').includes('second later'), 'it is saved');
  await one.page.goBack();
  await until(async () => (await one.text()).includes('second later'), 'the page is shown again');
  await together([one, other]);
  await one.after('third');
  await one.type(' back');
  await equal([one, other], viewer, 'Left.md');
  await one.press('Control+z');
  await until(async () => !(await other.text()).includes(' back'), 'undo works');
  await close(one, other);
});

test('an accepted proposal of an agent appears with its name while others type', async () => {
  const [one, other] = await both('Agents.md');
  const agent = await Agent.start(viewer.root);
  const id = await agent.propose('update_page', { page: 'Agents.md', old: 'second line', new: 'second line by an agent', reason: 'Better.' });
  await one.after('first');
  await one.type(' mine');
  await viewer.call('accept_proposal', { proposals: [id] });
  for (const { page } of [one, other]) await page.getByText('scribe changed this page.').waitFor();
  await equal([one, other], viewer, 'Agents.md', LINES.replace('first', 'first mine').replace('second line', 'second line by an agent'));
  await agent.end();
  await close(one, other);
});

test('a window that is alone is told which agent changed its page, but not of what people change', async () => {
  viewer ??= await own.start({});
  const editor = await own.open(viewer, 'Scribe.md');
  const agent = await Agent.start(viewer.root);
  viewer.write('Scribe.md', LINES.replace('first', 'first by hand'));
  await until(async () => (await editor.text()).includes('by hand'), 'it arrives');
  const id = await agent.propose('update_page', { page: 'Scribe.md', old: 'third line', new: 'third line by an agent', reason: 'Better.' });
  await viewer.call('accept_proposal', { proposals: [id] });
  await editor.page.getByText('scribe changed this page.').waitFor();
  await until(async () => (await editor.text()).includes('by an agent'), 'it arrives');
  assert.equal(await editor.page.getByText('changed this page.').count(), 1);
  await agent.end();
  await editor.close();
});

test('whoever follows somebody sees what that person sees, also on another page, until a key is pressed', async () => {
  const [one, other] = await both('Long.md', { settings: [{ name: 'Ann' }, { name: 'Bo' }] });
  const top = ({ page }) => page.locator('#ubp_desk').evaluate((element) => element.scrollTop);
  const follow = other.page.getByRole('button', { name: 'Ann', exact: true });
  await follow.click();
  await other.page.locator('.following span', { hasText: 'Following Ann' }).waitFor();
  await one.page.locator('#ubp_desk').evaluate((element) => element.scrollTo({ top: 4000, behavior: 'instant' }));
  await until(async () => Math.abs((await top(other)) - (await top(one))) < 120 && (await top(one)) > 3000, async () => `both see the same: ${await top(one)} ${await top(other)}`);
  // To another page.
  await one.page.evaluate(() => document.querySelector('#ubp_side a[href*="Next"]').click());
  await other.page.waitForURL(/Next/);
  await other.page.locator('.following span', { hasText: 'Following Ann' }).waitFor();
  assert.equal(await follow.getAttribute('aria-pressed'), 'true');
  await other.page.keyboard.press('Escape');
  await other.page.locator('.following span', { hasText: 'Following Ann' }).waitFor({ state: 'detached' });
  await close(one, other);
});
