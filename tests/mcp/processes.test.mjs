// Sends raw input to a server process: malformed, huge or truncated messages, and answers that nobody reads. The server
// answers with an error or exits; it never hangs, crashes or prints anything but the protocol.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { ALL, argumentsFor, endAll, ended, environment, eventually, program, serveStdio } from './support/server.mjs';
import { vault } from './support/vault.mjs';

const MB = 1024 * 1024;
const CLEAN = { code: 0, signal: null };

let project;
beforeEach(() => {
  project = vault();
});
afterEach(() => {
  endAll();
  project.remove();
});

const call = (server, name, args, patience) => server.request('tools/call', { name, arguments: args }, patience);

// Stops the server and checks all its output.
async function part(server) {
  assert.deepEqual(await server.stop(), CLEAN, server.said());
  assert.deepEqual(server.strays, [], 'every line is a message');
  for (const message of server.messages) assert.equal(message.jsonrpc, '2.0');
}

describe('an invalid message', () => {
  test('is answered with an error if possible, and the next one is processed', async () => {
    const server = serveStdio(project.folder);
    await server.initialize();
    const lines = [
      ['{"jsonrpc":"2.0","id":', null, -32700],
      ['not JSON at all', null, -32700],
      ['\u0000\u0001\u0002', null, -32700],
      ['"a string"', null, -32600],
      ['[]', null, -32600],
      ['{"jsonrpc":"2.0","id":"a"}', 'a', -32600],
      ['{"jsonrpc":"2.0","id":"b","method":"tools/call","params":"x"}', 'b', -32602],
      ['{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":5}}', 'c', -32602],
      ['{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"ubp_status","arguments":[1]}}', 'd', -32602],
      ['{"jsonrpc":"2.0","id":"e","method":"no/such/method","params":{}}', 'e', -32601],
      ['{"jsonrpc":"2.0","id":"f","method":"resources/read","params":{}}', 'f', -32602],
      [`{"jsonrpc":"2.0","id":"g","method":"tools/call","params":{"name":"ubp_search","arguments":${'['.repeat(200_000)}}}`, null, -32700],
    ];
    for (const [line, id, code] of lines) {
      const before = server.messages.length;
      server.raw(`${line}\n`);
      const answer = await eventually(() => server.messages[before], `an answer to ${line.slice(0, 80)}`);
      assert.deepEqual([answer.id ?? null, answer.error?.code], [id, code], line.slice(0, 80));
    }
    server.raw('\n\r\n{"jsonrpc":"2.0","method":"notifications/no-such"}\n{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}\n');
    assert.deepEqual((await server.request('ping')).result, {});
    await part(server);
  });

  test('before initialize causes an error or the exit of the server', async () => {
    for (const line of ['nonsense', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}']) {
      const server = serveStdio(project.folder);
      server.raw(`${line}\n`);
      await eventually(() => server.messages.length > 0 || server.child.exitCode !== null, 'an answer or the end');
      server.child.stdin.end();
      await ended(server.child);
      assert.deepEqual(server.strays, []);
      for (const { error } of server.messages) assert.ok(error.code < 0);
    }
  });
});

