#!/usr/bin/env node
// Builds the web app into dist/. Installs missing packages, and does nothing if dist/ was built from the same files.
// cli/host/build.rs runs it in release builds.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, 'dist');
const engine = join(here, '../bindings-wasm/dist');
/** Records what dist/ was built from. Hidden, so that it is not part of the app. */
const record = join(dist, '.built.json');

const SOURCES = ['build.mjs', 'index.html', 'package.json', 'package-lock.json', 'svelte.config.js', 'tsconfig.json', 'vite.config.ts', 'src', 'messages.ts', 'offline.ts', '../cli/src/language', '../npm/ubp/generated/contract.ts'];
const ENGINE = ['base/ubp_base.js', 'base/ubp_base_bg.wasm', 'semantic/ubp_semantic.js', 'semantic/ubp_semantic_bg.wasm'];

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** The file at a path, or all files in the folder, sorted. Skips hidden files and tests. */
function filesAt(path) {
  if (!existsSync(path)) return [];
  const found = [];
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const inside = join(folder, entry.name);
      if (entry.name.startsWith('.') || entry.name.endsWith('.test.ts')) continue;
      if (entry.isDirectory()) walk(inside);
      else found.push(inside);
    }
  };
  try {
    walk(path);
  } catch {
    return [path];
  }
  return found.sort();
}

/** One hash of the names and contents of files. Ignores line endings, because git may convert them. */
function hashOf(folder, files) {
  const sum = createHash('sha256');
  for (const file of files) {
    const text = /\.(wasm|png)$/.test(file) ? readFileSync(file) : readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
    sum.update(`${relative(folder, file).replaceAll('\\', '/')}\0${createHash('sha256').update(text).digest('hex')}\n`);
  }
  return sum.digest('hex');
}

const sources = () => hashOf(here, SOURCES.flatMap((path) => filesAt(join(here, path))));
const engineHash = () => (ENGINE.every((file) => existsSync(join(engine, file))) ? hashOf(engine, ENGINE.map((file) => join(engine, file))) : null);
const built = () => hashOf(dist, filesAt(dist));

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Never replace an app with the engine by one without it. */
function isUpToDate(wanted) {
  const made = read(record);
  return made !== null && made.sources === wanted.sources && (wanted.engine === null || made.engine === wanted.engine) && made.files === built();
}

/** Whether the packages of the lockfile are installed. */
function isInstalled() {
  const wanted = read(join(here, 'package-lock.json'));
  const installed = read(join(here, 'node_modules/.package-lock.json'));
  if (!wanted || !installed) return false;
  return Object.entries(wanted.packages).every(([path, { version, optional }]) => path === '' || (optional && !installed.packages[path]) || installed.packages[path]?.version === version);
}

function run(what, command, args, env) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: here, encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, ...env }, shell: command === 'npm' && process.platform === 'win32' });
  if (error?.code === 'ENOENT') fail(`${command} was not found`);
  if (status === 0) return;
  console.error(`${stdout ?? ''}${stderr ?? ''}`);
  fail(`${what} failed`);
}

const [major, minor] = process.versions.node.split('.').map(Number);
const wanted = { sources: sources(), engine: engineHash() };
const how = (made) => (made === null ? 'without the engine for browsers' : 'with the engine for browsers');
if (isUpToDate(wanted)) {
  console.log(`web-viewer/dist is up to date, ${how(read(record).engine)}`);
} else {
  if (major < 20 || (major === 20 && minor < 19) || (major === 22 && minor < 12)) fail(`Node ${process.versions.node} is too old: 20.19 or newer is needed`);
  if (!isInstalled()) {
    run('npm ci', 'npm', ['ci', '--include=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1', '--fetch-retry-mintimeout=1000'], { NODE_ENV: '' });
  }
  run('vite build', process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'], { NODE_ENV: 'production' });
  writeFileSync(record, `${JSON.stringify({ ...wanted, files: built() })}\n`);
  console.log(`web-viewer/dist is built, ${how(wanted.engine)}`);
}
