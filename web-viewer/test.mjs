// Runs all tests of the web app: types, units and builds, then tests in a real browser. The last line is `N passed, N failed`.
//
//   node test.mjs --ubp PROGRAM     exports browser/vault with this program and the app in dist/, and serves copies of it
//                                   with `ubp viewer`
//   node test.mjs --site FOLDER     uses a site that was exported before; skips the tests of the viewer
//   --without-browser               runs only what needs no browser
//   --in-browser                    runs only the tests in a browser
//   --only browser/graph,viewer     runs only these files or folders of them
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: { site: { type: 'string' }, ubp: { type: 'string' }, only: { type: 'string' }, 'without-browser': { type: 'boolean' }, 'in-browser': { type: 'boolean' } },
});
const scratch = mkdtempSync(join(tmpdir(), 'ubp-web-viewer-'));
const sum = { passed: 0, failed: 0 };

/** Limit on the JavaScript of the first view, in bytes after compression. */
const BUDGET = 120_000;

/** Limit on the time of a file of tests, in milliseconds. Beside a compiler, files take many times longer than alone. */
const FILE_TIMEOUT = 1_200_000;

/** Runs a command; returns whether it succeeded. */
function run(command, args, env = {}) {
  return spawnSync(command, args, { cwd: here, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
}

function count(passed, failed, what) {
  sum.passed += passed;
  sum.failed += failed;
  if (failed > 0) console.log(`failed: ${what}`);
}

/** Runs a command that must succeed; counts as one test. */
function step(what, command, args) {
  const isDone = run(command, args);
  count(Number(isDone), Number(!isDone), what);
}

function logic() {
  const isDone = run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${join(scratch, 'logic.json')}`]);
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(join(scratch, 'logic.json'), 'utf8'));
    count(numPassedTests, Math.max(numFailedTests, Number(!isDone)), 'logic');
  } catch {
    count(0, 1, 'logic');
  }
}

/** Sums up the scripts of a page and all their static imports. */
function firstView() {
  const seen = new Set();
  const follow = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    const code = readFileSync(file, 'utf8');
    for (const [, path] of code.matchAll(/(?:^|[;}])import(?:[^'"();]*?from)?["'](\.[^"']+)["']/g)) follow(resolve(dirname(file), path));
  };
  const html = readFileSync(join(here, 'dist/index.html'), 'utf8');
  for (const [, path] of html.matchAll(/<script[^>]* src="(\.[^"]+)"/g)) follow(join(here, 'dist', path));
  const bytes = [...seen].reduce((total, file) => total + gzipSync(readFileSync(file), { level: 9 }).length, 0);
  console.log(`JavaScript of the first view: ${bytes} bytes gzipped in ${seen.size} files, at most ${BUDGET}`);
  const isWithin = seen.size >= 2 && bytes <= BUDGET;
  count(Number(isWithin), Number(!isWithin), 'budget of the first view');
}

/** Exports the test project. One page is older than the code that it describes, another one is newer. */
function exported(program) {
  const project = join(scratch, 'vault');
  cpSync(join(here, 'browser/vault'), project, { recursive: true });
  const [old, recent] = [new Date('2024-01-01T00:00:00Z'), new Date('2024-06-01T00:00:00Z')];
  const age = (path, time) => utimesSync(join(project, path), time, time);
  age('pages/Code/Sign in.md', old);
  age('src/login.js', recent);
  age('src/session.js', old);
  age('pages/Code/Sessions.md', recent);
  const ubp = (...args) => run(program, ['-C', project, ...args]);
  return ubp('init') && ubp('add') && ubp('export', join(scratch, 'site'), '--web-app', join(here, 'dist')) ? join(scratch, 'site') : null;
}

/** The test files of a folder that `--only` selects, as `folder/name`. */
function filesOf(folder) {
  const only = values.only?.split(',');
  return readdirSync(join(here, folder))
    .filter((name) => name.endsWith('.test.mjs'))
    .map((name) => `${folder}/${name.replace('.test.mjs', '')}`)
    .filter((name) => !only || only.includes(name) || only.includes(folder));
}

function inBrowser(folder, env) {
  const files = filesOf(folder);
  if (files.length > 0) inNode(folder, files, env);
}

/** Two files run at the same time, each with its own server and browser: three use no more of two processors. */
function inNode(what, files, env = {}) {
  const results = join(scratch, `${what}.tap`);
  const isDone = run(
    process.execPath,
    ['--test', `--test-concurrency=2`, `--test-timeout=${process.env.UBP_SOAK ? 3_600_000 : FILE_TIMEOUT}`, '--test-reporter=spec', '--test-reporter-destination=stdout', '--test-reporter=tap', `--test-reporter-destination=${results}`, ...files.map((name) => `${name}.test.mjs`)],
    env,
  );
  const tap = readFileSync(results, 'utf8');
  const number = (name) => Number(new RegExp(`^# ${name} (\\d+)`, 'm').exec(tap)?.[1] ?? 0);
  count(number('pass'), Math.max(number('fail') + number('cancelled'), Number(!isDone)), what);
}

function withoutBrowser() {
  firstView();
  step('types', process.execPath, ['node_modules/svelte-check/bin/svelte-check', '--fail-on-warnings']);
  logic();
  inNode('build', ['build']);
}

function inBrowsers() {
  if (filesOf('browser').length > 0) {
    const site = values.site ?? (values.ubp ? exported(resolve(values.ubp)) : null);
    if (site) inBrowser('browser', { UBP_SITE: resolve(site) });
    else count(0, 1, 'no exported site: pass --site, or --ubp to export one');
  }
  // The viewer tests need the program; an exported site is read-only.
  if (values.ubp) inBrowser('viewer', { UBP_PROGRAM: resolve(values.ubp), UBP_WEB_APP: join(here, 'dist') });
}

try {
  if (!values['in-browser'] && !values.only) withoutBrowser();
  if (!values['without-browser']) inBrowsers();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`\n${sum.passed} passed, ${sum.failed} failed`);
process.exitCode = sum.failed > 0 ? 1 : 0;
