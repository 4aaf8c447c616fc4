#!/usr/bin/env node
// Installs code-server from npm into the cache. Its own script builds every native module of VS Code, also those for logins
// with Kerberos, which need headers that few machines have. This builds only what the editor starts with.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSION = '4.139.1';
const NATIVE = ['@vscode/spdlog', 'node-pty', '@parcel/watcher', '@vscode/sqlite3', '@vscode/native-watchdog', '@vscode/fs-copyfile', '@vscode/deviceid'];

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ubp-ci');
/** The Node that code-server needs, with its headers. `tests/run --setup` installs it. */
export const node = join(cache, 'node/node_modules/node24/bin/node');
const folder = join(cache, `code-server-${VERSION}`);
const stamp = join(folder, 'installed');
export const entry = join(folder, 'node_modules/code-server/out/node/entry.js');
export const isInstalled = () => existsSync(stamp);

export function install() {
  if (isInstalled()) return;
  if (!existsSync(node)) throw new Error(`${node} is missing; install it: tests/run --setup`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  npm(folder, 'install', `code-server@${VERSION}`, '--ignore-scripts');
  const editor = join(folder, 'node_modules/code-server/lib/vscode');
  npm(editor, 'install', '--omit=dev', '--ignore-scripts');
  npm(join(editor, 'extensions'), 'install', '--omit=dev', '--ignore-scripts');
  npm(editor, 'rebuild', ...NATIVE);
  writeFileSync(stamp, `${VERSION}\n`);
}

function npm(cwd, ...args) {
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}`, npm_config_nodedir: dirname(dirname(node)) };
  const { status } = spawnSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm ${args[0]} failed in ${cwd}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) install();
