import type { PageVersion } from '#contract';
import { describe, expect, it } from 'vitest';
import { aboutOf, labelOf, sizeOf } from './words';

const commit: PageVersion = { id: 'a1', moment: 'commit', time: '2026-01-10T10:00:00Z', author: 'Ada', subject: 'Explain tokens', caller: null, former_path: null, confidence: null, is_boundary: false };

describe('a version', () => {
  it('is named after its commit', () => {
    expect(labelOf(commit)).toBe('Explain tokens');
    expect(aboutOf(commit)).toMatch(/2026.* · Ada$/);
    expect(labelOf({ ...commit, subject: '' })).toBe('Commit without a message');
  });

  it('at the boundary of a shallow clone claims neither subject nor author', () => {
    const boundary = { ...commit, is_boundary: true };
    expect(labelOf(boundary)).toBe('Oldest version in this clone');
    expect(aboutOf(boundary)).not.toContain('Ada');
  });

  it('is named after the change that replaced or made it', () => {
    const before: PageVersion = { ...commit, moment: 'before', subject: 'update_page', caller: 'agent', author: 'writer 1.0' };
    expect(labelOf(before)).toBe('Before an edit by agent writer 1.0');
    expect(labelOf({ ...before, author: null })).toBe('Before an edit by an agent');
    expect(labelOf({ ...before, moment: 'after', caller: 'person', author: null, subject: 'replace' })).toBe('After find and replace');
  });
});

describe('the size of a change', () => {
  it('counts lines', () => {
    expect(sizeOf({ added: 0, removed: 0 })).toBe('The text is the same now.');
    expect(sizeOf({ added: 1, removed: 2 })).toBe('Since this version: 1 line added (+), 2 lines removed (-).');
    expect(sizeOf({ added: 0, removed: 1 })).toBe('Since this version: 1 line removed (-).');
  });
});
