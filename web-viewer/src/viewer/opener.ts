// Opens files of the project in the user's editor, by an address that the editor has registered on this machine.
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
  const address = addressIn(settings.opener, `${folders.pages}/${page}`, hasCursor ? editor.line : 1);
  if (!address) {
    toasts.warn(writing.notices.badOpener(settings.opener));
    return;
  }
  // The editor reads the file.
  await workspace.flush();
  const link = document.createElement('a');
  link.href = address;
  if (/^https?:/i.test(address)) Object.assign(link, { target: '_blank', rel: 'noopener' });
  link.click();
}
