import { describe, expect, it } from 'vitest';
import { isLeftOut, sortedOut } from './read';

const file = (path: string, size = 10) => ({ path, file: new File([new Uint8Array(size)], path) });

describe('the reader’s own folder', () => {
  it('skips folders without pages, but reads the settings of the project', () => {
    expect(['.git/config', 'a/.obsidian/app.json', 'node_modules/x/readme.md', '.ubp/metadata.db', '.ubp/metadata.db-wal', '.ubp/trash/a.md'].filter((path) => !isLeftOut(path))).toEqual([]);
    expect(['a.md', 'a/b.md', '.ubp/manifest.json', '.ubp/refs.lock'].filter(isLeftOut)).toEqual([]);
  });

  it('reads pages and small sources, and only lists other files', () => {
    const folder = sortedOut('vault', [file('a.md', 3_000_000), file('src/x.ts'), file('large.json', 2_000_000), file('pic.PNG'), file('.git/HEAD')]);
    expect(folder.files.map(({ path, file: read }) => [path, read !== null])).toEqual([
      ['a.md', true],
      ['src/x.ts', true],
      ['large.json', false],
      ['pic.PNG', false],
    ]);
    expect([...folder.media.keys()]).toEqual(['pic.PNG']);
  });
});
