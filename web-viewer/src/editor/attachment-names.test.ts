import { describe, expect, it } from 'vitest';
import { pathInPages } from '../state/project-files';
import { matching, named } from './attachment-names';

const file = (path: string, url: string) => ({ path, kind: 'attachment' as const, size: 1, url });
const files = [
  file('pages/flow.pdf', 'flow.pdf'),
  file('pages/auth/Login flow.png', 'auth/Login%20flow.png'),
  file('pages/auth/shot.png', 'auth/shot.png'),
  file('pages/db/shot.png', 'db/shot.png'),
  file('art/flowers.svg', 'project-files/art/flowers.svg'),
  file('pages/odd [1].png', 'odd%20%5B1%5D.png'),
];
const found = (typed: string) => matching(named(files), typed, 8).map(({ written }) => written);

describe('the names of attachments', () => {
  it('are relative to the pages folder, or to the project', () => {
    expect(files.map(pathInPages)).toEqual(['flow.pdf', 'auth/Login flow.png', 'auth/shot.png', 'db/shot.png', null, 'odd [1].png']);
  });

  it('are paths where several files have the same name, and none that would end a link', () => {
    expect(found('shot')).toEqual(['auth/shot.png', 'db/shot.png']);
    expect(found('auth/')).toEqual(['auth/shot.png', 'Login flow.png']);
    expect(found('odd')).toEqual([]);
  });

  it('rank pictures first, then the beginning of the name', () => {
    expect(found('FLOW')).toEqual(['flowers.svg', 'Login flow.png', 'flow.pdf']);
    expect(found('').at(-1)).toBe('flow.pdf');
  });
});
