// What a page shows besides text: code in its colours, diagrams, formulas, HTML, tasks.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { accessible, until, withViewer } from './workspace.mjs';

const PAGE = [
  '# Blocks',
  '',
  '- [ ] first',
  '- [x] second',
  '',
  '```rust',
  'fn add(a: u32) -> u32 { a + 1 } // one',
  '```',
  '',
  '```mermaid',
  'flowchart LR',
  '  A[Browser] --> B[Server]',
  '```',
  '',
  '```mermaid',
  '---',
  'config:',
  '  layout: elk',
  '---',
  'flowchart LR',
  '  C --> D',
  '```',
  '',
  '```mermaid',
  'not a diagram',
  '```',
  '',
  '```ubp board state',
  'state: *',
  '```',
  '',
  'The sum $\\frac{a}{b}$, ==marked== and <kbd>Ctrl</kbd>.',
  '',
  '<details>',
  '<summary>More</summary>hidden *text*',
  '',
  '**bold**',
  '',
  '</details>',
  '',
].join('\n');

let folder;
function prepare(project) {
  folder = project;
  rmSync(join(project, 'pages'), { recursive: true, force: true });
  mkdirSync(join(project, 'pages'));
  writeFileSync(join(project, 'pages/Blocks.md'), PAGE);
  writeFileSync(join(project, 'pages/Task.md'), '---\nstate: open\n---\n# Task\n');
  execFileSync(process.env.UBP_PROGRAM, ['-C', project, 'init'], { stdio: 'pipe' });
}

describe('blocks of a page', () => {
  const own = withViewer({ prepare });
  const read = async (context = {}) => {
    const opened = await own.open('Blocks.html', { context });
    await opened.page.evaluate(() => localStorage.setItem('ubp', JSON.stringify({ face: 'read' })));
    await opened.page.reload();
    return opened;
  };

  for (const colorScheme of ['light', 'dark']) {
    test(`are drawn, in the ${colorScheme} theme`, async () => {
      const { page, done } = await read({ colorScheme });
      await page.locator('.prose .diagram').nth(1).waitFor();
      await page.locator('pre .md-keyword', { hasText: 'fn' }).waitFor();
      await page.locator('pre .md-comment', { hasText: '// one' }).waitFor();
      const labels = await page.locator('.diagram text').allTextContents();
      assert.deepEqual(labels.map((label) => label.trim()).filter(Boolean).sort(), ['Browser', 'C', 'D', 'Server']);
      assert.equal(await page.locator('pre', { hasText: 'not a diagram' }).count(), 1);
      assert.equal(await page.locator('.prose math mfrac').count(), 1);
      assert.equal(await page.locator('.prose mark').textContent(), 'marked');
      assert.equal(await page.locator('.prose details > summary').textContent(), 'More');
      assert.equal(await page.locator('.prose details strong').textContent(), 'bold');
      await accessible(page, 'blocks');
      await done();
    });
  }

  test('a diagram is drawn again in the colours of another theme', async () => {
    const { page, done } = await read({ colorScheme: 'light' });
    const fill = () => page.locator('.diagram .node rect').first().evaluate((node) => getComputedStyle(node).fill);
    await page.locator('.diagram .node rect').first().waitFor();
    const light = await fill();
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(async () => (await fill()) !== light);
    await done();
  });

  test('a query shows its answer, also while editing, and follows changes of other pages', async () => {
    const { page, done } = await read();
    const answer = page.locator('.query.board');
    await answer.getByText('open', { exact: true }).waitFor();
    assert.equal(await answer.getByRole('link', { name: 'Task' }).getAttribute('data-page'), 'Task.md');
    writeFileSync(join(folder, 'pages/Task.md'), '---\nstate: done\n---\n# Task\n');
    await answer.getByText('done', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.locator('.cm-live-fence .query.board').getByText('done', { exact: true }).waitFor();
    await accessible(page, 'blocks, editing');
    writeFileSync(join(folder, 'pages/Task.md'), '---\nstate: open\n---\n# Task\n');
    await done();
  });

  test('ticking a task changes one byte, and can be undone', async () => {
    const { page, done } = await read();
    const file = join(folder, 'pages/Blocks.md');
    await page.locator('.task').first().check();
    await until(() => readFileSync(file, 'utf8') === PAGE.replace('- [ ] first', '- [x] first'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(() => readFileSync(file, 'utf8') === PAGE);
    await until(async () => !(await page.locator('.task').first().isChecked()));
    await done();
  });

  test('only the page is printed', async () => {
    const { page, done } = await read();
    await page.emulateMedia({ media: 'print' });
    for (const id of ['bar', 'side', 'rail', 'head', 'status']) assert.equal(await page.locator(`#ubp_${id}`).isVisible(), false, id);
    assert.equal(await page.locator('article.page h1').isVisible(), true);
    await done();
  });
});
