// A project with a few pages about a login, in a repository whose code changed after the pages.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const files = {
  '.ubp/manifest.json': JSON.stringify({
    version: '1.0.0',
    schema_version: 1,
    embedding_model: { name: 'all-MiniLM-L6-v2', version: '1.0', dimensions: 384 },
    pages_dir: 'pages',
    frontmatter: 'preserved',
  }),
  'src/auth/login.ts': 'export function login() {}\n',
  'pages/login.md': `---
type: api
tags: [auth]
source_refs:
  - src/auth/login.ts
---

# Login

Users log in with a password and get a session, see [[Sessions|depends_on]].

## Lockout

Five wrong passwords lock the account for an hour.

## Password reset

A mail with a link that lives for ten minutes.
`,
  'pages/sessions.md': '# Sessions\n\nA session lives for an hour. It is kept in [[Tokens|implements]].\n',
  'pages/tokens.md': '---\ntags: [auth]\n---\n\n# Tokens\n\nSigned, never stored.\n',
  'pages/guides/onboarding.md':
    '---\ntype: guide\n---\n\n# Onboarding\n\nRead [[Login]] first. Tokens are explained to newcomers on day two.\n',
  'pages/guides/日本語.md': '# 認証の設計\n\n公開鍵でログインする。[[Login]]\n',
  'pages/draft.md': '# Draft\n\nText that will change.\n\n## Notes\n\nNothing yet.\n',
  'pages/old-name.md': '# Old name\n\nA page with a poor name.\n',
  'pages/obsolete.md': '# Obsolete\n\nNobody needs this.\n',
};

// Writes the project to disk, with `filler` additional pages. `remove` deletes it.
export function vault({ filler = 0 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ubp-mcp-'));
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  for (let n = 0; n < filler; n += 1) {
    const links = [1, 7, 31].map((step) => `[[Filler ${(n + step) % filler}]]`).join(' ');
    write(`pages/filler/${n}.md`, `# Filler ${n}\n\n${`word${n % 97} of part ${n % 13}. `.repeat(60)}\n\n${links}\n`);
  }
  const git = (date, ...args) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-C', folder, ...args], {
      env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    });
  git('2026-01-01T00:00:00Z', 'init', '-q');
  git('2026-01-01T00:00:00Z', 'add', '.');
  git('2026-01-01T00:00:00Z', 'commit', '-qm', 'pages');
  write('src/auth/login.ts', 'export function login(name) { return name; }\n');
  git('2026-03-01T00:00:00Z', 'commit', '-qam', 'code');
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}
