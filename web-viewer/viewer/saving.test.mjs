// Saving: when edits are saved, concurrent changes of the file, and recovery after failures.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { still } from '../browser/support.mjs';
import { until, withViewer } from './editing.mjs';

const own = withViewer();
const LINES = '# Page\n\nfirst line\n\nsecond line\n\nthird line\n';
const page = (name) => [`pages/${name}.md`, LINES];
const NAMES = ['Plain', 'Breaks', 'Follow', 'Agent', 'Merge', 'Conflict', 'Theirs', 'Switch', 'Other', 'Gone', 'Crash', 'Stale', 'Undo', 'Paste', 'Composing', 'Pages', 'Far'];
let viewer;
before(async () => {
  viewer = await own.start(Object.fromEntries(NAMES.map(page)));
});
const open = (path, options) => own.open(viewer, path, options);

test('typing is saved after a moment, and no other byte changes', async () => {
  const editor = await open('Plain.md');
  await editor.after('first');
  await editor.type(' new');
  await editor.saved();
  assert.equal(viewer.read('Plain.md'), LINES.replace('first', 'first new'));
  await editor.close();
});

test('line endings and a byte order mark are preserved', async () => {
  const text = `\ufeff${LINES.replaceAll('\n', '\r\n').replace('third line\r\n', 'third line\n')}`;
  viewer.write('Breaks.md', text);
  const editor = await open('Breaks.md');
  await editor.after('second');
  await editor.type(' new');
  await editor.saved();
  assert.equal(viewer.read('Breaks.md'), text.replace('second', 'second new'));
  await editor.close();
});

test('pasting saves at once, and so does leaving the editor', async () => {
  const editor = await open('Paste.md', { options: { permissions: ['clipboard-read', 'clipboard-write'] } });
  await editor.page.evaluate(() => navigator.clipboard.writeText('PASTED '));
  await editor.after('first ');
  await editor.press('Control+v');
  await until(() => viewer.read('Paste.md').includes('first PASTED line'), 'the pasted text is in the file');
  await editor.after('second ');
  await editor.type('BLUR ');
  await editor.content.evaluate((element) => element.blur());
  await until(() => viewer.read('Paste.md').includes('second BLUR line'), 'leaving saves');
  await editor.close();
});

test('without unsaved edits, the editor shows changes of the file and keeps its cursor', async () => {
  const editor = await open('Follow.md');
  await editor.after('second li');
  const before = await editor.cursor();
  viewer.write('Follow.md', LINES.replace('first line', 'first line, much longer now').replace('third', 'THIRD'));
  await until(async () => (await editor.text()).includes('THIRD'), 'the editor is updated');
  assert.equal(await editor.cursor(), before + ', much longer now'.length);
  assert.equal(await editor.status(), 'saved');
  await editor.close();
});

test('an edit of an agent appears while the page is open', async () => {
  const editor = await open('Agent.md');
  const { content_hash: hash } = await viewer.call('read_page', { page: 'Agent.md' });
  const args = { page: 'Agent.md', mode: 'append', content: 'What the agent wrote.\n', expected_hash: hash };
  await viewer.tool('ubp_update_page', args);
  await until(async () => (await editor.text()).includes('What the agent wrote.'), 'it appears');
  await editor.close();
});

test('edits in different places are merged with a notice', async () => {
  const editor = await open('Merge.md');
  await editor.after('first');
  await editor.type(' mine');
  viewer.write('Merge.md', LINES.replace('third', 'yours third'));
  await until(() => viewer.read('Merge.md') === LINES.replace('first', 'first mine').replace('third', 'yours third'), () => `both are in the file: ${viewer.read('Merge.md')}`);
  await until(async () => (await editor.text()) === viewer.read('Merge.md'), 'both are in the text');
  await editor.close();
});

test('for edits in the same place, both versions are shown, and nothing is written until every conflict is resolved', async () => {
  const editor = await open('Conflict.md');
  await editor.after('second');
  await editor.type(' mine');
  viewer.write('Conflict.md', LINES.replace('second', 'yours second').replace('first', 'FIRST'));
  const panel = editor.page.getByRole('region', { name: 'Conflicts' });
  await panel.waitFor();
  await until(async () => (await editor.status()) === 'conflict', 'the status is updated');
  assert.match(await panel.textContent(), /: 1 conflict\./);
  assert.match(await editor.text(), /FIRST line\n\nsecond mine line/);
  assert.ok(await editor.page.getByText('yours second').isVisible(), 'the other version is shown');
  await editor.askedToSave();
  assert.match(viewer.read('Conflict.md'), /yours second line/);
  await editor.page.getByRole('button', { name: 'Keep mine' }).click();
  await editor.saved();
  assert.equal(viewer.read('Conflict.md'), LINES.replace('second', 'second mine').replace('first', 'FIRST'));
  await panel.waitFor({ state: 'detached' });
  await editor.close();
});

test('the other version can be accepted with the keyboard only, and undone', async () => {
  const editor = await open('Theirs.md');
  await editor.after('second');
  await editor.type(' mine');
  viewer.write('Theirs.md', LINES.replace('second', 'yours second'));
  await editor.page.getByRole('region', { name: 'Conflicts' }).waitFor();
  await editor.content.focus();
  await editor.press('Alt+ArrowDown', 'Alt+t');
  await editor.saved();
  assert.equal(viewer.read('Theirs.md'), LINES.replace('second', 'yours second'));
  await editor.press('Control+z');
  await editor.saved();
  assert.match(viewer.read('Theirs.md'), /second mine line/);
  await editor.close();
});

