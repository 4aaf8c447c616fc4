#!/usr/bin/env node
// Builds the plugin, checks its types, and tests it in Chromium under a stand-in for the app. The last line is
// `N passed, N failed`, with `, N skipped` if tests were skipped.
//
//   node test.mjs --native PROGRAM   asks this ubp for freshness; without it, those tests are skipped
//   FILE…                            only these test files
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({ allowPositionals: true, options: { native: { type: 'string' } } });
let [passed, failed] = [0, 0];

function step(what, args, options = {}) {
  const { status } = spawnSync(process.execPath, args, { cwd: here, stdio: 'inherit', ...options });
  if (status === 0) passed += 1;
  else {
    failed += 1;
    console.log(`failed: ${what}`);
  }
  return status === 0;
}

/** The type package of Obsidian, of the version in the lockfile. */
function hasTypes() {
  const version = (path) => (existsSync(join(here, path)) ? JSON.parse(readFileSync(join(here, path), 'utf8')).packages['node_modules/obsidian']?.version : undefined);
  if (version('package-lock.json') === version('node_modules/.package-lock.json')) return true;
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  return spawnSync(npm, ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: here, stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;
}

if (step('build', ['build.mjs'])) {
  if (hasTypes()) step('types', ['../../web-viewer/node_modules/typescript/bin/tsc', '-p', '.']);
  else {
    failed += 1;
    console.log('failed: the types of Obsidian are missing');
  }
  const files = positionals.length > 0 ? positionals.map((file) => resolve(file)) : readdirSync(join(here, 'test')).filter((name) => name.endsWith('.test.mjs')).map((name) => join(here, 'test', name));
  const env = { ...process.env, ...(values.native ? { UBP_NATIVE: resolve(values.native) } : {}), NO_COLOR: '1' };
  const ran = spawnSync(process.execPath, ['--test', '--test-timeout=600000', '--test-concurrency=2', '--test-reporter=tap', ...files.sort()], { cwd: here, env, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] });
  const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(ran.stdout)?.[1] ?? 0);
  const bad = count('fail') + count('cancelled');
  if (bad > 0 || ran.status !== 0) console.log(ran.stdout);
  else console.log(ran.stdout.split('\n').filter((line) => /^\s*# (?!Subtest|tests|suites|pass|fail|cancelled|skipped|todo|duration)|^\s*ok .*# SKIP/.test(line)).join('\n'));
  passed += count('pass');
  failed += bad > 0 ? bad : Number(ran.status !== 0 || count('pass') === 0);
  const skipped = count('skipped');
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
} else console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
