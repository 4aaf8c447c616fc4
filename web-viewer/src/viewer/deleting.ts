// Deletes the pages of a folder, with one undo.
import { pagesIn } from './moving';
import { toasts } from './toasts.svelte';
import { takeBack } from './together';
import type { Workspace } from './workspace.svelte';
import { writing } from '../words/writing';

/** Pages outside of the folder that link into it. Stops if nobody waits for them any more. */
export async function linkingInto({ client }: Workspace, pages: readonly string[], stop: AbortSignal): Promise<Set<string>> {
  const linking = new Set<string>();
  const inside = new Set(pages);
  for (const page of pages) {
    if (stop.aborted) break;
    const { links } = await client.call('delete_page', { page, dry_run: true });
    for (const { filepath } of links) if (!inside.has(filepath)) linking.add(filepath);
  }
  return linking;
}

/** Moves all pages of a folder to the trash, or none of them. */
export async function deleteFolder(workspace: Workspace, folder: string, unlink: boolean): Promise<void> {
  const pages = pagesIn(workspace, folder);
  const before = workspace.page;
  await workspace.flush();
  const entries: string[] = [];
  try {
    await workspace.changing(async () => {
      try {
        for (const page of pages) {
          const { audit_id } = await workspace.client.call('delete_page', { page, unlink, confirm: true });
          if (audit_id) entries.push(audit_id);
        }
      } catch (error) {
        await takeBack(workspace.client, entries);
        throw error;
      }
      await workspace.removed(...pages);
    });
  } finally {
    workspace.session.noteChange([]);
  }
  toasts.tell(writing.dialogs.deletedFolder(folder, pages.length), () => restoreFolder(workspace, entries, before));
}

async function restoreFolder(workspace: Workspace, entries: readonly string[], before: string | null): Promise<void> {
  const stays = workspace.navigator.staying();
  await workspace.attempt(async () => {
    await workspace.flush();
    await workspace.changing(() => takeBack(workspace.client, entries));
    if (before !== null) await workspace.restored(before, stays);
    workspace.session.noteChange([]);
    toasts.tell(writing.notices.undone);
  });
}
