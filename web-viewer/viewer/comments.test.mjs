// Comments: written from a selection in Edit and Read, seen by others at once, and at their text while people and programs write.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, withViewer } from './editing.mjs';

const TEXT = '# Limits\n\nA request may have **10 pages**, see [[Home]].\n\nAnother line of this page.\n';
const own = withViewer();
let viewer;
const start = async () => (viewer ??= await own.start({ 'pages/Home.md': '# Home\n', ...Object.fromEntries(['Written', 'Read', 'Followed', 'Gone'].map((name) => [`pages/${name}.md`, TEXT])) }));

const panel = ({ page }) => page.getByRole('complementary', { name: 'Comments', exact: true });
const mark = ({ page }) => page.locator('.cm-comment').first();

async function write({ page }, text) {
  await page.getByRole('textbox', { name: 'Comment', exact: true }).fill(text);
  await page.getByRole('textbox', { name: 'Comment', exact: true }).press('Control+Enter');
}

test('a comment on a selection appears in other windows at once, and moves with its text', async () => {
  await start();
  const one = await own.open(viewer, 'Written.md', { settings: { name: 'Ann' } });
  const other = await own.open(viewer, 'Written.md', { settings: { name: 'Bo' } });
  await other.page.locator('.cm-guest').first().waitFor({ state: 'attached' });
  await one.select('10 pages');
  await one.press('Control+Alt+m');
  await write(one, 'Still 10?');
  await mark(other).waitFor();
  assert.equal(await mark(other).textContent(), '10 pages');
  await other.page.getByRole('button', { name: /^Comments: 1 open/ }).click();
  await panel(other).getByText('Still 10?').waitFor();
  // What both type around it.
  await one.after('Limits');
  await one.type(' of requests');
  await other.after('may');
  await other.type(' not');
  await until(async () => (await one.text()).includes('may not') && (await other.text()).includes('Limits of requests'), 'both have it');
  assert.equal(await mark(one).textContent(), '10 pages');
  assert.equal(await mark(other).textContent(), '10 pages');
  await panel(other).getByRole('button', { name: 'Reply' }).click();
  await other.page.getByRole('textbox', { name: 'Reply' }).fill('Yes.');
  await panel(other).getByRole('button', { name: 'Send' }).click();
  await panel(one).getByText('Yes.').waitFor();
  // Only what one wrote oneself can be deleted.
  assert.equal(await panel(one).getByRole('button', { name: 'Delete' }).count(), 1);
  await panel(other).getByRole('button', { name: 'Resolve' }).click();
  await mark(one).waitFor({ state: 'detached' });
  await panel(one).getByText('Resolved: 1').click();
  await panel(one).getByText('Resolved by Bo').waitFor();
  const { comments } = await viewer.call('list_comments', { page: 'Written.md', state: 'all' });
  assert.deepEqual(comments.map(({ author, text, quote, replies }) => [author, text, quote, replies.map(({ author, text }) => [author, text])]), [['Ann', 'Still 10?', '10 pages', [['Bo', 'Yes.']]]]);
  await one.close();
  await other.close();
});

test('a text selected for reading is found in its Markdown, and marked', async () => {
  await start();
  const editor = await own.open(viewer, 'Read.md', { settings: { name: 'Ann' } });
  const { page } = editor;
  await editor.press('Control+e');
  const prose = page.locator('#ubp_content .prose');
  await prose.getByText('10 pages').waitFor();
  await prose.evaluate((element) => {
    const paragraph = element.querySelector('p');
    const range = document.createRange();
    range.setStart(paragraph.firstChild, 'A request '.length);
    range.setEnd(paragraph.querySelector('strong').firstChild, '10'.length);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  });
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await write(editor, 'At most?');
  await panel(editor).getByText('At most?').waitFor();
  const marked = () => page.evaluate(() => [...(CSS.highlights.get('ubp-comment') ?? [])].map(String));
  await until(async () => (await marked()).join() === 'may have 10', async () => `the text is marked: ${await marked()}`);
  const { comments } = await viewer.call('list_comments', { page: 'Read.md' });
  assert.equal(comments[0].quote, 'may have **10');
  // A click on the mark shows its comment.
  await panel(editor).getByRole('button', { name: 'Close comments' }).click();
  await panel(editor).waitFor({ state: 'detached' });
  await page.evaluate(() => getSelection().removeAllRanges());
  await page.mouse.click(...(await page.evaluate(() => {
    const { left, top, width, height } = [...CSS.highlights.get('ubp-comment')][0].getClientRects()[0];
    return [left + width / 2, top + height / 2];
  })));
  await panel(editor).locator('article.chosen').waitFor();
  await page.keyboard.press('Escape');
  await panel(editor).waitFor({ state: 'detached' });
  await editor.close();
});

test('a comment follows changes on disk and renames, and says if its text is gone', async () => {
  await start();
  await viewer.call('add_comment', { page: 'Followed.md', quote: '10 pages', text: 'Followed?', author: 'Ann' });
  let editor = await own.open(viewer, 'Followed.md', { settings: { name: 'Ann' } });
  await mark(editor).waitFor();
  viewer.write('Followed.md', `# First\n\nNew words.\n\n${TEXT}`);
  await until(async () => (await editor.text()).startsWith('# First'), 'it is shown');
  assert.equal(await mark(editor).textContent(), '10 pages');
  await viewer.call('rename_page', { page: 'Followed.md', path: 'Moved/There.md' });
  await editor.close();
  editor = await own.open(viewer, 'Moved/There.md', { settings: { name: 'Ann' } });
  await mark(editor).waitFor();
  assert.equal(await mark(editor).textContent(), '10 pages');
  viewer.write('Moved/There.md', '# Limits\n\nNone.\n');
  await editor.page.getByRole('button', { name: /^Comments: 1 open/ }).click();
  await panel(editor).getByText('The page no longer contains this text').waitFor();
  await panel(editor).getByRole('button', { name: 'Delete' }).click();
  await panel(editor).getByText('No comments on this page').waitFor();
  assert.equal((await viewer.call('list_comments', { state: 'all' })).comments.filter(({ filepath }) => filepath.includes('There')).length, 0);
  await editor.close();
});