describe('arguments', () => {
  test('of a wrong type cause an error that names the expected type', async () => {
    const server = serveStdio(project.folder);
    await server.initialize();
    const { tools } = (await server.request('tools/list')).result;
    const wrong = { string: [1, true, {}, []], integer: ['x', 1.5, -1, {}], number: ['x', {}], boolean: ['x', 2], array: [{}, [1]], object: ['x', 3] };
    for (const tool of tools) {
      for (const [field, schema] of Object.entries(tool.inputSchema.properties ?? {})) {
        for (const value of wrong[schema.type] ?? []) {
          const { result } = await call(server, tool.name, { [field]: value });
          const given = `${tool.name} ${field}=${JSON.stringify(value)}: ${JSON.stringify(result)}`;
          assert.equal(result?.isError, true, given);
          assert.equal(result._meta['unified-blueprint/error'].code, 'invalid_params', given);
        }
      }
      const { result } = await call(server, tool.name, { no_such_field: 1 });
      assert.equal(result?.isError, true, tool.name);
    }
    await part(server);
  });

  test('of 10 MB are answered soon, with a short result or error', async () => {
    const server = serveStdio(project.folder);
    await server.initialize();
    const huge = 'word '.repeat((10 * MB) / 5);
    const calls = [
      ['ubp_search', { query: huge }],
      ['ubp_fulltext_search', { query: 'x'.repeat(10 * MB) }],
      ['ubp_get_page', { page: huge }],
      ['ubp_refs', { file: '../'.repeat(MB) }],
      ['ubp_create_page', { title: 'x'.repeat(10 * MB) }],
      ['ubp_list_pages', { tags: Array(MB).fill('a') }],
      ['x'.repeat(10 * MB), {}],
    ];
    for (const [name, args] of calls) {
      const answer = await call(server, name, args, 60_000);
      const given = JSON.stringify(answer);
      assert.ok(answer.result || answer.error, given.slice(0, 300));
      assert.ok(given.length < 200_000, `${name.slice(0, 40)}: an answer of ${given.length} bytes`);
    }
    // A large page can be written.
    const made = await call(server, 'ubp_create_page', { title: 'Huge', content: huge }, 60_000);
    assert.equal(made.result.structuredContent.filepath, 'Huge.md');
    server.raw(`{"jsonrpc":"2.0","id":"long","method":"ping","x":"${'y'.repeat(40 * MB)}"}\n`);
    await eventually(() => server.messages.find(({ error }) => /longer than 32 MB/.test(error?.message)), 'a refusal', 60_000);
    assert.deepEqual((await server.request('ping')).result, {});
    await part(server);
  });
});

describe('the end of the input', () => {
  test('before initialize ends the server', async () => {
    const server = serveStdio(project.folder);
    await part(server);
    assert.deepEqual(server.messages, []);
  });

  test('after initialize ends it once calls are answered', async () => {
    const server = serveStdio(project.folder);
    await server.initialize();
    server.send({ id: 'last', method: 'tools/list' });
    await part(server);
    assert.ok(server.messages.some(({ id }) => id === 'last'), 'the last call is answered');
  });

  test('in the middle of a line ends it', async () => {
    const server = serveStdio(project.folder);
    await server.initialize();
    server.raw('{"jsonrpc":"2.0","id":9,"meth');
    await part(server);
  });

  test('during a rebuild ends it, and the next server completes the index', async () => {
    for (let n = 0; n < 400; n += 1) project.write(`pages/more/${n}.md`, `# More ${n}\n\nText.\n`);
    const server = serveStdio(project.folder);
    await server.initialize();
    server.send({ id: 'r', method: 'tools/call', params: { name: 'ubp_rebuild', arguments: {} } });
    await part(server);
    const next = serveStdio(project.folder);
    await next.initialize();
    const whole = async () => (await call(next, 'ubp_status', {})).result.structuredContent;
    await eventually(async () => (await whole()).index.fresh, 'the index', 60_000);
    assert.equal((await whole()).page_count, 408);
    await part(next);
  });
});

describe('the end of the process', () => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    test(`${signal} ends it cleanly`, async () => {
      const server = serveStdio(project.folder);
      await server.initialize();
      await call(server, 'ubp_status', {});
      server.child.kill(signal);
      assert.deepEqual(await ended(server.child, 5_000), CLEAN, server.said());
      assert.deepEqual(server.strays, []);
    });

    test(`${signal} ends it while nobody reads its output`, async () => {
      const server = serveStdio(project.folder);
      await server.initialize();
      server.child.stdout.pause();
      for (let id = 0; id < 400; id += 1) server.send({ id: `${id}`, method: 'tools/list' });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      server.child.kill(signal);
      assert.deepEqual(await ended(server.child, 10_000), CLEAN, server.said());
    });
  }

  test('the exit of its parent ends it, although its input stays open', { skip: process.platform === 'win32' }, async () => {
    // The shell starts the server with our pipe as its input, and is killed: the pipe stays open.
    const script = '"$0" "$@" <&3 & wait';
    const shell = spawn('sh', ['-c', script, program, ...argumentsFor(project.folder, ALL)], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    let printed = '';
    let closed = false;
    shell.stdout.on('data', (data) => (printed += data));
    shell.stdout.on('close', () => (closed = true));
    const clientInfo = { name: 'by-hand', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    shell.stdio[3].write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await eventually(() => printed.includes('"ubp"'), 'the server');
    shell.kill('SIGKILL');
    // The output closes once all processes that hold it have exited.
    await eventually(() => closed, 'the server to end', 10_000);
    shell.stdio[3].destroy();
  });
});

