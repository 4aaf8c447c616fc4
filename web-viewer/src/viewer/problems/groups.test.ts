import type { DoctorOutput, Finding } from '#contract';
import { describe, expect, it } from 'vitest';
import { countsOf, labelOf, rowsOf, withClaims, type Selection } from './groups';

const broken = (filepath: string, line: number, target: string): Finding => ({ severity: 'warning', code: 'unresolved_link', filepath, line, message: `broken link to '${target}'`, hint: 'create the page, or fix the link', claim: null });
const findings: Finding[] = [
  { severity: 'error', code: 'unreadable', filepath: 'gone.md', line: null, message: 'cannot be read', hint: 'check its permissions', claim: null },
  broken('a.md', 3, 'Nowhere'),
  broken('b.md', 7, 'Élan'),
  { severity: 'info', code: 'orphan_page', filepath: 'alone.md', line: null, message: 'it has no links', hint: null, claim: null },
];
const answer = {
  findings,
  wanted_pages: [
    { target: 'Nowhere', links: 1, pages: 1 },
    { target: 'Élan', links: 1, pages: 1 },
  ],
} as unknown as DoctorOutput;
const all: Selection = { typed: '', severity: '', closed: new Set() };
const keys = (selection: Partial<Selection>) => rowsOf(answer, { ...all, ...selection }).map(({ key }) => key);

describe('problems', () => {
  it('are grouped by kind, worst first, with wanted pages below broken links', () => {
    expect(keys({})).toEqual(['unreadable', 'unreadable 0', 'unresolved_link', 'unresolved_link 0', 'unresolved_link 1', 'wanted_page', 'wanted_page Nowhere', 'wanted_page Élan', 'orphan_page', 'orphan_page 0']);
  });

  it('are filtered by words in any case and accent, by kind, path and severity', () => {
    expect(keys({ typed: 'elan' })).toEqual(['unresolved_link', 'unresolved_link 0', 'wanted_page', 'wanted_page Élan']);
    expect(keys({ typed: 'without links alone' })).toEqual(['orphan_page', 'orphan_page 0']);
    expect(keys({ severity: 'error' })).toEqual(['unreadable', 'unreadable 0']);
    expect(keys({ typed: 'no such' })).toEqual([]);
  });

  it('of a closed group are hidden, but counted', () => {
    const rows = rowsOf(answer, { ...all, closed: new Set(['unresolved_link', 'wanted_page']) });
    expect(rows.map(({ key }) => key)).toEqual(['unreadable', 'unreadable 0', 'unresolved_link', 'wanted_page', 'orphan_page', 'orphan_page 0']);
    expect(rows[2]).toMatchObject({ count: 2, isOpen: false });
  });

  it('are counted by severity', () => {
    expect(countsOf(findings)).toEqual({ error: 1, warning: 2, info: 1 });
  });

  it('about the code come after other warnings and before notes', () => {
    const gone: Finding = { ...broken('a.md', 9, ''), code: 'claimed_path', message: "'src/a.ts' was removed", claim: { text: 'src/a.ts', commit: null, subject: null, committed_at: null, now: null } };
    const counted = { resolves: 1, missing: 1, ambiguous: 0, uncheckable: 2, pages: 1, exempt_pages: 0, commits: 3, whole_history: true };
    const both = withClaims(answer, { findings: [gone], claims: counted } as unknown as DoctorOutput);
    expect(both.findings.map(({ code }) => code)).toEqual(['unreadable', 'unresolved_link', 'unresolved_link', 'claimed_path', 'orphan_page']);
    expect(both.claims).toEqual(counted);
    expect(both.wanted_pages).toEqual(answer.wanted_pages);
  });

  it('of an unknown kind are named after its code', () => {
    expect(labelOf('schema_key')).toBe('Schema key');
  });
});
