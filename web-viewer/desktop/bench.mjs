#!/usr/bin/env node
// Measures the desktop app: the time from its start to the first page, and its memory beside that of `ubp viewer` with headless
// Chromium, which is smaller than one with windows.
//
//   UBP_DESKTOP=target/release/ubp-desktop UBP_PROGRAM=../../target/release/ubp node bench.mjs [FOLDER]
//
// FOLDER is a project (default: this repository); a copy of it is opened. Needs what tests/desktop/run needs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Machine, until } from '../../tests/desktop/support.mjs';

const ROUNDS = 7;
const source = resolve(process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url)));
const settings = JSON.parse(readFileSync(join(source, '.ubp/manifest.json'), 'utf8'));
const machine = await Machine.start();

/** The processes with this home folder, and what they have started: Chromium's renderers overwrite their environment. */
function family() {
  const parents = new Map();
  const found = new Set();
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      parents.set(id, /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]);
      if (readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(`HOME=${machine.home}`)) found.add(id);
    } catch {
      // It has ended, or belongs to somebody else.
    }
  }
  const isOurs = (id) => id !== undefined && (found.has(id) || isOurs(parents.get(id)));
  return [...parents.keys()].filter(isOurs);
}

/** The share of memory of all our processes, in MB: `Pss` counts a page that n processes share as 1/n. */
function memory() {
  const found = [];
  for (const id of family()) {
    try {
      const name = readFileSync(`/proc/${id}/comm`, 'utf8').trim();
      if (['Xvfb', 'WebKitWebDriver'].includes(name)) continue;
      found.push([name, Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'))[1]) / 1024]);
    } catch {
      // It has ended.
    }
  }
  const total = found.reduce((sum, [, size]) => sum + size, 0);
  return `${Math.round(total)} MB (${found.map(([name, size]) => `${name} ${Math.round(size)}`).join(', ')})`;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Nothing computes any more: all vectors are there. */
async function settled() {
  await pause(20_000);
}

try {
  const project = join(machine.home, 'project');
  for (const part of ['.ubp/manifest.json', settings.pages_dir]) cpSync(join(source, part), join(project, part), { recursive: true });
  const times = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const begun = Date.now();
    const app = await machine.open(project);
    const shown = await until('the first page is painted', () =>
      app.run(`const paint = performance.getEntriesByName('first-contentful-paint')[0];
        return document.querySelector('h1') && paint ? performance.timeOrigin + paint.startTime : 0`),
    );
    times.push(shown - app.begun);
    console.log(`start ${round}: first page after ${Math.round(shown - app.begun)} ms${round === 0 ? ', without an index' : ''} (${Date.now() - begun} ms with the driver)`);
    if (round === ROUNDS) {
      await settled();
      console.log(`desktop app: ${memory()}`);
    } else if (round === 0) await settled();
    for (const id of machine.processes()) process.kill(id, 'SIGTERM');
    await until('it has ended', () => machine.processes().length === 0);
    app.driver.kill('SIGKILL');
  }
  const warm = times.slice(1).sort((one, other) => one - other);
  console.log(`first page: median ${Math.round(warm[warm.length >> 1])} ms, slowest ${Math.round(warm.at(-1))} ms`);

  if (process.env.UBP_PROGRAM) {
    const server = spawn(process.env.UBP_PROGRAM, ['viewer', '--json', '--no-open', '-C', project], { env: machine.variables, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(server.stdout, 'data');
    const browser = await chromium.launch({ executablePath: process.env.UBP_CHROMIUM ?? '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'], env: machine.variables });
    const page = await browser.newPage({ viewport: { width: 1280, height: 840 } });
    await page.goto(JSON.parse(line).url);
    await page.locator('h1').first().waitFor();
    await settled();
    console.log(`ubp viewer with headless Chromium: ${memory()}`);
    await browser.close();
    server.kill();
  }
} finally {
  await machine.stop();
}
