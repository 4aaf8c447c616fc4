// Accepting and rejecting proposals, and taking back what was accepted.
import type { AcceptedProposal, GetProposalOutput, ProposalFields } from '#contract';
import type { Params } from '../../client/client';
import { toasts } from '../toasts.svelte';
import { takeBack } from '../together';
import type { Workspace } from '../workspace.svelte';
import { summary } from './facts';
import { writing } from '../../words/writing';

/** A proposal, and what it does in words. */
export interface Subject {
  proposal: string;
  what: string;
}

export function subjectOf(workspace: Workspace, { proposal, pages }: Pick<ProposalFields, 'proposal' | 'pages'>): Subject {
  return { proposal, what: summary(pages, (page) => workspace.title(page)) };
}

/** Accepts a proposal as it is shown: only some hunks, unless there are none, or with the reviewer's text. */
export async function acceptShown(workspace: Workspace, proposal: GetProposalOutput, hunks: number[], text: string | null): Promise<boolean> {
  const texts = proposal.changes.slice(0, 1).flatMap(({ filepath }) => (text === null ? [] : [{ filepath, text }]));
  return (await accept(workspace, [subjectOf(workspace, proposal)], { hunks, texts })).length > 0;
}

/** Accepts proposals, or some hunks of one, or one with the reviewer's texts. Returns those that were accepted. */
export async function accept(workspace: Workspace, subjects: readonly Subject[], part: Pick<Params<'accept_proposal'>, 'hunks' | 'texts'> = {}): Promise<readonly AcceptedProposal[]> {
  const proposals = subjects.map(({ proposal }) => proposal);
  const answer = await decided(workspace, async () => {
    await workspace.flush();
    return workspace.changing(async () => {
      const answer = await workspace.client.call('accept_proposal', { proposals, ...part });
      for (const done of answer.accepted) await follow(workspace, done);
      return answer;
    });
  });
  if (!answer) return [];
  const { accepted, left } = answer;
  for (const { proposal } of accepted) workspace.proposals.drafts.delete(proposal);
  const audited = accepted.flatMap(({ audit_id }) => audit_id ?? []);
  const [first] = accepted;
  if (first) {
    const what = subjects.find(({ proposal }) => proposal === first.proposal)?.what ?? first.proposal;
    const text = accepted.length > 1 ? writing.proposals.acceptedMany(accepted.length) : first.audit_id ? writing.proposals.accepted(what) : writing.proposals.alreadyThere(what);
    toasts.tell(text, audited.length > 0 ? () => undo(workspace, audited) : null);
  }
  if (left[0]) toasts.warn(writing.proposals.left(left.length, left[0].reason));
  for (const { index_error } of accepted) if (index_error) toasts.warn(index_error);
  return accepted;
}

/** Rejects proposals. Returns whether they were rejected. */
export async function reject(workspace: Workspace, subjects: readonly Subject[], comment: string): Promise<boolean> {
  const params: Params<'reject_proposal'> = { proposals: subjects.map(({ proposal }) => proposal), comment: comment.trim() || null };
  const answer = await decided(workspace, () => workspace.client.call('reject_proposal', params));
  if (!answer) return false;
  const text = subjects[0] && subjects.length === 1 ? writing.proposals.rejected(subjects[0].what) : writing.proposals.rejectedMany(answer.rejected.length);
  toasts.tell(text, async () => void (await reopen(workspace, subjects)));
  return true;
}

/** Takes decisions back, so that the proposals wait again. Returns whether they do. */
export async function reopen(workspace: Workspace, subjects: readonly Subject[]): Promise<boolean> {
  const answer = await decided(workspace, () => workspace.client.call('reopen_proposal', { proposals: subjects.map(({ proposal }) => proposal) }));
  if (!answer) return false;
  toasts.tell(subjects[0] && subjects.length === 1 ? writing.proposals.reopened(subjects[0].what) : writing.proposals.reopenedMany(answer.reopened.length));
  return true;
}

/** Another person may have decided meanwhile, so the list is asked for again in any case. */
async function decided<T>(workspace: Workspace, doing: () => Promise<T>): Promise<T | undefined> {
  const answer = await workspace.attempt(doing);
  await workspace.proposals.refresh();
  return answer;
}

async function follow(workspace: Workspace, { changed }: Pick<AcceptedProposal, 'changed'>): Promise<void> {
  for (const { filepath, moved_from } of changed) if (moved_from !== null) await workspace.moved(moved_from, filepath);
  workspace.session.noteChange(changed.map(({ filepath }) => filepath));
}

/** All of them or none. */
async function undo(workspace: Workspace, entries: readonly string[]): Promise<void> {
  await workspace.attempt(async () => {
    await workspace.flush();
    await workspace.changing(async () => {
      for (const done of await takeBack(workspace.client, entries)) await follow(workspace, done);
    });
    toasts.tell(writing.notices.undone);
  });
  await workspace.proposals.refresh();
}
