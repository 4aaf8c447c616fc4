import { describe, expect, it } from 'vitest';
import type { FileList } from '../../state/project-files';
import { candidates, globsBelow, matchingPaths } from './sources';

const file = (path: string) => ({ path, kind: 'source' as const, size: 1, url: null });
const list: FileList = {
  files: ['README.md', 'src/auth/login.test.ts', 'src/auth/login.ts', 'src/auth/style.css', 'src/login/index.ts', 'web/Login Form.svelte'].map(file),
  folders: [{ path: 'src/', files: 4 }, { path: 'src/auth/', files: 3 }, { path: 'src/login/', files: 1 }, { path: 'web/', files: 1 }],
  more: 0,
};
const found = (typed: string) => matchingPaths(candidates(list), typed).map(({ text }) => text);

describe('completion of sources', () => {
  it('ranks a path that begins so before a name that begins so, before any other match', () => {
    expect(found('src/login')).toEqual(['src/login/', 'src/login/index.ts']);
    expect(found('login')).toEqual(['src/login/', 'src/auth/login.ts', 'web/Login Form.svelte', 'src/auth/login.test.ts', 'src/login/index.ts']);
    expect(found('./SRC/auth/l')).toEqual(['src/auth/login.ts', 'src/auth/login.test.ts']);
    expect(found('nothing')).toEqual([]);
  });

  it('offers globs for a folder that is typed with its slash', () => {
    const globs = (typed: string) => globsBelow(list.files, typed).map(({ text, note }) => `${text} ${note}`);
    expect(globs('src/auth/')).toEqual(['src/auth/**/*.ts glob, 2 files', 'src/auth/**/*.css glob, 1 file']);
    expect(globs('src/auth')).toEqual([]);
    expect(globsBelow([file('app/[id]/a.ts')], 'app/[id]/').map(({ text }) => text)).toEqual(['app/\\[id\\]/**/*.ts']);
  });
});
