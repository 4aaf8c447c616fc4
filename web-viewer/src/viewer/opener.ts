// Opens files of the project in the user's editor, by an address that the editor has registered on this machine.
import { onDesktop } from '../client/desktop';
import type { Site } from '../site';
import { settings } from '../state/settings.svelte';
import { toasts } from './toasts.svelte';
import type { Workspace } from './workspace.svelte';
import { writing } from '../words/writing';

/** Schemes that would run or show something here. */
const REFUSED = /^(?:javascript|data|blob|vbscript|about|view-source):/i;

export const EDITORS: readonly { name: string; template: string }[] = [
  { name: 'VS Code', template: 'vscode://file/{path}:{line}' },
  { name: 'VSCodium', template: 'vscodium://file/{path}:{line}' },
  { name: 'Cursor', template: 'cursor://file/{path}:{line}' },
  { name: 'Zed', template: 'zed://file/{path}:{line}' },
  { name: 'JetBrains IDEs', template: 'idea://open?file={path}&line={line}' },
  { name: 'TextMate', template: 'txmt://open?url=file://{path}&line={line}' },
];

/** Stands for the editor that the environment of the server names. */
export const OWN = 'EDITOR';

/** The chosen editor; if none was chosen, the user's own, else the first known one. */
export function chosenOpener({ folders }: Pick<Site, 'folders'>): string {
  const own = folders?.editor ? OWN : null;
  const chosen = settings.opener === OWN ? own : settings.opener;
  return chosen ?? own ?? EDITORS[0]?.template ?? '';
}

/** The address of a file by its absolute path; null if the template is not an address with `{path}`. */
export function addressIn(template: string, path: string, line: number): string | null {
  const wanted = template.trim();
  if (!/^[a-z][a-z0-9+.-]*:/i.test(wanted) || REFUSED.test(wanted) || !wanted.includes('{path}')) return null;
  // The colon of a drive stays as it is.
  const encoded = path.split('/').map((part) => encodeURIComponent(part).replaceAll('%3A', ':')).join('/');
  const rooted = encoded.startsWith('/') ? encoded : `/${encoded}`;
  return wanted.replaceAll('/{path}', () => rooted).replaceAll('{path}', () => encoded).replaceAll('{line}', String(line));
}

/** Whether pages can be opened in an editor: only if the server is on this machine. */
export function canOpen({ session }: Workspace): boolean {
  return session.site.folders !== null;
}

/** Opens a page in the editor of the settings, at the line of the cursor if it is being edited here. */
export async function openInEditor(workspace: Workspace, page: string): Promise<void> {
  const { folders } = workspace.session.site;
  if (!folders) return;
  const { editor } = workspace;
  const hasCursor = workspace.isEditing && editor?.shown === page && editor.isPlaced;
  const line = hasCursor ? editor.line : 1;
  const opener = chosenOpener(workspace.session.site);
  if (opener === OWN) {
    // The editor reads the file.
    await workspace.attempt(async () => {
      await workspace.flush();
      await onDesktop(workspace.session.site.root, 'edit', inProject(folders, page), line);
    });
    return;
  }
  const address = addressIn(opener, `${folders.pages}/${page}`, line);
  if (!address) {
    toasts.warn(writing.notices.badOpener(opener));
    return;
  }
  await workspace.flush();
  const link = document.createElement('a');
  link.href = address;
  if (/^https?:/i.test(address)) Object.assign(link, { target: '_blank', rel: 'noopener' });
  link.click();
}

/** Whether files can be shown in a file manager. */
export function canShow({ session }: Workspace): boolean {
  return session.site.folders?.has_file_manager ?? false;
}

/** Shows a page or a folder in the file manager. */
export async function showFile(workspace: Workspace, path: string): Promise<void> {
  const { folders, root } = workspace.session.site;
  if (folders) await workspace.attempt(() => onDesktop(root, 'show', inProject(folders, path)));
}

/** The path of a page or a folder relative to the project. */
function inProject({ project, pages }: NonNullable<Site['folders']>, path: string): string {
  return `${pages}/${path}`.slice(project.length + 1);
}
