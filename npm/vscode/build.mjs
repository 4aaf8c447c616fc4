#!/usr/bin/env node
// Bundles the extension into dist/extension.cjs. Installs missing packages.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

function read(path) {
  try {
    return JSON.parse(readFileSync(join(here, path), 'utf8'));
  } catch {
    return null;
  }
}

/** Whether the packages of the lockfile are installed. */
function isInstalled() {
  const [wanted, installed] = [read('package-lock.json'), read('node_modules/.package-lock.json')];
  if (!wanted || !installed) return false;
  return Object.entries(wanted.packages).every(([path, { version, optional }]) => path === '' || (optional && !installed.packages[path]) || installed.packages[path]?.version === version);
}

/** The licences of the packages that modules of the bundle are from. */
function licences(modules) {
  const folders = new Set(modules.flatMap((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/'))?.[1] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    if (!file || !existsSync(join(folder, file))) throw new Error(`${name} has no licence text`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

if (!isInstalled()) {
  const options = ['ci', '--include=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', options, { cwd: here, stdio: 'inherit', env: { ...process.env, NODE_ENV: '' }, shell: process.platform === 'win32' });
  if (status !== 0) process.exit(1);
}
const { rolldown } = await import('rolldown');
const bundle = await rolldown({
  input: join(here, 'src/extension.ts'),
  external: ['vscode'],
  platform: 'node',
  resolve: { conditionNames: ['node', 'import', 'require'] },
  tsconfig: join(here, 'tsconfig.json'),
});
const { output } = await bundle.write({ file: join(here, 'dist/extension.cjs'), format: 'cjs', minify: true, sourcemap: false, codeSplitting: false });
writeFileSync(join(here, 'dist/LICENSES'), licences(output[0].moduleIds));
console.log(`npm/vscode/dist/extension.cjs is built (${Math.round(output[0].code.length / 1000)} kB)`);
