// The pages to review, and below each the code that changed. Operations decide which these are.
import type { CheckedPage, SourceDifference } from '#contract';
import * as vscode from 'vscode';
import { pageUri, type Project } from '../projects';
import { opening } from '../telling';
import { reason, staleness, stalenessIcon } from '../words';
import { Listing, type Surroundings } from './listing';

export type ReviewItem = { page: CheckedPage; project: Project } | { source: SourceDifference; page: CheckedPage; project: Project };

export class Review extends Listing<ReviewItem> {
  constructor(around: Surroundings) {
    super('ubp.review', around, ['pages', 'head', 'reviews', 'settings']);
  }

  protected async items(parent: ReviewItem | undefined): Promise<ReviewItem[]> {
    if (parent) {
      const { page, project } = parent;
      if ('source' in parent || page.stale_refs.length === 0) return [];
      const { changes } = await this.server.call('source_diff', { page: page.filepath }, project.root);
      return changes.map((source) => ({ source, page, project }));
    }
    const found: ReviewItem[] = [];
    for (const project of this.projects.all) {
      const { pages } = await this.server.call('check_staleness', {}, project.root);
      found.push(...pages.map((page) => ({ page, project })));
    }
    this.view.badge = found.length > 0 ? { value: found.length, tooltip: vscode.l10n.t('{0} pages to review', found.length) } : undefined;
    return found;
  }

  getTreeItem(item: ReviewItem): vscode.TreeItem {
    const { page, project } = item;
    if ('source' in item) return sourceRow(item.source, page, project);
    const { None, Collapsed } = vscode.TreeItemCollapsibleState;
    const row = new vscode.TreeItem(page.title, page.stale_refs.length > 0 ? Collapsed : None);
    row.id = `${project.root} ${page.filepath}`;
    row.description = page.reasons.map(reason).join(', ');
    row.iconPath = stalenessIcon(page.staleness);
    row.tooltip = [page.filepath, staleness(page.staleness), ...page.suspect_path.slice(1), ...page.stale_refs].join('\n');
    row.contextValue = page.stale_refs.length > 0 ? 'ubp.page' : 'ubp.suspect';
    row.resourceUri = pageUri(project, page.filepath);
    row.command = opening(row.resourceUri, 1, page.title);
    return row;
  }
}

function sourceRow(source: SourceDifference, page: CheckedPage, project: Project): vscode.TreeItem {
  const row = new vscode.TreeItem(source.file_path, vscode.TreeItemCollapsibleState.None);
  row.id = `${project.root} ${page.filepath} ${source.file_path}`;
  const sections = source.described_in.map(({ heading }) => heading).filter((heading) => heading !== '');
  row.description = [reason(source.reason), source.renamed_to ? `→ ${source.renamed_to}` : '', ...sections].filter((text) => text !== '').join(' · ');
  row.iconPath = new vscode.ThemeIcon('file-code');
  row.tooltip = source.commits.map(({ id, subject }) => `${id.slice(0, 8)} ${subject}`).join('\n') || row.description;
  row.contextValue = sections.length > 0 ? 'ubp.section' : 'ubp.source';
  row.command = { command: 'ubp.showChanges', title: vscode.l10n.t('Show What Changed in the Code'), arguments: [{ source, page, project }] };
  return row;
}
