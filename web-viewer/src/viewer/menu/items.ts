// The actions on a page and on a folder, the same in every menu.
import { folderOf } from '../../text/paths';
import { canOpen, openInEditor } from '../opener';
import { linkTo, type Workspace } from '../workspace.svelte';
import type { MenuItem } from './Menu.svelte';

/** A page or a folder, by its path relative to the pages folder. */
export interface Subject {
  kind: 'page' | 'folder';
  path: string;
}

/** Actions on a page. A deleted page cannot be changed. `more` are actions before those that copy. */
export function pageItems(workspace: Workspace, page: string, more: readonly MenuItem[] = []): MenuItem[] {
  const isThere = workspace.session.byPath.has(page);
  const opens: MenuItem[] = [
    { label: 'Open in new tab', icon: 'tabs', run: () => workspace.tabs.open({ page }, true) },
    ...(workspace.second.isPossible ? [{ label: 'Open beside', icon: 'beside' as const, run: () => workspace.openBeside(page) }] : []),
    ...(canOpen(workspace) ? [{ label: 'Open in editor', icon: 'code' as const, run: () => void openInEditor(workspace, page) }] : []),
  ];
  const copies: MenuItem[] = [
    { label: 'Copy link', icon: 'link', run: () => void workspace.copy(linkTo(page)) },
    { label: 'Copy path', icon: 'page', run: () => void workspace.copy(page) },
  ];
  if (!isThere) return [...more, ...copies];
  return [
    { label: 'Rename…', icon: 'edit', run: () => (workspace.dialog = { kind: 'rename', page }) },
    { label: 'Move to…', icon: 'folder', run: () => (workspace.dialog = { kind: 'rename', page, isMove: true }) },
    ...more,
    ...opens,
    ...copies,
    { label: 'Delete…', icon: 'trash', run: () => (workspace.dialog = { kind: 'delete', page }) },
  ];
}

/** Actions on a row of the page list. */
export function rowItems(workspace: Workspace, { kind, path }: Subject): MenuItem[] {
  const folder = kind === 'folder' ? path : folderOf(path);
  const create: MenuItem = { label: 'New page here…', icon: 'plus', run: () => (workspace.dialog = { kind: 'new', name: '', folder }) };
  const moves: MenuItem[] = [
    { label: 'Rename…', icon: 'edit', run: () => (workspace.dialog = { kind: 'folder', path }) },
    { label: 'Move to…', icon: 'folder', run: () => (workspace.dialog = { kind: 'folder', path, isMove: true }) },
  ];
  if (kind === 'folder') return [create, ...moves, { label: 'Copy path', icon: 'page', run: () => void workspace.copy(path) }];
  return [create, ...pageItems(workspace, path)];
}
