// Bases in pages, in Read and live preview, and how answers follow changes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { accessible, until, withViewer } from './workspace.mjs';

const BASE = [
  'filters: file.inFolder("tasks")',
  'formulas:',
  '  weight: effort * 2',
  'properties:',
  '  formula.weight: {displayName: Weight}',
  'views:',
  '  - type: table',
  '    name: All',
  '    order: [file.name, state, formula.weight]',
  '    sort: [{property: effort, direction: DESC}]',
  '  - type: cards',
  '    name: Board',
  '    groupBy: {property: state, direction: ASC}',
  '    summaries: {effort: Sum}',
  '',
].join('\n');

const PAGE = [
  '# Plan',
  '',
  '![[Tasks.base]]',
  '',
  '![[Tasks.base#Board]]',
  '',
  '```base',
  'filters: state == "open"',
  'views: [{type: list}]',
  '```',
  '',
  '```ubp list',
  'state: open',
  '```',
  '',
  '```base',
  'filters: file.hasTask()',
  '```',
  '',
  '[[Tasks.base]]',
  '',
].join('\n');

const task = (state, effort) => `---\nstate: ${state}\neffort: ${effort}\n---\n`;

let folder;
const put = (file, text) => writeFileSync(join(folder, 'pages', file), text);

function prepare(project) {
  folder = project;
  rmSync(join(project, 'pages'), { recursive: true, force: true });
  mkdirSync(join(project, 'pages/tasks'), { recursive: true });
  put('Plan.md', PAGE);
  put('Tasks.base', BASE);
  put('tasks/Paint.md', task('open', 3));
  put('tasks/Build.md', task('done', 5));
  execFileSync(process.env.UBP_PROGRAM, ['-C', project, 'init'], { stdio: 'pipe' });
}

describe('bases', () => {
  const own = withViewer({ prepare });
  const opened = (opening, context = {}) => own.open('Plan.html', { context, settings: { opening } });
  const shows = async (page, locator, expected) => {
    const texts = async () => (await page.locator(locator).allTextContents()).map((text) => text.trim());
    await until(async () => JSON.stringify(await texts()) === JSON.stringify(expected)).catch(async () => assert.deepEqual(await texts(), expected));
  };

  for (const [name, context] of [
    ['wide and light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
    ['narrow and dark', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' }],
  ]) {
    test(`show their views where they are embedded, ${name}`, async () => {
      const { page, done } = await opened('read', context);
      await shows(page, '.embed:first-of-type tbody tr', ['Builddone10', 'Paintopen6']);
      await shows(page, '.embed thead th', ['name', 'state', 'Weight']);
      await shows(page, '.embed .query.board .query-group', ['done', 'open']);
      await shows(page, '.query-notes', ['Line 14: UBP does not show summaries of a view. The rest is shown.']);
      await shows(page, '.query-problem', ['This base has no answer: line 1: UBP does not know the method hasTask()']);
      assert.equal(await page.locator('.embed tbody a').first().getAttribute('data-page'), 'tasks/Build.md');
      await accessible(page, 'bases');
      await done();
    });
  }

  test('follow pages and the file while the page is read', async () => {
    const { page, done } = await opened('read');
    await shows(page, '.embed tbody tr', ['Builddone10', 'Paintopen6']);
    put('tasks/Paint.md', task('started', 9));
    await shows(page, '.embed tbody tr', ['Paintstarted18', 'Builddone10']);
    put('Tasks.base', BASE.replace('effort * 2', 'effort * 3'));
    await shows(page, '.embed tbody tr', ['Paintstarted27', 'Builddone15']);
    put('Tasks.base', BASE);
    put('tasks/Paint.md', task('open', 3));
    await shows(page, '.embed tbody tr', ['Builddone10', 'Paintopen6']);
    await done();
  });

  test('and queries follow pages and the file in live preview, without the page being edited', async () => {
    const { page, done } = await opened('edit');
    await shows(page, '.cm-embed tbody tr', ['Builddone10', 'Paintopen6']);
    await shows(page, '.cm-live-fence .query li', ['Paint', 'Paint']);
    await accessible(page, 'bases, editing');
    put('tasks/Paint.md', task('started', 9));
    put('tasks/Build.md', task('open', 1));
    await shows(page, '.cm-embed tbody tr', ['Paintstarted18', 'Buildopen2']);
    await shows(page, '.cm-live-fence .query li', ['Build', 'Build']);
    put('Tasks.base', BASE.replace('effort * 2', 'effort * 3'));
    await shows(page, '.cm-embed tbody tr', ['Paintstarted27', 'Buildopen3']);
    put('Tasks.base', BASE);
    put('tasks/Paint.md', task('open', 3));
    put('tasks/Build.md', task('done', 5));
    await shows(page, '.cm-live-fence .query li', ['Paint', 'Paint']);
    await done();
  });

  test('are text when they are opened by a link', async () => {
    const { page, done } = await opened('read');
    const link = page.locator('p > a.attachment', { hasText: 'Tasks.base' });
    await link.waitFor();
    const answer = await page.request.get(new URL(await link.getAttribute('href'), page.url()).href);
    assert.equal(answer.headers()['content-type'], 'text/plain; charset=utf-8');
    assert.equal(await answer.text(), BASE);
    await done();
  });

  test('are answered once for a page', async () => {
    const { page, done } = await opened('read');
    const asked = [];
    page.on('request', (request) => {
      if (/get_page/.test(request.url())) asked.push(request.postDataJSON());
    });
    await page.reload();
    await page.locator('.embed tbody tr').first().waitFor();
    await until(() => asked.length > 0);
    assert.ok(asked.every(({ answers }) => answers === false), JSON.stringify(asked));
    await done();
  });
});