test('a cancelled call is neither completed nor answered', async () => {
  for (let n = 0; n < 1_000; n += 1) project.write(`pages/more/${n}.md`, `# More ${n}\n\n${'Text of a page. '.repeat(60)}\n`);
  const server = serveStdio(project.folder);
  await server.initialize();
  const isWhole = async () => (await call(server, 'ubp_status', {})).result.structuredContent.index.fresh;
  await eventually(isWhole, 'the first index', 60_000);
  const params = { name: 'ubp_rebuild', arguments: {}, _meta: { progressToken: 'p' } };
  server.send({ id: 'r', method: 'tools/call', params });
  const steps = () => server.messages.filter(({ method }) => method === 'notifications/progress');
  await eventually(() => steps().length > 0, 'progress');
  server.send({ method: 'notifications/cancelled', params: { requestId: 'r', reason: 'enough' } });
  await call(server, 'ubp_rebuild', {}, 60_000);
  const { progress, total } = steps().at(-1).params;
  assert.ok(progress < total, `${progress} of ${total}`);
  assert.ok(!server.messages.some(({ id }) => id === 'r'));
  await part(server);
});

test('two clients of one project see each other\'s changes', async () => {
  const [one, other] = [serveStdio(project.folder), serveStdio(project.folder)];
  await Promise.all([one.initialize(), other.initialize()]);
  const made = await call(one, 'ubp_create_page', { title: 'Shared', content: 'The word xylophone.' });
  assert.ok(made.result.structuredContent.filepath, JSON.stringify(made));
  const found = async (server) => (await call(server, 'ubp_fulltext_search', { query: 'xylophone' })).result.structuredContent.total_found;
  assert.equal(await found(one), 1, 'a client sees its own change at once');
  await eventually(async () => (await found(other)) === 1, 'the other to see the page');
  project.write('pages/by-hand.md', '# By hand\n\nA marimba.\n');
  for (const server of [one, other]) {
    await eventually(async () => (await call(server, 'ubp_search', { query: 'marimba', mode: 'fulltext' })).result.structuredContent.total_found === 1, 'the page');
  }
  // Both change the same page: one of them gets a conflict.
  const { content_hash: expected_hash } = (await call(one, 'ubp_get_page', { page: 'draft.md' })).result.structuredContent;
  const edit = (server, content) => call(server, 'ubp_update_page', { page: 'draft.md', mode: 'append', content, expected_hash });
  const results = (await Promise.all([edit(one, 'From one.'), edit(other, 'From the other.')])).map(({ result }) => result);
  const conflicts = results.filter((result) => result.isError);
  assert.equal(conflicts.length, 1, JSON.stringify(results));
  assert.equal(conflicts[0]._meta['unified-blueprint/error'].code, 'conflict');
  assert.match(readFileSync(join(project.folder, 'pages/draft.md'), 'utf8'), /From (one|the other)\.\n$/);
  // One server is killed; the other continues.
  one.child.kill('SIGKILL');
  project.write('pages/later.md', '# Later\n\nA glockenspiel.\n');
  const later = async () => (await call(other, 'ubp_fulltext_search', { query: 'glockenspiel' })).result.structuredContent.total_found === 1;
  await eventually(later, 'the other to take over', 10_000);
  await part(other);
});

test('a project that does not exist is an error on standard error', async () => {
  const server = serveStdio(join(project.folder, 'pages', 'none'));
  assert.equal((await ended(server.child)).code, 2);
  assert.match(server.said(), /error/);
  assert.ok(server.messages.length === 0 && server.strays.length === 0);
  assert.ok(!existsSync(join(project.folder, 'pages', 'none')));
});

if (process.env.UBP_SOAK) {
  test('the server exits if its client never reads', async () => {
    const server = serveStdio(project.folder);
    await server.initialize();
    server.child.stdout.pause();
    for (let id = 0; id < 2_000; id += 1) server.send({ id: `${id}`, method: 'tools/list' });
    assert.deepEqual(await ended(server.child, 120_000), CLEAN, server.said());
  });
}
