import { describe, expect, it } from 'vitest';
import { ClientError } from '../client/client';
import { moveTogether, takeBack, type Move } from './together';

/** Files and an audit log in memory; the call number `failing` fails. */
class Project {
  files: Set<string>;
  log = new Map<string, Move>();
  calls = 0;
  failing = Infinity;

  constructor(files: string[]) {
    this.files = new Set(files);
  }

  call = (async (name: string, params: { page?: string; path?: string; entry?: string }) => {
    if (++this.calls === this.failing) throw new ClientError('io', 'the disk is full');
    const known = this.log.get(params.entry ?? '');
    const move = name === 'undo' ? { from: known?.to ?? '', to: known?.from ?? '' } : { from: params.page ?? '', to: params.path ?? '' };
    if (!this.files.delete(move.from)) throw new ClientError('page_not_found', move.from);
    this.files.add(move.to);
    const audit_id = `a${this.calls}`;
    this.log.set(audit_id, move);
    return { audit_id };
  }) as never;
}

describe('pages that move together', () => {
  const before = ['old/a.md', 'old/b/c.md', 'old/d.md', 'x.md'];
  const moves = before.slice(0, 3).map((from) => ({ from, to: from.replace('old/', 'new/') }));
  const after = ['new/a.md', 'new/b/c.md', 'new/d.md', 'x.md'];
  const sorted = (project: Project) => [...project.files].sort();

  it('are all moved, and one undo brings all of them back', async () => {
    const project = new Project(before);
    const entries = await moveTogether(project, moves, async () => {});
    expect(sorted(project)).toEqual(after);
    await takeBack(project, entries);
    expect(sorted(project)).toEqual(before);
  });

  it('are all where they were if one of them cannot be moved', async () => {
    for (let failing = 1; failing <= moves.length; failing++) {
      const project = Object.assign(new Project(before), { failing });
      const places = new Map(before.map((path) => [path, path]));
      const follow = async ({ from, to }: Move) => {
        places.set(to, places.get(from) ?? '');
        places.delete(from);
      };
      await expect(moveTogether(project, moves, follow)).rejects.toThrow('the disk is full');
      expect(sorted(project)).toEqual(before);
      expect([...places.keys()].sort()).toEqual(before);
    }
  });

  it('stay moved if one of them cannot be moved back', async () => {
    for (let failing = 1; failing <= moves.length; failing++) {
      const project = new Project(before);
      const entries = await moveTogether(project, moves, async () => {});
      project.failing = project.calls + failing;
      await expect(takeBack(project, entries)).rejects.toThrow('the disk is full');
      expect(sorted(project)).toEqual(after);
    }
  });
});