test('opening another page saves the current one, and its undo history is kept', async () => {
  const editor = await open('Switch.md');
  await editor.after('first');
  await editor.type(' [[Other]] kept');
  await editor.after('[[Oth');
  await editor.press('Control+Enter');
  await until(() => viewer.read('Switch.md').includes('first [[Other]] kept line'), 'it is saved at once');
  await until(async () => !(await editor.text()).includes('kept'), 'the other page is shown');
  await editor.after('second');
  await editor.type(' [[Switch]]');
  await editor.after('[[Swi');
  await editor.press('Control+Enter');
  await until(async () => (await editor.text()).includes('kept'), 'the first page is shown again');
  await editor.content.focus();
  for (let step = 0; step < 4; step++) await editor.press('Control+z');
  await until(async () => !(await editor.text()).includes('kept'), 'the undo history is kept');
  await editor.saved();
  assert.match(viewer.read('Other.md'), /second \[\[Switch\]\] line/);
  await editor.close();
});

test('what is typed while the server is away is saved once it is back', async () => {
  const lone = await own.start(Object.fromEntries([page('Gone')]));
  const editor = await own.open(lone, 'Gone.md');
  await lone.stop('SIGKILL');
  await editor.after('first');
  await editor.type(' offline');
  await until(async () => (await editor.status()) === 'offline', 'the status is updated');
  await editor.type(' typed');
  await lone.run();
  await until(() => lone.read('Gone.md').includes('first offline typed line'), 'it is saved automatically', 40_000);
  await editor.saved();
  await editor.context.close();
});

test('if the tab is closed while the server is away, edits are restored when the page is opened again', async () => {
  const lone = await own.start(Object.fromEntries([page('Crash')]));
  const context = await own.context();
  const editor = await own.open(lone, 'Crash.md', { context });
  await lone.stop('SIGKILL');
  await editor.after('first');
  await editor.type(' unsaved');
  await until(async () => (await editor.status()) === 'offline', 'the status is updated');
  await editor.page.close();
  await lone.run();
  assert.equal(lone.read('Crash.md'), LINES);
  const again = await own.open(lone, 'Crash.md', { context });
  await until(() => lone.read('Crash.md').includes('first unsaved line'), 'it is restored and saved');
  assert.match(await again.text(), /first unsaved line/);
  await context.close();
});

test('a draft of a file that changed since is shown next to it', async () => {
  const lone = await own.start(Object.fromEntries([page('Stale')]));
  const context = await own.context();
  const editor = await own.open(lone, 'Stale.md', { context });
  await lone.stop('SIGKILL');
  await editor.after('first');
  await editor.type(' unsaved');
  await until(async () => (await editor.status()) === 'offline', 'the status is updated');
  await editor.page.close();
  lone.write('Stale.md', LINES.replace('third', 'changed third'));
  await lone.run();
  const again = await own.open(lone, 'Stale.md', { context });
  await again.page.getByRole('region', { name: 'Conflicts' }).waitFor();
  assert.match(await again.text(), /first unsaved line/);
  assert.equal(lone.read('Stale.md'), LINES.replace('third', 'changed third'));
  await again.page.getByRole('button', { name: 'Keep all mine' }).click();
  await until(() => lone.read('Stale.md').includes('first unsaved line'), 'the choice is saved');
  await context.close();
});

test('undo reverts what was typed, not changes of the file', async () => {
  const editor = await open('Undo.md');
  await editor.after('first');
  await editor.type(' typed');
  await editor.saved();
  viewer.write('Undo.md', viewer.read('Undo.md').replace('third', 'brought third'));
  await until(async () => (await editor.text()).includes('brought'), 'the editor is updated');
  await editor.press('Control+z');
  await editor.saved();
  assert.equal(viewer.read('Undo.md'), LINES.replace('third', 'brought third'));
  await editor.close();
});

test('a change of the file during a composition disturbs neither', async () => {
  const editor = await open('Composing.md');
  await editor.after('first');
  const session = await editor.context.newCDPSession(editor.page);
  const compose = (text) => session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  await compose('に');
  const told = editor.page.waitForResponse(/\/api\/get_page$/);
  viewer.write('Composing.md', LINES.replace('third', 'changed third'));
  await told;
  await editor.idle();
  await compose('にほ');
  await compose('にほん');
  assert.equal(await editor.text(), LINES.replace('first', 'firstにほん'));
  await session.send('Input.insertText', { text: '日本' });
  await until(() => viewer.read('Composing.md') === LINES.replace('first', 'first日本').replace('third', 'changed third'), () => `both are in the file: ${viewer.read('Composing.md')}`);
  await editor.close();
});

test('two windows on one page see each other’s edits', async () => {
  const [one, other] = [await open('Pages.md'), await open('Pages.md')];
  await one.after('first');
  await one.type(' of one');
  await until(async () => (await other.text()).includes('first of one'), 'the second window is updated');
  await other.after('third');
  await other.type(' of another');
  await until(async () => (await one.text()).includes('third of another'), 'the first window is updated');
  await one.close();
  await other.close();
});

test('the visible lines stay in place while lines are added above', async () => {
  const long = Array.from({ length: 400 }, (_, line) => `Line ${line}.`).join('\n\n');
  viewer.write('Far.md', long);
  const editor = await open('Far.md');
  await editor.after('Line 300');
  const place = () => editor.page.locator('.cm-line', { hasText: /^Line 300\.$/ }).evaluate((element) => element.getBoundingClientRect().top);
  const before = await still(place, 'the text comes to rest');
  viewer.write('Far.md', `One line more.\n\nAnd one.\n\n${long}`);
  await until(async () => (await editor.text()).startsWith('One line more.'), 'the editor is updated');
  const now = await still(place, 'the text comes to rest');
  assert.ok(Math.abs(now - before) < 4, `it moved from ${before} to ${now}`);
  await editor.close();
});
