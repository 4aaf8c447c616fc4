import { describe, expect, it } from 'vitest';
import { ClientError } from '../client/client';
import { takeBack } from './together';

interface Move {
  from: string;
  to: string;
}

/** Files and an audit log in memory; the call number `failing` fails. */
class Project {
  files: Set<string>;
  log = new Map<string, Move>();
  calls = 0;
  failing = Infinity;

  constructor(files: string[]) {
    this.files = new Set(files);
  }

  move({ from, to }: Move): string {
    if (!this.files.delete(from)) throw new ClientError('page_not_found', from);
    this.files.add(to);
    const entry = `a${this.log.size}`;
    this.log.set(entry, { from, to });
    return entry;
  }

  call = (async (_: string, { entry }: { entry: string }) => {
    if (++this.calls === this.failing) throw new ClientError('io', 'the disk is full');
    const { from, to } = this.log.get(entry) ?? { from: '', to: '' };
    return { audit_id: this.move({ from: to, to: from }) };
  }) as never;
}

describe('changes of pages that belong together', () => {
  const before = ['old/a.md', 'old/b/c.md', 'old/d.md', 'x.md'];
  const after = ['new/a.md', 'new/b/c.md', 'new/d.md', 'x.md'];
  const sorted = (project: Project) => [...project.files].sort();
  const moved = () => {
    const project = new Project(before);
    const entries = before.slice(0, 3).map((from) => project.move({ from, to: from.replace('old/', 'new/') }));
    return { project, entries };
  };

  it('are all taken back by one undo', async () => {
    const { project, entries } = moved();
    expect(sorted(project)).toEqual(after);
    await takeBack(project, entries);
    expect(sorted(project)).toEqual(before);
  });

  it('all stay if one of them cannot be taken back', async () => {
    for (let failing = 1; failing <= 3; failing++) {
      const { project, entries } = moved();
      project.failing = failing;
      await expect(takeBack(project, entries)).rejects.toThrow('the disk is full');
      expect(sorted(project)).toEqual(after);
    }
  });
});
