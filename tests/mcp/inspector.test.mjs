// The command line of the official inspector lists and calls every tool, over standard input and output and over HTTP.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { ALL, argumentsFor, environment, program, serveHttp } from './support/server.mjs';
import { argumentsOf, checkAnswer, checkTool } from './support/tools.mjs';
import { vault } from './support/vault.mjs';

const require = createRequire(import.meta.url);
const inspector = join(dirname(require.resolve('@modelcontextprotocol/inspector/package.json')), 'clients/launcher/build/index.js');

async function inspect(target, ...options) {
  const run = promisify(execFile);
  const command = [inspector, '--cli', ...target, ...options];
  const { stdout } = await run(process.execPath, command, { env: environment(), maxBuffer: 1 << 26 });
  return JSON.parse(stdout);
}

async function everyTool(target) {
  const call = (name, args) => {
    const given = Object.entries(args).map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
    const pairs = given.flatMap((pair) => ['--tool-arg', pair]);
    return inspect(target, '--method', 'tools/call', '--tool-name', name, ...pairs);
  };
  const ask = async (name, args) => (await call(name, args)).structuredContent;
  const { tools } = await inspect(target, '--method', 'tools/list');
  for (const tool of [...tools].sort((a, b) => b.annotations.readOnlyHint - a.annotations.readOnlyHint)) {
    checkTool(tool);
    const args = await argumentsOf(tool.name, ask);
    checkAnswer(tool, args, await call(tool.name, args));
  }
  assert.ok(tools.length > 20);
}

test('the inspector calls every tool over stdio', async () => {
  const project = vault();
  await everyTool([program, ...argumentsFor(project.folder, ALL)]);
  project.remove();
});

test('the inspector calls every tool over HTTP', async () => {
  const project = vault();
  const server = await serveHttp(project.folder);
  await everyTool([server.url.href, '--transport', 'http']);
  await server.stop();
  project.remove();
});
