// Renames and moves pages, and reports it with one undo.
import type { Output, Params } from '../client/client';
import { side } from '../pages/view.svelte';
import { folderOf, nameOf } from '../text/paths';
import { toasts } from './toasts.svelte';
import { moveTogether, takeBack, type Move } from './together';
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

/** Moves all pages of a folder to another path. */
export async function moveFolder(workspace: Workspace, from: string, to: string): Promise<void> {
  const moves = pagesIn(workspace, from).map((path) => ({ from: path, to: `${to}${path.slice(from.length)}` }));
  const follow = (move: Move) => workspace.moved(move.from, move.to);
  await workspace.flush();
  try {
    const entries = await workspace.changing(() => moveTogether(workspace.client, moves, follow));
    side.moved(from, to);
    toasts.tell(writing.notices.movedFolder(from, to, moves.length), () => takeFolderBack(workspace, entries, moves));
  } finally {
    workspace.session.noteChange([]);
  }
}

async function takeFolderBack(workspace: Workspace, entries: readonly string[], moves: readonly Move[]): Promise<void> {
  await workspace.attempt(async () => {
    await workspace.flush();
    await workspace.changing(async () => {
      await takeBack(workspace.client, entries);
      for (const { from, to } of [...moves].reverse()) await workspace.moved(to, from);
    });
    workspace.session.noteChange([]);
    toasts.tell(writing.notices.undone);
  });
}
