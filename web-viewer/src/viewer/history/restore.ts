// Restoring a former version of a page: an ordinary edit, saved like any other, with undo.
import type { PageVersionOutput } from '#contract';
import { ClientError } from '../../client/client';
import { readFile } from '../../saving/page-file';
import { toasts } from '../toasts.svelte';
import type { Workspace } from '../workspace.svelte';

/** Gives the page the text of the version. Rejects with a `ClientError`, and then changes nothing. */
export async function restore(workspace: Workspace, page: string, version: PageVersionOutput): Promise<void> {
  const changed = 'The page changed after these differences were shown, so it was not restored. Look at the new differences.';
  const before = await write(workspace, page, version.content_hash, version.text, changed);
  // In the editor, the text may still be on its way to the file.
  const restored = await readFile(workspace.client, page).catch(() => null);
  const title = workspace.title(page);
  const undo = async () => {
    const isBack = await workspace.attempt(async () => {
      await write(workspace, page, restored?.hash ?? '', before, `“${title}” was edited since, so its former text was not put back.`);
      return true;
    });
    if (isBack) toasts.tell('Undone.');
  };
  toasts.tell(`Restored a former version of “${title}”.`, restored ? undo : null);
}

/** Replaces the text of the page if its file still has the hash. Returns the text before. */
async function write(workspace: Workspace, page: string, hash: string, text: string, changed: string): Promise<string> {
  await workspace.flush();
  const editor = workspace.editor?.shown === page ? workspace.editor : null;
  if (editor && workspace.save.state !== 'saved' && workspace.save.state !== 'read-only') {
    throw new ClientError('unsaved', 'Your edits of this page are not saved yet, so it was not restored.', workspace.save.message || undefined);
  }
  const file = await readFile(workspace.client, page);
  if (file.filepath !== page) throw new ClientError('gone', 'This page was moved or deleted.');
  if (!file.editable) throw new ClientError('read_only', file.reason ?? 'This page cannot be changed.');
  if (file.hash !== hash) throw new ClientError('conflict', changed);
  if (editor && workspace.isEditing) {
    if (!editor.replaceText(page, file.text, text)) throw new ClientError('conflict', changed);
    await editor.save();
  } else {
    await workspace.client.call('save_page', { page, text, expected_hash: hash });
    workspace.session.noteChange([page]);
  }
  return file.text;
}
