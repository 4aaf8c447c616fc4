// Decisions about suggestions and contradictory memories. Each can be undone.
import type { Item, Next } from '#contract';
import type { Params } from '../../client/client';
import { toasts } from '../toasts.svelte';
import type { Workspace } from '../workspace.svelte';
import { writing } from '../../words/writing';

/** What writes a link, or shows what it would write. The engine made the parameters. */
export const linkOf = ({ params }: Next): Params<'accept'> => params as unknown as Params<'accept'>;

/** Writes a suggested link or type. Returns whether it is done. */
export async function accept(workspace: Workspace, { accept }: Item): Promise<boolean> {
  return accept !== null && write(workspace, linkOf(accept), writing.notices.linkedTo(workspace.title(linkOf(accept).target)));
}

/** Never suggests it again. */
export async function dismiss(workspace: Workspace, { dismiss, target, kind }: Item): Promise<boolean> {
  if (dismiss === null) return false;
  return done(workspace, async () => {
    const { source, audit_id } = await workspace.client.call('dismiss', dismiss.params as unknown as Params<'dismiss'>);
    workspace.session.noteChange([]);
    const text = kind === 'contradiction' ? writing.queue.agreed : writing.notices.notSuggested(workspace.title(target ?? source));
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
