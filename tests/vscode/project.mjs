// A repository with a project: pages that link to each other and describe code.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

export const LOGIN = 'src/auth/login.ts';

const FILES = {
  [LOGIN]: `export function login(user: string, password: string): boolean {
  return user !== '' && password.length > 0;
}

export function logout(): void {}
`,
  'pages/auth/login.md': `---
title: Login
source_refs:
  - ${LOGIN}#login
---
# Login

People sign in with a name and a password. See [[auth/sessions|depends_on]] and [[${LOGIN}#login]].
`,
  'pages/auth/sessions.md': '# Sessions\n\nA session starts after [the login](login.md) and ends after a day.\n',
  'pages/guide/start.md': '# Getting started\n\nRead [[auth/login]] first, then [sessions](../auth/sessions.md#sessions).\n',
  'pages/index.md': '# Home\n\n- [[guide/start|extends]]\n- [[auth/sessions]]\n- [[auth/login]]\n',
};

export const PAGES = Object.keys(FILES).filter((path) => path.startsWith('pages/')).map((path) => path.slice('pages/'.length));

/** Lets an agent propose that a page has one more line, over MCP. */
export async function propose(program, root, page, line) {
  const server = spawn(program, ['mcp-server', '--write=propose'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
  const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const ask = async (id, method, params) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value, done } = await answers.next();
      if (done) throw new Error('the MCP server ended');
      const answer = JSON.parse(value);
      if (answer.id !== id) continue;
      if (answer.error || answer.result.isError) throw new Error(value);
      return answer.result;
    }
  };
  await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'gardener', version: '1' } });
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  await ask(2, 'tools/call', { name: 'ubp_update_page', arguments: { page, mode: 'append', content: line } });
  server.stdin.end();
}

/** Writes the repository into a new folder; the caller deletes it. */
export function project(program, parent = tmpdir()) {
  const root = realpathSync(mkdtempSync(join(parent, 'ubp-vscode-')));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const git = (...args) => execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: root, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  execFileSync(program, ['init', '--quiet'], { cwd: root, stdio: 'pipe' });
  execFileSync(program, ['review', 'auth/login.md', '--quiet'], { cwd: root, stdio: 'pipe' });
  git('add', '--all');
  git('commit', '-q', '-m', 'Start');
  return root;
}
