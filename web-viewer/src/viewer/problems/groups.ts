// The findings of the doctor, grouped by kind for a list.
import type { DoctorOutput, Finding, Severity, WantedPage } from '#contract';
import { fold } from '../../text/fold';
import { wordsOf } from '../../text/match';
import { writing } from '../../words/writing';

/** A row of the list. */
export type ProblemRow =
  | { kind: 'group'; key: string; code: string; label: string; severity: Severity; count: number; hint: string | null; isOpen: boolean }
  | { kind: 'finding'; key: string; finding: Finding }
  | { kind: 'wanted'; key: string; wanted: WantedPage };

/** The key of the group of missing pages. */
export const WANTED = 'wanted_page';

/** `schema_key` as “Schema key”, for kinds without a better name. */
export function labelOf(code: string): string {
  const words = code.replaceAll('_', ' ');
  return writing.problems.labels[code] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** The text of each finding to filter by, because there may be thousands and each key filters them. */
const folded = new WeakMap<Finding, string>();

function textOf(finding: Finding): string {
  let text = folded.get(finding);
  if (text === undefined) {
    text = fold(`${labelOf(finding.code)} ${finding.message} ${finding.filepath ?? ''}`);
    folded.set(finding, text);
  }
  return text;
}

export interface Selection {
  typed: string;
  /** Only findings of this severity. */
  severity: Severity | '';
  closed: ReadonlySet<string>;
}

export function rowsOf(answer: DoctorOutput, { typed, severity, closed }: Selection): ProblemRow[] {
  const words = wordsOf(typed);
  const matches = (text: string) => words.every((word) => text.includes(word));
  const groups = new Map<string, Finding[]>();
  for (const finding of answer.findings) {
    if (severity && finding.severity !== severity) continue;
    if (words.length > 0 && !matches(textOf(finding))) continue;
    const group = groups.get(finding.code);
    if (group) group.push(finding);
    else groups.set(finding.code, [finding]);
  }
  const rows: ProblemRow[] = [];
  for (const [code, findings] of groups) {
    const [first] = findings;
    if (!first) continue;
    const isOpen = !closed.has(code);
    rows.push({ kind: 'group', key: code, code, label: labelOf(code), severity: first.severity, count: findings.length, hint: first.hint, isOpen });
    if (isOpen) rows.push(...findings.map((finding, at): ProblemRow => ({ kind: 'finding', key: `${code} ${at}`, finding })));
    if (code === 'unresolved_link') rows.push(...wantedRows(answer, matches, !closed.has(WANTED)));
  }
  return rows;
}

function wantedRows({ wanted_pages }: DoctorOutput, matches: (text: string) => boolean, isOpen: boolean): ProblemRow[] {
  const wanted = wanted_pages.filter(({ target }) => matches(fold(`${labelOf('unresolved_link')} ${target}`)));
  if (wanted.length === 0) return [];
  const group: ProblemRow = { kind: 'group', key: WANTED, code: WANTED, label: writing.problems.wanted, severity: 'warning', count: wanted.length, hint: writing.problems.wantedHint, isOpen };
  return [group, ...(isOpen ? wanted.map((wanted): ProblemRow => ({ kind: 'wanted', key: `${WANTED} ${wanted.target}`, wanted })) : [])];
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

/** What the doctor finds, with what it finds about claims; still the worst first. */
export function withClaims(plain: DoctorOutput, claims: DoctorOutput): DoctorOutput {
  const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
  const findings = [...plain.findings, ...claims.findings].sort((a, b) => rank(a) - rank(b));
  return { ...plain, findings, counts: { ...plain.counts, ...claims.counts }, claims: claims.claims };
}

/** Numbers of findings by severity. */
export function countsOf(findings: readonly Finding[]): Record<Severity, number> {
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity]++;
  return counts;
}
