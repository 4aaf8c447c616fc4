// Renames and moves pages, and reports it with one undo.
import type { Output, Params } from '../client/client';
import { folderOf } from '../pages/listing';
import { toasts } from './toasts.svelte';
import type { Workspace } from './workspace.svelte';

/** The parameters that move a page to a folder under its file name. */
export function intoFolder(page: string, folder: string): Params<'rename_page'> {
  return { page, path: folder === '' ? page.slice(page.lastIndexOf('/') + 1) : `${folder}/` };
}

/** Other pages whose links were updated. */
export function followers({ changed, filepath }: Pick<Output<'rename_page'>, 'changed' | 'filepath'>, page: string): number {
  return changed.filter((file) => file.filepath !== filepath && file.filepath !== page).length;
}

export async function rename(workspace: Workspace, wanted: Params<'rename_page'> & { page: string }): Promise<void> {
  const { page } = wanted;
  await workspace.flush();
  const done = await workspace.client.call('rename_page', wanted);
  await workspace.moved(page, done.filepath);
  workspace.session.noteChange([]);
  const others = followers(done, page);
  const into = folderOf(done.filepath);
  const what = wanted.title === undefined ? `Moved “${done.title}” to ${into === '' ? 'the top folder' : into}` : `Renamed to “${done.title}”`;
  const text = `${what}${others > 0 ? `; updated links on ${others} ${others === 1 ? 'page' : 'pages'}` : ''}.`;
  toasts.tell(text, done.audit_id ? workspace.undo(done.audit_id, () => workspace.moved(done.filepath, page)) : null);
}
