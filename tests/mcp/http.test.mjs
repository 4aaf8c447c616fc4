// Which HTTP requests the server accepts: from this machine, with its own host names, with the token if one is set.

import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

import { endAll, ended, eventually, serveHttp } from './support/server.mjs';
import { vault } from './support/vault.mjs';

const TOKEN = 'a secret of more than sixteen letters';
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'by-hand', version: '1' } },
};
const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

let project;
const servers = [];
beforeEach(() => {
  project = vault();
});
afterEach(async () => {
  const ends = [];
  for (const server of servers.splice(0)) ends.push(await server.stop());
  endAll();
  project.remove();
  for (const end of ends) assert.deepEqual(end, { code: 0, signal: null });
});

async function serve(options) {
  const server = await serveHttp(project.folder, options);
  servers.push(server);
  return server;
}

// `fetch` cannot send forbidden host names.
function post({ url }, headers = {}, body = JSON.stringify(INITIALIZE), method = 'POST') {
  return new Promise((resolve, reject) => {
    const options = { agent: false, host: url.hostname, port: url.port, path: url.pathname, method, headers: { ...ACCEPT, ...headers } };
    const asked = request(options, (answer) => {
      let text = '';
      answer.on('data', (part) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

// The response to bytes that no client library would send.
function raw(server, bytes) {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(server.url.port), server.url.hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (part) => (text += part));
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

test('foreign host names and origins are rejected for every method', async () => {
  const server = await serve();
  const { port } = server.url;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
    assert.equal((await post(server, { host })).status, 200, host);
  }
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1:1', `127.0.0.1.evil.example:${port}`]) {
    for (const method of ['POST', 'GET', 'DELETE']) assert.equal((await post(server, { host }, undefined, method)).status, 403, host);
  }
  for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
    assert.equal((await post(server, { origin })).status, 200, origin);
  }
  for (const origin of ['http://evil.example', `http://evil.example:${port}`, 'null', 'http://localhost:1', 'file://']) {
    const { status, headers } = await post(server, { origin });
    assert.equal(status, 403, origin);
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
});

test('a host name from --allow-host is accepted', async () => {
  const server = await serve({ options: ['--allow-host', 'docs.example'] });
  assert.equal((await post(server, { host: `docs.example:${server.url.port}` })).status, 200);
  assert.equal((await post(server, { host: `other.example:${server.url.port}` })).status, 403);
});

test('requests need the token if one is set', async () => {
  const server = await serve({ env: { UBP_MCP_TOKEN: TOKEN } });
  for (const authorization of [undefined, 'Bearer', 'Bearer ', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`, TOKEN]) {
    const { status, headers } = await post(server, authorization === undefined ? {} : { authorization });
    assert.equal(status, 401, authorization);
    assert.match(headers['www-authenticate'], /^Bearer/);
  }
  assert.equal((await post(server, { authorization: `Bearer ${TOKEN}` })).status, 200);
  assert.ok(!server.said().includes(TOKEN), 'the token is never printed');
});

test('by default there is a token, which is kept and readable by its owner only', async () => {
  const tokens = [];
  for (let start = 0; start < 2; start += 1) {
    const server = await serve({ ownToken: true });
    const token = await eventually(() => /Bearer (\w{64})/.exec(server.said())?.[1], 'the token');
    assert.match(server.said(), /--no-token/);
    assert.equal((await post(server)).status, 401);
    assert.equal((await post(server, { authorization: `Bearer ${token}` })).status, 200);
    tokens.push(token);
    await server.stop();
  }
  assert.equal(tokens[0], tokens[1]);
  assert.equal(statSync(join(project.folder, '.ubp/mcp-server.token')).mode & 0o777, 0o600);
});

test('requests are checked like those of the viewer', async () => {
  const server = await serve();
  const { port } = server.url;
  const own = `http://127.0.0.1:${port}`;
  for (const headers of [
    { origin: [own, 'http://evil.example'] },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    assert.equal((await post(server, headers)).status, 403, JSON.stringify(headers));
  }
  assert.equal((await post(server, { 'sec-fetch-site': 'same-origin', origin: own })).status, 200);
  for (const head of [
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example`,
    `POST http://evil.example/mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}`,
  ]) {
    const answer = await raw(server, `${head}\r\nContent-Type: application/json\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 40[03] /, head);
  }
});

test('other machines need a token', async () => {
  await assert.rejects(serveHttp(project.folder, { address: '0.0.0.0:0' }), /leave out --no-token/);
  await assert.rejects(serveHttp(project.folder, { env: { UBP_MCP_TOKEN: 'short' } }), /too short/);
  const server = await serve({ address: '0.0.0.0:0', env: { UBP_MCP_TOKEN: TOKEN } });
  const url = new URL(`http://127.0.0.1:${server.url.port}/mcp`);
  assert.equal((await post({ url })).status, 401);
  assert.equal((await post({ url }, { authorization: `Bearer ${TOKEN}` })).status, 200);
});

test('the number of clients is limited, and connected ones continue', async () => {
  const server = await serve();
  const first = (await post(server)).headers['mcp-session-id'];
  for (let n = 1; n < 64; n += 1) assert.equal((await post(server)).status, 200);
  const refused = await post(server);
  assert.equal(refused.status, 503, refused.text);
  const session = { 'mcp-session-id': first, 'mcp-protocol-version': '2025-11-25' };
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
  assert.match((await post(server, session, ping)).text, /"result":\{\}/);
  // The protocol without sessions is not subject to the limit.
  const stateless = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const discover = JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'server/discover', params: { _meta } });
  assert.equal((await post(server, stateless, discover)).status, 200);
  assert.equal((await post(server, stateless)).headers['mcp-session-id'], undefined);
  assert.ok((await post(server, session, '', 'DELETE')).status < 300);
  assert.equal((await post(server)).status, 200, 'ending a session frees a place');
});

test('invalid messages are errors, and the server continues', async () => {
  const server = await serve();
  const session = { 'mcp-session-id': (await post(server)).headers['mcp-session-id'], 'mcp-protocol-version': '2025-11-25' };
  // The same errors as over standard input and output.
  const wrong = {
    '': -32700,
    '{': -32700,
    '\xff': -32700,
    null: -32600,
    '[]': -32600,
    '"x"': -32600,
    '{"jsonrpc":"2.0","id":1}': -32600,
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":3}': -32602,
  };
  for (const [body, code] of Object.entries(wrong)) {
    const { status, text } = await post(server, session, body);
    assert.equal(status, 400, `${body}: ${status} ${text}`);
    assert.equal(JSON.parse(text).error.code, code, `${body}: ${text}`);
  }
  const large = { jsonrpc: '2.0', id: 5, method: 'ping', params: { _meta: { filling: 'x'.repeat(20 << 20) } } };
  assert.match((await post(server, session, JSON.stringify(large))).text, /"result":\{\}/);
  assert.equal((await post(server, session, 'x'.repeat((32 << 20) + 1))).status, 413);
  assert.equal((await post(server, { 'mcp-session-id': 'none' }, '{"jsonrpc":"2.0","id":1,"method":"ping"}')).status, 404);
  assert.ok((await post(server, { 'content-type': 'text/plain' })).status >= 400);
  assert.equal((await post({ url: new URL('/', server.url) })).status, 404);
  const huge = JSON.stringify({ ...INITIALIZE, params: { ...INITIALIZE.params, x: 'y'.repeat(40 * 1024 * 1024) } });
  const refused = await post(server, {}, huge).catch((error) => ({ status: error.code }));
  assert.ok(['ECONNRESET', 'EPIPE', 413].includes(refused.status), `${refused.status}`);
  assert.equal((await post(server)).status, 200);
});

test('a signal ends the server while a client listens', async () => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const server = await serveHttp(project.folder);
    const session = { 'mcp-session-id': (await post(server)).headers['mcp-session-id'], 'mcp-protocol-version': '2025-11-25' };
    let listening = false;
    const asked = request(server.url, { method: 'GET', headers: { ...session, accept: 'text/event-stream' } }, (answer) => {
      listening = answer.statusCode === 200;
      answer.on('error', () => {});
      answer.resume();
    });
    asked.on('error', () => {});
    asked.end();
    await eventually(() => listening, 'the stream');
    server.child.kill(signal);
    assert.deepEqual(await ended(server.child, 8_000), { code: 0, signal: null }, signal);
    assert.equal(server.printed(), '');
    asked.destroy();
  }
});

test('an address in use is an error', async () => {
  const server = await serve();
  await assert.rejects(serveHttp(project.folder, { address: server.url.host }), /the server ended: .*error/s);
});
