import type { ProposalFields, ProposedPage } from '#contract';
import { describe, expect, it } from 'vitest';
import { agentsOf, filtered, foldersOf, summary } from './facts';

const page = (filepath: string, change: ProposedPage['change'] = 'edited', moved_from: string | null = null): ProposedPage => ({ filepath, change, moved_from });
const made = (proposal: string, agent: string | null, ...pages: ProposedPage[]): ProposalFields => ({ proposal, agent, pages, state: 'pending', created_at: '2026-01-01T00:00:00Z', operation: 'update_page', reason: null, conflicts: [], only_adds: false, decision: null, earlier: [] });
const all = [
  made('1', 'scribe 1.2', page('notes/a.md')),
  made('2', 'scribe 1.3', page('notes/deep/b.md', 'created'), page('notes/c.md')),
  made('3', 'other agent 2', page('notes/d.md', 'moved', 'old/d.md')),
  made('4', null, page('.ubp/refs.lock', 'recorded')),
  made('5', 'other agent 2', page('notes-2/e.md')),
];
const ids = (filters: Partial<Parameters<typeof filtered>[1]>) => filtered(all, { agent: null, folder: '', onlyAdditions: false, ...filters }).map(({ proposal }) => proposal).join('');

describe('proposals', () => {
  it('say what they do', () => {
    const titleOf = (path: string) => (path === 'a.md' ? 'Title' : path);
    expect(summary([page('a.md')], titleOf)).toBe('Edit Title');
    expect(summary([page('.ubp/refs.lock', 'recorded')], titleOf)).toBe('Record in .ubp/refs.lock');
    expect(summary([page('a.md'), page('b.md', 'created'), page('c.md'), page('d.md', 'deleted')], titleOf)).toBe('Create 1 page, edit 2 pages, delete 1 page');
    expect(summary([page('x/b.md', 'moved', 'a.md')], titleOf)).toBe('Move Title to x/b.md');
    expect(summary([page('c.md'), page('x/b.md', 'moved', 'a.md'), page('d.md')], titleOf)).toBe('Move Title to x/b.md, edit 2 pages');
  });

  it('are filtered by agents without their versions', () => {
    expect(agentsOf(all)).toEqual(['', 'other agent', 'scribe']);
    expect(ids({ agent: 'scribe' })).toBe('12');
    expect(ids({ agent: 'other agent' })).toBe('35');
    expect(ids({ agent: '' })).toBe('4');
  });

  it('are below a folder if they change nothing else', () => {
    expect(foldersOf(all)).toEqual(['notes', 'notes-2', 'notes/deep', 'old']);
    expect(ids({ folder: 'notes' })).toBe('12');
    expect(ids({ folder: 'notes/deep' })).toBe('');
  });

  it('are kept if the engine says that they only add text', () => {
    for (const at of [1, 3]) Object.assign(all[at] ?? {}, { only_adds: true });
    expect(ids({ onlyAdditions: true })).toBe('24');
    expect(ids({ onlyAdditions: true, folder: 'notes' })).toBe('2');
  });
});
