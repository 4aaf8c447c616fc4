// Renames and moves pages, and reports it with one undo.
import type { Output, Params } from '../client/client';
import { side } from '../pages/view.svelte';
import { folderOf, nameOf } from '../text/paths';
import { toasts } from './toasts.svelte';
import type { Workspace } from './workspace.svelte';
import { writing } from '../words/writing';

/** The parameters that move a page to a folder under its file name. */
export function intoFolder(page: string, folder: string): Params<'rename_page'> {
  return { page, path: folder === '' ? nameOf(page) : `${folder}/` };
}

/** Other pages whose links were updated. */
export function followers({ changed, filepath }: Pick<Output<'rename_page'>, 'changed' | 'filepath'>, page: string): number {
  return changed.filter((file) => file.filepath !== filepath && file.filepath !== page).length;
}

export async function rename(workspace: Workspace, wanted: Params<'rename_page'> & { page: string }): Promise<void> {
  const { page } = wanted;
  await workspace.flush();
  const done = await workspace.changing(async () => {
    const done = await workspace.client.call('rename_page', wanted);
    await workspace.moved(page, done.filepath);
    return done;
  });
  workspace.session.noteChange([]);
  const others = followers(done, page);
  const into = folderOf(done.filepath);
  const text = wanted.title === undefined ? writing.notices.movedPage(done.title, into, others) : writing.notices.renamedPage(done.title, others);
  toasts.tell(text, done.audit_id ? workspace.undo(done.audit_id, () => workspace.moved(done.filepath, page)) : null);
}

/** The pages in a folder and below it. */
export function pagesIn(workspace: Workspace, folder: string): string[] {
  return workspace.session.pages.map(({ filepath }) => filepath).filter((path) => path.startsWith(`${folder}/`));
}

/** Moves a folder with everything in it to another path, and reports it with one undo. */
export async function moveFolder(workspace: Workspace, from: string, to: string): Promise<void> {
  await workspace.flush();
  const { pages, audit_id } = await workspace.changing(async () => {
    const done = await workspace.client.call('move_files', { moves: [{ from, to }] });
    for (const page of done.pages) await workspace.moved(page.from, page.to);
    return done;
  });
  workspace.session.noteChange([]);
  side.moved(from, to);
  const back = async () => {
    for (const page of [...pages].reverse()) await workspace.moved(page.to, page.from);
    workspace.session.noteChange([]);
  };
  toasts.tell(writing.notices.movedFolder(from, to, pages.length), audit_id ? workspace.undo(audit_id, back) : null);
}
