// A project with a few pages about a login, in a repository whose code changed after the pages.

import { repository } from './repository.mjs';

const files = {
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
  const texts = { ...files };
  for (let n = 0; n < filler; n += 1) {
    const links = [1, 7, 31].map((step) => `[[Filler ${(n + step) % filler}]]`).join(' ');
    texts[`pages/filler/${n}.md`] = `# Filler ${n}\n\n${`word${n % 97} of part ${n % 13}. `.repeat(60)}\n\n${links}\n`;
  }
  return repository('ubp-mcp-', texts, { 'src/auth/login.ts': 'export function login(name) { return name; }\n' });
}
