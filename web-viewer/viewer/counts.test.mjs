// The link counts of a page while others add links to it: updated with the next change, without requesting all pages.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { until, withViewer } from './editing.mjs';

const own = withViewer();
let viewer;
before(async () => {
  const pages = Object.fromEntries(['Target', 'Other', 'Third', 'Writer', 'Agent', 'Lost'].map((name) => [`pages/${name}.md`, `# ${name}\n\nfirst line\n`]));
  viewer = await own.start({ ...pages, 'pages/Linked.md': '# Linked\n\nTo [[Lost]].\n' });
});

async function open(page) {
  const editor = await own.open(viewer, page);
  const { page: window } = editor;
  await window.getByRole('button', { name: /^Sort/ }).click();
  await window.getByRole('combobox', { name: 'Sort by' }).selectOption('links');
  editor.count = async (path) => parseInt(await window.locator(`#ubp_side .viewport [data-page="${path}"] .about`).textContent(), 10);
  editor.counts = (path, count) => until(async () => (await editor.count(path)) === count, async () => `${path} has ${await editor.count(path)}, not ${count}`);
  editor.asked = [];
  window.on('request', (request) => request.url().includes('/api/') && editor.asked.push(request.url().replace(/^.*\/api\//, '')));
  return editor;
}

test('typing updates counts and the order of the list, without requesting all pages', async () => {
  const editor = await open('Writer.md');
  await editor.counts('Target.md', 0);
  await editor.after('first');
  await editor.type(' [[Target]]');
  await editor.press('Escape');
  await editor.counts('Target.md', 1);
  await editor.counts('Writer.md', 1);
  assert.ok(!editor.asked.includes('list_pages'), 'all pages were requested');
  await editor.after(' [[');
  for (let letter = 0; letter < 'Target'.length; letter++) await editor.press('Delete');
  await editor.type('Other');
  await editor.press('Escape');
  await editor.saved();
  await editor.counts('Other.md', 1);
  await editor.counts('Target.md', 0);
  const order = await editor.page.locator('#ubp_side .viewport .about').evaluateAll((cells) => cells.map((cell) => parseInt(cell.textContent, 10)));
  assert.deepEqual(order, order.toSorted((a, b) => b - a), 'the most linked are first');
  editor.asked.length = 0;
  await editor.after('line');
  await editor.type(' more words');
  await editor.saved();
  await until(() => editor.asked.includes('get_page'), 'the change was indexed');
  await editor.idle();
  assert.ok(!editor.asked.includes('list_pages'), 'all pages were requested');
  await editor.close();
});

test('changes, new pages and deletions by others update counts', async () => {
  const editor = await open('Third.md');
  viewer.write('Agent.md', '# Agent\n\nTo [[Third]] and [[Target]].\n');
  await editor.counts('Target.md', 1);
  await editor.counts('Third.md', 1);
  viewer.write('New.md', '# New\n\nTo [[Target]].\n');
  await editor.counts('Target.md', 2);
  await editor.counts('New.md', 1);
  rmSync(join(viewer.root, 'pages/New.md'));
  await editor.counts('Target.md', 1);
  await editor.counts('Lost.md', 1);
  // The former links of a page that was never opened are unknown: all pages are requested once nothing changes any more.
  viewer.write('Linked.md', '# Linked\n\nTo nothing.\n');
  await editor.counts('Lost.md', 0);
  await editor.close();
});

test('the status bar counts links like the list, in both modes: none in code, one per page', async () => {
  viewer.write('Mixed.md', '# Mixed\n\n[[Target]], [[Target]] again, `[[Other]]`, [Third](Third.md), [[Nowhere]].\n\n```\n[[Writer]]\n```\n');
  const editor = await open('Mixed.md');
  await editor.counts('Mixed.md', 2);
  const status = editor.page.locator('#ubp_status');
  for (const face of ['Edit', 'Read']) {
    await editor.page.getByRole('button', { name: face, exact: true }).click();
    await status.getByText('2 links', { exact: true }).waitFor();
    await status.getByText('1 broken', { exact: true }).waitFor();
  }
  await editor.close();
});
