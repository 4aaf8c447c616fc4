// The server under test as a process: on standard streams, and over HTTP.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export const program = process.env.UBP_UNDER_TEST;
if (!program) throw new Error('UBP_UNDER_TEST has to name the ubp to test');

const running = new Set();

// Ends what a failed test left running.
export function endAll() {
  for (const child of running) child.kill('SIGKILL');
}

export const ALL = ['--write', '--tools', 'all'];

export function argumentsFor(folder, options = []) {
  return ['-C', folder, 'mcp-server', ...options];
}

// Without what would change what the server does.
export function environment(extra = {}) {
  const { UBP_MCP_TOKEN, UBP_LOG, ...rest } = process.env;
  return { ...rest, ...extra };
}

// Resolves with the value that `look` gives, once it gives one.
export async function eventually(look, what, patience = 20_000) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await look();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${patience / 1000} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function ended(child, patience = 20_000) {
  return eventually(
    () => (child.exitCode !== null || child.signalCode !== null) && { code: child.exitCode, signal: child.signalCode },
    'the server to end',
    patience,
  );
}

// A server over HTTP on a port that the system chose, without a token unless one is given or its own is wanted.
export async function serveHttp(folder, { options = ALL, env = {}, address = '127.0.0.1:0', ownToken = false } = {}) {
  const open = ownToken || env.UBP_MCP_TOKEN ? [] : ['--no-token'];
  const child = spawn(program, argumentsFor(folder, [...options, '--http', address, ...open]), {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.on('exit', () => running.delete(child));
  let said = '';
  let printed = '';
  child.stderr.on('data', (part) => (said += part));
  child.stdout.on('data', (part) => (printed += part));
  const found = await eventually(() => {
    if (child.exitCode !== null) throw new Error(`the server ended: ${said}`);
    return /listening on (http:\S+)/.exec(said);
  }, 'the server to listen');
  const url = new URL(found[1]);
  const stop = async () => {
    child.kill('SIGTERM');
    return ended(child);
  };
  return { child, url, stop, said: () => said, printed: () => printed };
}

// A server on standard streams, spoken to by hand: what a client library would not send can be sent.
export function serveStdio(folder, { options = ALL, env = {} } = {}) {
  const child = spawn(program, argumentsFor(folder, options), { env: environment(env), stdio: 'pipe' });
  running.add(child);
  child.on('exit', () => running.delete(child));
  const messages = [];
  const strays = [];
  let said = '';
  child.stderr.on('data', (part) => (said += part));
  // A server that ended does not read: the tests look at how it ended.
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    try {
      messages.push(JSON.parse(line));
    } catch {
      strays.push(line);
    }
  });
  let last = 0;
  const server = {
    child,
    messages,
    strays,
    said: () => said,
    raw: (text) => child.stdin.write(text),
    send: (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    answerTo: (id, patience) =>
      eventually(() => messages.find((message) => message.id === id && !message.method), `answer ${id}`, patience),
    async request(method, params = {}, patience = undefined) {
      last += 1;
      server.send({ id: last, method, params });
      return server.answerTo(last, patience);
    },
    async initialize() {
      const clientInfo = { name: 'by-hand', version: '1' };
      const answer = await server.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      server.send({ method: 'notifications/initialized' });
      return answer;
    },
    async stop() {
      child.stdin.end();
      return ended(child);
    },
  };
  return server;
}
