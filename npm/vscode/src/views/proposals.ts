// What agents propose: the proposals that wait for a person, and below each the pages that it changes.
import type { ProposalFields, ProposedPage } from '#contract';
import * as vscode from 'vscode';
import type { Project } from '../projects';
import { change } from '../words';
import { Listing, type Surroundings } from './listing';

export type ProposalItem = { proposal: ProposalFields; project: Project; page?: ProposedPage };

/** Why, as the agent says; otherwise what would change. */
export const titleOf = ({ reason, pages, operation }: ProposalFields) => reason ?? (pages.map(({ filepath }) => filepath).join(', ') || operation);

export class Proposals extends Listing<ProposalItem> {
  constructor(around: Surroundings) {
    super('ubp.proposals', around, ['pages', 'reviews', 'settings']);
    // Proposals are files that the server does not announce.
    const files = vscode.workspace.createFileSystemWatcher('**/.ubp/proposals/**');
    for (const event of [files.onDidCreate, files.onDidChange, files.onDidDelete]) this.hold(event(() => this.refresh()));
    this.hold(files);
  }

  protected async items(parent: ProposalItem | undefined): Promise<ProposalItem[]> {
    if (parent) return parent.page ? [] : parent.proposal.pages.map((page) => ({ ...parent, page }));
    const found: ProposalItem[] = [];
    for (const project of this.projects.all) {
      const { proposals } = await this.server.call('list_proposals', {}, project.root);
      found.push(...proposals.map((proposal) => ({ proposal, project })));
    }
    this.view.badge = found.length > 0 ? { value: found.length, tooltip: vscode.l10n.t('{0} proposals', found.length) } : undefined;
    return found;
  }

  getTreeItem(item: ProposalItem): vscode.TreeItem {
    const { proposal, page } = item;
    const command = { command: 'ubp.showProposal', title: vscode.l10n.t('Show Proposal'), arguments: [item] };
    if (page) {
      const row = new vscode.TreeItem(page.filepath, vscode.TreeItemCollapsibleState.None);
      row.description = [change(page.change), page.moved_from ?? ''].filter((text) => text !== '').join(' · ');
      row.iconPath = new vscode.ThemeIcon('markdown');
      row.command = command;
      return row;
    }
    const row = new vscode.TreeItem(titleOf(proposal), vscode.TreeItemCollapsibleState.Collapsed);
    row.id = proposal.proposal;
    row.description = [proposal.agent ?? '', ...proposal.conflicts.slice(0, 1)].filter((text) => text !== '').join(' · ');
    row.tooltip = [proposal.proposal, proposal.created_at, ...proposal.conflicts].join('\n');
    row.iconPath = new vscode.ThemeIcon(proposal.state === 'conflict' ? 'warning' : 'git-pull-request');
    row.contextValue = 'ubp.proposal';
    row.command = command;
    return row;
  }
}
