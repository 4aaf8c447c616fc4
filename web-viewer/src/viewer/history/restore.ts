// Restoring a former version of a page: an ordinary edit, saved like any other, with undo.
import type { PageVersionOutput } from '#contract';
import { ClientError } from '../../client/client';
import { readFile } from '../../saving/page-file';
import { toasts } from '../toasts.svelte';
import type { Workspace } from '../workspace.svelte';
import { writing } from '../../words/writing';

/** Gives the page the text of the version. Rejects with a `ClientError`, and then changes nothing. */
export async function restore(workspace: Workspace, page: string, version: PageVersionOutput): Promise<void> {
  const changed = writing.history.changedSince;
  const before = await write(workspace, page, version.content_hash, version.text, changed);
  // In the editor, the text may still be on its way to the file.
  const restored = await readFile(workspace.client, page).catch(() => null);
  const title = workspace.title(page);
  const undo = async () => {
    const isBack = await workspace.attempt(async () => {
      await write(workspace, page, restored?.hash ?? '', before, writing.history.editedSince(title));
      return true;
    });
    if (isBack) toasts.tell(writing.notices.undone);
  };
  toasts.tell(writing.history.restored(title), restored ? undo : null);
}

/** Replaces the text of the page if its file still has the hash. Returns the text before. */
async function write(workspace: Workspace, page: string, hash: string, text: string, changed: string): Promise<string> {
  await workspace.flush();
  const editor = workspace.editor?.shown === page ? workspace.editor : null;
  if (editor && workspace.save.state !== 'saved' && workspace.save.state !== 'read-only') {
    throw new ClientError('unsaved', writing.history.unsaved, workspace.save.message || undefined);
  }
  const file = await readFile(workspace.client, page);
  if (file.filepath !== page) throw new ClientError('gone', writing.history.gone);
  if (!file.editable) throw new ClientError('read_only', file.reason ?? writing.history.readOnly);
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
