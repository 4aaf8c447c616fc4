// Runs the server under test as a process, over standard input and output or over HTTP.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export const program = process.env.UBP_UNDER_TEST;
if (!program) throw new Error('UBP_UNDER_TEST must be the path of the ubp to test');

const running = new Set();

// Kills the servers that a failed test left running.
export function endAll() {
  for (const child of running) child.kill('SIGKILL');
}

export const ALL = ['--write=apply', '--tools', 'all'];

export function argumentsFor(folder, options = []) {
  return ['-C', folder, 'mcp-server', ...options];
}

// The environment without variables that change the server's behaviour.
export function environment(extra = {}) {
  const { UBP_MCP_TOKEN, UBP_LOG, ...rest } = process.env;
  return { ...rest, ...extra };
}

// Calls `look` until it returns a truthy value, and resolves to that value.
export async function eventually(look, what, patience = 20_000) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await look();
    if (value) return value;
    if (Date.now() > end) throw new Error(`timed out after ${patience / 1000} s waiting for ${what}`);
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

// Starts a server over HTTP on a free port. It has a token only if `env` sets one or `ownToken` is true.
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

// Starts a server over standard input and output, with raw access to its input and output.
export function serveStdio(folder, { options = ALL, env = {} } = {}) {
  const child = spawn(program, argumentsFor(folder, options), { env: environment(env), stdio: 'pipe' });
  running.add(child);
  child.on('exit', () => running.delete(child));
  const messages = [];
  const strays = [];
  let said = '';
  child.stderr.on('data', (part) => (said += part));
  // If the server has exited, its input is closed. The tests check the exit status.
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
