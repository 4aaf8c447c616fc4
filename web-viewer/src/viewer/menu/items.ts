// The actions on a page and on a folder, the same in every menu.
import { folderOf } from '../../text/paths';
import { canOpen, canShow, openInEditor, showFile } from '../opener';
import { linkTo, type Workspace } from '../workspace.svelte';
import type { MenuItem } from './Menu.svelte';
import { writing } from '../../words/writing';

/** A page or a folder, by its path relative to the pages folder. */
export interface Subject {
  kind: 'page' | 'folder';
  path: string;
}

/** Actions on a page. A deleted page cannot be changed. `more` are actions before those that copy. */
export function pageItems(workspace: Workspace, page: string, more: readonly MenuItem[] = []): MenuItem[] {
  const isThere = workspace.session.byPath.has(page);
  const opens: MenuItem[] = [
    { label: writing.menu.newTab, icon: 'tabs', run: () => workspace.tabs.open({ page }, true) },
    ...(workspace.second.isPossible ? [{ label: writing.menu.openBeside, icon: 'beside' as const, run: () => workspace.openBeside(page) }] : []),
    ...(canOpen(workspace) ? [{ label: writing.menu.openInEditor, icon: 'code' as const, run: () => void openInEditor(workspace, page) }] : []),
  ];
  const copies: MenuItem[] = [
    ...(isThere ? showing(workspace, page) : []),
    { label: writing.menu.copyLink, icon: 'link', run: () => void workspace.copy(linkTo(page)) },
    { label: writing.menu.copyPath, icon: 'page', run: () => void workspace.copy(page) },
  ];
  if (!isThere) return [...more, ...copies];
  const moves: MenuItem[] = [
    { label: writing.menu.rename, icon: 'edit', run: () => (workspace.dialog = { kind: 'rename', page }) },
    { label: writing.menu.move, icon: 'folder', run: () => (workspace.dialog = { kind: 'rename', page, isMove: true }) },
  ];
  return [
    ...(workspace.may('rename_page') ? moves : []),
    ...more,
    ...opens,
    ...copies,
    ...(workspace.may('delete_page') ? [{ label: writing.menu.delete, icon: 'trash' as const, run: () => (workspace.dialog = { kind: 'delete', page }) }] : []),
  ];
}

function showing(workspace: Workspace, path: string): MenuItem[] {
  return canShow(workspace) ? [{ label: writing.menu.showFile, icon: 'folder', run: () => void showFile(workspace, path) }] : [];
}

/** Actions on a row of the page list. */
export function rowItems(workspace: Workspace, { kind, path }: Subject): MenuItem[] {
  const folder = kind === 'folder' ? path : folderOf(path);
  const create: MenuItem[] = workspace.may('create_page') ? [{ label: writing.menu.newHere, icon: 'plus', run: () => (workspace.dialog = { kind: 'new', name: '', folder }) }] : [];
  const moves: MenuItem[] = [
    { label: writing.menu.rename, icon: 'edit', run: () => (workspace.dialog = { kind: 'folder', path }) },
    { label: writing.menu.move, icon: 'folder', run: () => (workspace.dialog = { kind: 'folder', path, isMove: true }) },
  ];
  if (kind === 'folder') {
    return [
      ...create,
      ...(workspace.may('move_files') ? moves : []),
      ...showing(workspace, path),
      { label: writing.menu.copyPath, icon: 'page', run: () => void workspace.copy(path) },
      ...(workspace.may('move_files') ? [{ label: writing.menu.delete, icon: 'trash' as const, run: () => (workspace.dialog = { kind: 'delete-folder', path }) }] : []),
    ];
  }
  return [...create, ...pageItems(workspace, path)];
}
