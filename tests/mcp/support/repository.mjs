// A project in a temporary folder with git, whose code changed two months after its pages.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const manifest = JSON.stringify({
  version: '1.0.0',
  schema_version: 1,
  embedding_model: { name: 'all-MiniLM-L6-v2', version: '1.0', dimensions: 384 },
  pages_dir: 'pages',
  frontmatter: 'preserved',
});

// Writes and commits `files` (text by path), then `changed`. `remove` deletes the project.
export function repository(prefix, files, changed) {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const git = (date, ...args) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-C', folder, ...args], {
      env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    });
  const commit = (date, message, texts) => {
    for (const [path, text] of Object.entries(texts)) write(path, text);
    git(date, 'add', '.');
    git(date, 'commit', '-qm', message);
  };
  git('2026-01-01T00:00:00Z', 'init', '-q');
  commit('2026-01-01T00:00:00Z', 'pages', { '.ubp/manifest.json': manifest, ...files });
  commit('2026-03-01T00:00:00Z', 'code', changed);
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}
