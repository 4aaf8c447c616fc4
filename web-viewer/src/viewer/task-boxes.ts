// Ticking tasks while reading: one character of the page changes, unless the page changed since it was shown.
import { ClientError } from '../client/client';
import { readFile } from '../saving/page-file';
import { withTask } from '../reading/tasks';
import { toasts } from './toasts.svelte';
import type { Workspace } from './workspace.svelte';
import { writing } from '../words/writing';

export function tickTasks(workspace: Workspace, main: HTMLElement): void {
  main.addEventListener('change', (event) => {
    const box = event.target;
    const page = workspace.page;
    if (!(box instanceof HTMLInputElement) || !box.matches('.task[data-line]') || page === null) return;
    const line = Number(box.dataset['line']);
    void set(workspace, page, line, box.checked).then((isSet) => {
      if (isSet) box.setAttribute('aria-label', box.checked ? writing.notices.done : writing.notices.toDo);
      else box.checked = !box.checked;
    });
  });
}

/** Returns whether the task was changed; reports why not. */
async function set(workspace: Workspace, page: string, line: number, done: boolean): Promise<boolean> {
  const saved = await workspace.attempt(async () => {
    await workspace.flush();
    const file = await readFile(workspace.client, page);
    if (!file.editable) throw new ClientError('read_only', file.reason ?? writing.notices.unchangeable);
    const text = withTask(file.text, line, done);
    if (text === null) {
      void workspace.navigator.refresh();
      throw new ClientError('conflict', writing.notices.changedSince);
    }
    await workspace.client.call('save_page', { page: file.filepath, text, expected_hash: file.hash });
    workspace.session.noteChange([file.filepath]);
    return true;
  });
  if (!saved) return false;
  toasts.tell(done ? writing.notices.taskDone : writing.notices.taskOpen, async () => {
    await set(workspace, page, line, !done);
    await workspace.navigator.refresh();
  });
  return true;
}
