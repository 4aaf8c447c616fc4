// The project of the agent benchmark: a shop's documentation of about eighty pages beside its code, as realistic as
// possible: decisions, a long changelog, broken links, a stale page.

import { repository } from '../support/repository.mjs';

const AREAS = ['billing', 'catalog', 'checkout', 'search', 'shipping', 'returns', 'accounts', 'reports'];
const PARTS = ['overview', 'storage', 'api', 'jobs'];

const prose = (subject, seed, sentences) =>
  Array.from({ length: sentences }, (_, n) => {
    const verbs = ['reads', 'keeps', 'checks', 'sends', 'counts', 'merges', 'retries'];
    const things = ['orders', 'prices', 'events', 'customers', 'parcels', 'invoices', 'rows'];
    const at = seed * 7 + n * 3;
    return `The ${subject} ${verbs[at % 7]} ${things[(at + n) % 7]} of the last ${1 + (at % 29)} hours before it answers.`;
  }).join(' ');

function pages() {
  const files = {};
  const put = (path, front, text) => {
    files[`pages/${path}.md`] = front ? `---\n${front}\n---\n\n${text}` : text;
  };
  put('index', 'type: guide\ntags: [start]', `# Shop

The shop is eight areas and one operations handbook. Begin with [[architecture]]; how we work is in [[contributing]].

## Areas

${AREAS.map((area) => `- [[${area}/overview]]`).join('\n')}

## Operations

[[logging]], [[audit]], [[backups]] and [[hotkeys]] are what everybody on call reads first.

## History

${prose('history', 3, 24)} See [[changelog]].
`);
  put('architecture', 'type: design\ntags: [start]', `# Architecture

Requests come in at checkout, events go out to everybody else. ${prose('gateway', 1, 12)}

## Events

Every area listens to [[catalog/jobs|depends_on]] and writes to [[audit|depends_on]]. ${prose('bus', 2, 14)}

## Deployment

One image, eight roles. ${prose('image', 4, 16)} Logs are described in [[logging]].
`);
  put('logging', 'type: guide\ntags: [operations]\nsource_refs:\n  - src/logging', `# Logging

Every process writes one file of lines in JSON. ${prose('writer', 5, 6)}

## Rotation

A file is closed at 10 MB and compressed; 7 of them are kept. ${prose('rotation', 6, 9)} [[audit]] has its own rules.

### Secrets

Lines never hold tokens: \`src/logging/redact.ts\` takes them out.

## Reading

Use \`shop logs --since 1h\`. ${prose('reader', 7, 8)} Keys are in [[hotkeys]].
`);
  put('audit', 'type: design\ntags: [operations, security]\nsource_refs:\n  - src/audit.ts', `# Audit

What people did is kept for 400 days. ${prose('audit', 8, 6)}

## Format

A line for each action, with who, what and the former value. It stands on [[accounts/storage|depends_on]].

## Retention

Entries older than 400 days are deleted every night by [[reports/jobs|depends_on]].
`);
  put('backups', 'type: guide\ntags: [operations]\nsource_refs:\n  - src/backup.ts', `# Backups

## Schedule

A full backup every night at 03:00, kept for 30 days.

### Secrets

The key of the backups is in the vault of the team.

## Restore

${prose('restore', 9, 8)} See [[logging]].
`);
  put('hotkeys', 'type: guide', `# Hotkeys

Keys of the console. ${prose('console', 10, 5)}

## On call

Press \`g l\` for [[logging]], \`g a\` for [[audit]].
`);
  put('contributing', 'type: guide', `# Contributing\n\n${prose('reviewer', 11, 10)}\n\n## Style\n\n${prose('style', 12, 8)}\n`);
  put('slides', 'type: guide', `# Slides\n\n${prose('speaker', 13, 6)}\n`);
  put('session-lifetime', 'type: spec\ntags: [security]', `# Session lifetime

A session ends after 12 hours, or when its [[token-refresh]] fails.
`);
  put('token-refresh', 'type: spec\ntags: [security]', `# Token refresh

A token is refreshed every 15 minutes. After three failures the account is asked to sign in again, see [[session-lifetime]].
`);
  AREAS.forEach((area, number) => {
    for (const [at, part] of PARTS.entries()) {
      const next = AREAS[(number + 1) % AREAS.length];
      const title = `${area[0].toUpperCase()}${area.slice(1)} ${part}`;
      const hotkeys = part === 'overview' || (part === 'api' && number < 5) ? 'On call, see [[hotkeys]]. ' : '';
      const slides = part === 'overview' && number < 3 ? 'The talk is in [[slides]]. ' : '';
      const wanted = Array.from({ length: 13 }, (_, n) => `[[${area} ${['runbook', 'metrics', 'owner', 'limits'][n % 4]}]]`);
      put(`${area}/${part}`, `type: ${part === 'api' ? 'api' : part === 'storage' ? 'db-schema' : 'spec'}\ntags: [${area}]`, `# ${title}

${hotkeys}${slides}${prose(`${area} ${part}`, number * 4 + at, 7)}

## Purpose

${part === 'overview' ? `Its parts are [[${area}/storage]], [[${area}/api]] and [[${area}/jobs]]. ` : `Part of [[${area}/overview|implements]]. `}${part === 'jobs' ? `Feeds [[${next}/jobs|depends_on]]. ` : ''}${prose(area, number + at + 20, 9)}

## Failure

${part === 'jobs' ? `Still to be written: ${wanted.join(', ')}.` : `The retry budget is exhausted after five minutes. ${prose('retry', at + number, 4)}`}
`);
    }
  });
  for (let n = 1; n <= 10; n += 1) {
    const status = ['accepted', 'superseded', 'proposed'][n % 3];
    put(`adr/${String(n).padStart(4, '0')}`, `type: design\nstatus: ${status}\ndate: 2026-0${1 + (n % 9)}-1${n % 10}\ntags: [adr]`, `# Decision ${n}

## Context

${prose('decision', n + 40, 6)}

## Decision

We take option ${n % 3}. ${prose('option', n + 50, 4)}
`);
  }
  const releases = Array.from({ length: 90 }, (_, n) => {
    const version = `${1 + Math.floor(n / 20)}.${n % 20}.0`;
    return `## ${version}\n\n${Array.from({ length: 6 }, (_, k) => `- ${prose('release', n * 6 + k, 1)}`).join('\n')}\n`;
  });
  releases[43] += '- The parcel label has a QR code.\n';
  put('changelog', 'type: guide', `# Changelog\n\n${releases.reverse().join('\n')}`);
  return files;
}

const code = {
  'src/logging/rotate.ts': 'export const LIMIT = 10;\n',
  'src/logging/redact.ts': 'export function redact() {}\n',
  'src/audit.ts': 'export function record() {}\n',
  'src/backup.ts': 'export const hour = 3;\n',
};

// Writes the project to disk and commits it; the code of the backup changes after its page. `remove` deletes the project.
export function project() {
  return repository('ubp-agents-', { ...pages(), ...code }, { 'src/backup.ts': 'export const hour = 4;\n' });
}
