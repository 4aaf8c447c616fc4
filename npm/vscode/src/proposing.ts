// Showing, accepting and rejecting what agents propose.
import * as vscode from 'vscode';
import { closeDifferences, proposalSides } from './documents';
import { pageUri } from './projects';
import type { Server } from './server';
import { titleOf, type ProposalItem } from './views/proposals';

export async function showProposal(server: Server, { proposal, project, page }: ProposalItem): Promise<void> {
  const id = proposal.proposal;
  const { changes } = await server.call('get_proposal', { proposal: id }, project.root);
  const shown = page ? changes.filter(({ filepath }) => filepath === page.filepath) : changes;
  const [first] = shown;
  const title = titleOf(proposal);
  if (shown.length > 1) {
    const rows = shown.map(({ filepath }) => [pageUri(project, filepath), ...proposalSides(project, id, filepath)]);
    await vscode.commands.executeCommand('vscode.changes', title, rows);
  } else if (first) {
    const [before, after] = proposalSides(project, id, first.filepath);
    await vscode.commands.executeCommand('vscode.diff', before, after, `${first.filepath} (${title})`, { preview: true });
  } else {
    void vscode.window.showInformationMessage(title);
  }
}

export async function acceptProposal(server: Server, { proposal, project }: ProposalItem): Promise<void> {
  const { left } = await server.call('accept_proposal', { proposals: [proposal.proposal] }, project.root);
  for (const { reason } of left) void vscode.window.showWarningMessage(reason);
  if (left.length === 0) await closeDifferences('proposal', proposal.proposal);
}

export async function rejectProposal(server: Server, { proposal, project }: ProposalItem): Promise<void> {
  const comment = await vscode.window.showInputBox({ title: titleOf(proposal), prompt: vscode.l10n.t('Why, for the agent (may be empty)') });
  if (comment === undefined) return;
  await server.call('reject_proposal', { proposals: [proposal.proposal], ...(comment ? { comment } : {}) }, project.root);
  await closeDifferences('proposal', proposal.proposal);
}
