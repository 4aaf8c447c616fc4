// Decisions about suggestions and contradictory memories. Each can be undone.
import type { Item, Next } from '#contract';
import type { Params } from '../../client/client';
import { toasts } from '../toasts.svelte';
import type { Workspace } from '../workspace.svelte';
import { writing } from '../../words/writing';

// The engine made the parameters.
const linkOf = ({ params }: Next): Params<'accept'> => params as unknown as Params<'accept'>;
const mergeOf = ({ params }: Next): Params<'reindex_memories'> => params as unknown as Params<'reindex_memories'>;

/** What accepting the item would change, as a diff of each file. */
export async function planOf({ client }: Workspace, { accept }: Item): Promise<string> {
  if (accept === null) return '';
  if (accept.operation === 'reindex_memories') return (await client.call('reindex_memories', { ...mergeOf(accept), dry_run: true })).diff;
  return (await client.call('accept', { ...linkOf(accept), dry_run: true })).diff;
}

/** Writes a suggested link or type, or merges two memories. Returns whether it is done. */
export async function accept(workspace: Workspace, { accept, source, kind, target }: Item): Promise<boolean> {
  if (accept === null) return false;
  if (kind === 'code') return write(workspace, linkOf(accept), writing.queue.linkedToCode(target ?? ''));
  if (accept.operation !== 'reindex_memories') return write(workspace, linkOf(accept), writing.notices.linkedTo(workspace.title(linkOf(accept).target)));
  return done(workspace, async () => {
    await workspace.flush();
    const { changed, audit_id } = await workspace.client.call('reindex_memories', mergeOf(accept));
    workspace.session.noteChange(changed.map(({ filepath }) => filepath));
    toasts.tell(writing.queue.merged(workspace.title(source)), audit_id ? workspace.undo(audit_id) : null);
  });
}

/** Never suggests it again. */
export async function dismiss(workspace: Workspace, { dismiss, target, kind }: Item): Promise<boolean> {
  if (dismiss === null) return false;
  return done(workspace, async () => {
    const { source, audit_id } = await workspace.client.call('dismiss', dismiss.params as unknown as Params<'dismiss'>);
    workspace.session.noteChange([]);
    const text = kind === 'contradiction' ? writing.queue.agreed : kind === 'duplicate' ? writing.queue.keptApart : kind === 'code' ? writing.queue.notSuggested(target ?? source) : writing.notices.notSuggested(workspace.title(target ?? source));
    toasts.tell(text, audit_id ? workspace.undo(audit_id, async () => workspace.session.noteChange([])) : null);
  });
}

/** One memory replaces the other, which no longer holds. */
export function replace(workspace: Workspace, right: string, wrong: string): Promise<boolean> {
  return write(workspace, { source: right, target: wrong, type: 'supersedes' }, writing.queue.replaced(workspace.title(right), workspace.title(wrong)));
}

export function keepBoth(workspace: Workspace, older: string, newer: string): Promise<boolean> {
  return write(workspace, { source: newer, target: older, type: 'conflicts_with' }, writing.queue.keptBoth);
}

function write(workspace: Workspace, link: Params<'accept'>, text: string): Promise<boolean> {
  return done(workspace, async () => {
    await workspace.flush();
    const { source, target, audit_id } = await workspace.client.call('accept', link);
    workspace.session.noteChange([source, target]);
    toasts.tell(text, audit_id ? workspace.undo(audit_id) : null);
  });
}

async function done(workspace: Workspace, doing: () => Promise<void>): Promise<boolean> {
  return (await workspace.attempt(async () => {
    await doing();
    return true;
  })) ?? false;
}
