// Files on the desktop of the machine that the server runs on.
import { post } from './http';

/** Opens a file in the user's editor, or shows it in the file manager. `path` is relative to the project, and `root` the address of the server. */
export async function onDesktop(root: string, action: 'edit' | 'show', path: string, line = 1): Promise<void> {
  await post(new URL('desktop', root), { action, path, line });
}
