// Helpers: a viewer on a copy of the test project, and a browser for the tests around the editor.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { accessible, launch, openPage, settled, until } from '../browser/support.mjs';
import { Viewer } from './editing.mjs';

/** Milliseconds after which the page counts as frozen. Tests print times and check only this limit, because other processes
 *  slow them down; `bench/` measures exactly. */
export const FROZEN = 1000;

export { accessible, settled, until };

const here = dirname(fileURLToPath(import.meta.url));

const program = process.env.UBP_PROGRAM;

export function git(project, args, date = '2026-01-10T10:00:00Z') {
  const names = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org', GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' };
  execFileSync('git', args, { cwd: project, stdio: 'pipe', env: { ...process.env, ...names, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } });
}

export function commit(project, message, date) {
  git(project, ['add', '-A']);
  git(project, ['commit', '-qm', message], date);
}

function ubp(project, ...args) {
  return execFileSync(program, ['-C', project, ...args], { encoding: 'utf8', stdio: 'pipe' });
}

/** Changes sources after their pages were reviewed: long ago for sign-in, just now for sessions. */
export function withHistory(project) {
  git(project, ['init', '-q']);
  ubp(project, 'init');
  commit(project, 'Begin', '2024-01-10T10:00:00Z');
  ubp(project, 'review', '--all');
  commit(project, 'Record reviews', '2024-02-10T10:00:00Z');
  appendFileSync(join(project, 'src/login.js'), '\nexport const ATTEMPTS = 5;\n');
  commit(project, 'Lock accounts after five attempts', '2024-05-10T10:00:00Z');
  appendFileSync(join(project, 'src/session.js'), '\nexport const LIFETIME = 3600;\n');
  commit(project, 'End sessions after an hour', new Date(Date.now() - 86_400_000).toISOString());
}

/** The test project without an index. */
export function cloned(project) {
  withHistory(project);
  for (const file of ['metadata.db', 'metadata.db-wal', 'metadata.db-shm']) rmSync(join(project, '.ubp', file), { force: true });
}

/** A project with many pages that link to each other, in many folders. */
export function manyPages(count) {
  return (project) => {
    rmSync(join(project, 'pages'), { recursive: true });
    for (let number = 0; number < count; number++) {
      const folder = join(project, 'pages', `area ${number % 100}`);
      if (number < 100) mkdirSync(folder, { recursive: true });
      const next = (number * 7 + 1) % count;
      writeFileSync(join(folder, `page ${number}.md`), `---\ntags: [t${number % 40}]\n---\n\n# Page ${number}\n\nIt leads to [[page ${next}]] and tells of subject ${number % 311}.\n`);
    }
    ubp(project, 'init');
  };
}

/** A project without pages. */
export function empty(project) {
  rmSync(join(project, 'pages'), { recursive: true });
  mkdirSync(join(project, 'pages'));
  ubp(project, 'init');
}

/**
 * Provides `open(path, options)` for the tests of a file. `prepare` changes a copy of the test project; by default it adds a
 * git history. `environment` gives more variables for the server, from the
 * folder of the project. A page that reports an error or contacts another host fails its test.
 */
export function withViewer({ prepare = withHistory, environment = () => ({}), timeout = 120_000 } = {}) {
  const own = { root: '', project: '', browser: null };
  let viewer;

  own.start = () => viewer.run();
  own.stop = () => viewer?.stop();
  own.page = (path) => join(own.project, 'pages', path);
  own.read = (path) => readFileSync(own.page(path), 'utf8');
  own.write = (path, text) => {
    mkdirSync(dirname(own.page(path)), { recursive: true });
    writeFileSync(own.page(path), text);
  };
  own.call = (name, params) => viewer.call(name, params);
  own.tool = (name, args) => viewer.tool(name, args);

  before(
    async () => {
      assert.ok(program, 'UBP_PROGRAM must be the path of ubp; test.mjs sets it');
      own.project = mkdtempSync(join(tmpdir(), 'ubp-viewer-'));
      cpSync(join(here, '../browser/vault'), own.project, { recursive: true });
      prepare(own.project);
      own.browser = await launch();
      viewer = await Viewer.start(own.project, undefined, environment(own.project));
      own.root = viewer.url;
    },
    { timeout },
  );
  after(async () => {
    await own.browser?.close();
    await own.stop();
    rmSync(own.project, { recursive: true, force: true });
  });

  own.open = async (path = '', { settings = {}, ...options } = {}) => {
    const kept = { opening: 'edit', ...settings };
    const opened = await openPage(own.browser, own.root, options);
    const { page } = opened;
    await page.context().addInitScript((kept) => {
      if (!localStorage.getItem('ubp')) localStorage.setItem('ubp', JSON.stringify(kept));
    }, kept);
    await page.goto(viewer.entry(path));
    // From then on, the app hears keys.
    await page.locator('#ubp_status .status').waitFor({ state: 'attached' });
    return opened;
  };
  return own;
}

/** Waits until the project is open and its pages are listed. */
export async function ready(page) {
  await page.getByText(/^[\d,]+ pages?$/).first().waitFor();
}

/** Waits for the editor; returns its text element. */
export function editor(page) {
  return page.locator('#ubp_desk .cm-content');
}

/** Waits until everything that was typed is saved. */
export async function saved(page) {
  await page.locator('#ubp_status [data-save="saved"]').waitFor();
}

/** The lowest median of three rounds of `measure`, because other processes may slow down a round. */
export async function bestMedian(what, measure) {
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const times = (await measure()).sort((a, b) => a - b);
    console.log(`${what}: ${times.map(Math.round).join(', ')} ms`);
    best = Math.min(best, times[times.length >> 1]);
  }
  return best;
}

/** The time until a page of the list is shown in the editor, in milliseconds. */
export function switchTo(page, title) {
  return page.evaluate(async (title) => {
    const link = [...document.querySelectorAll('#ubp_side .viewport a')].find((row) => row.querySelector('.title').textContent === title);
    const start = performance.now();
    link.click();
    while (!document.querySelector('#ubp_desk .cm-content').getAttribute('aria-label').endsWith(title)) await new Promise(requestAnimationFrame);
    return performance.now() - start;
  }, title);
}
