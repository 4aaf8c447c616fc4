// Showing what changed in the code of a page, and marking the page or a section as still accurate.
import type { SourceDifference } from '#contract';
import * as vscode from 'vscode';
import { closeDifferences, sourceSides } from './documents';
import { pageUri, type Project } from './projects';
import type { Server } from './server';
import { reason } from './words';
import type { ReviewItem } from './views/review';

/** What a command is about: an item of the view, or the open page. */
export interface Subject {
  project: Project;
  path: string;
  source?: SourceDifference;
}

export function subjectOf(item: ReviewItem): Subject {
  return { project: item.project, path: item.page.filepath, ...('source' in item ? { source: item.source } : {}) };
}

export async function showChanges(server: Server, { project, path, source }: Subject): Promise<void> {
  const changes = source ? [source] : (await server.call('source_diff', { page: path }, project.root)).changes;
  const shown = changes.filter(({ diff }) => diff);
  const [first] = shown;
  if (!first) {
    const known = changes.map((change) => `${change.file_path}: ${[reason(change.reason), change.renamed_to ?? ''].filter((text) => text).join(', ')}`);
    void vscode.window.showInformationMessage(known.join('; ') || vscode.l10n.t('The code of this page has not changed since its review.'));
    return;
  }
  const title = vscode.l10n.t('Code of {0} since its review', path);
  if (shown.length === 1) {
    const [before, after] = sourceSides(project, path, first.file_path);
    await vscode.commands.executeCommand('vscode.diff', before, after, `${first.file_path} (${path})`, { preview: true });
    return;
  }
  const rows = shown.map(({ file_path: file }) => [vscode.Uri.joinPath(project.root, file.split('#')[0] ?? file), ...sourceSides(project, path, file)]);
  await vscode.commands.executeCommand('vscode.changes', title, rows);
}

export async function markAccurate(server: Server, { project, path, source }: Subject): Promise<void> {
  const sections = source?.described_in.map(({ heading }) => heading).filter((heading) => heading !== '') ?? [];
  const pages = sections.length > 0 ? sections.map((heading) => `${path}#${heading}`) : [path];
  const done = await server.call('review_page', { pages, still_accurate: true }, project.root);
  if (sections.length === 0) await closeDifferences('source', path);
  const { t } = vscode.l10n;
  const told = [
    ...done.reviewed.map(({ filepath, sections }) => t('Reviewed: {0}', [filepath, ...sections].join(' › '))),
    ...done.refused.map(({ filepath }) => t('Not reviewed: {0}', filepath)),
    ...done.without_sources.map((page) => t('{0} describes no code', page)),
  ];
  const missing = done.reviewed.flatMap(({ missing }) => missing.map(({ file_path: file }) => file));
  if (missing.length > 0) {
    const open = t('Open Page');
    const chosen = await vscode.window.showWarningMessage(t('These sources do not exist; correct the page: {0}', missing.join(', ')), open);
    if (chosen === open) await vscode.window.showTextDocument(pageUri(project, path));
    return;
  }
  vscode.window.setStatusBarMessage(told.join('; '), 5000);
}
