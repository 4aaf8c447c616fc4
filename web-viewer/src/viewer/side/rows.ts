// The pointer and the keyboard on rows of the page list: their menus, and moving them by dragging. One listener serves all
// rows, because the list has only those that are visible.
import type { Attachment } from 'svelte/attachments';
import { folderOf } from '../../text/paths';
import type { Subject } from '../menu/items';
import { below, type MenuPlace } from '../menu/Menu.svelte';
import { linkTo } from '../workspace.svelte';

export interface RowDoings {
  openMenu(subject: Subject, at: MenuPlace): void;
  rename(subject: Subject): void;
  remove(subject: Subject): void;
  /** Whether rows are below their folders, and this one can be moved. */
  isMovable(subject: Subject): boolean;
  move(subject: Subject, folder: string): void;
}

/** Identifies a row that is being dragged; other windows cannot drop here. */
const DRAGGED = 'application/x-ubp-row';

export function subjectOf(target: EventTarget | null): Subject | null {
  const row = target instanceof Element ? target.closest('.row') : null;
  const named = row?.querySelector<HTMLElement>('[data-page], [data-folder]');
  if (!named) return null;
  const { page, folder } = named.dataset;
  return page === undefined ? { kind: 'folder', path: folder ?? '' } : { kind: 'page', path: page };
}

/** The folder that a drop on `target` means; null outside of the list. */
function folderAt(target: EventTarget | null): string | null {
  const subject = subjectOf(target);
  if (subject) return subject.kind === 'folder' ? subject.path : folderOf(subject.path);
  return target instanceof Element && target.closest('.viewport') ? '' : null;
}

/** Whether moving into `folder` changes anything and is possible. */
export function canMove({ kind, path }: Subject, folder: string): boolean {
  if (folderOf(path) === folder) return false;
  return kind === 'page' || !`${folder}/`.startsWith(`${path}/`);
}

export function rowDoings(doings: RowDoings): Attachment<HTMLElement> {
  return (list) => {
    const stop = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(name: K, hear: (event: HTMLElementEventMap[K]) => void) => list.addEventListener(name, hear, { signal: stop.signal });
    let pressed: Subject | null = null;
    let dragged: Subject | null = null;

    /** Marks the rows that a drop would move to. */
    function mark(folder: string | null): void {
      for (const row of list.querySelectorAll('[data-drop]')) row.removeAttribute('data-drop');
      if (folder === null) return;
      const row = folder && list.querySelector(`[data-folder="${CSS.escape(folder)}"]`)?.closest('.row');
      (row || list.querySelector('.viewport'))?.setAttribute('data-drop', '');
    }

    on('click', (event) => {
      const button = (event.target as Element).closest('[data-more]');
      const subject = button && subjectOf(button);
      if (subject) doings.openMenu(subject, below(button));
    });
    on('contextmenu', (event) => {
      const subject = subjectOf(event.target);
      if (!subject) return;
      event.preventDefault();
      doings.openMenu(subject, { x: event.clientX, y: event.clientY });
    });
    on('keydown', (event) => {
      const row = (event.target as Element).closest('[data-row], .row > a');
      const subject = row && subjectOf(row);
      if (!subject || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
        const { left, bottom } = row.getBoundingClientRect();
        doings.openMenu(subject, { x: left + 24, y: bottom });
      } else if (event.key === 'Delete') doings.remove(subject);
      else if (event.key === 'F2' && !event.shiftKey) doings.rename(subject);
      else return;
      event.preventDefault();
    });

    on('pointerdown', (event) => {
      pressed = subjectOf(event.target);
    });
    on('dragstart', (event) => {
      dragged = subjectOf(event.target);
      // The list can change below a pressed button; the browser then drags the row that is there now.
      if (dragged?.path !== pressed?.path) {
        dragged = null;
        event.preventDefault();
      }
      if (!dragged || !event.dataTransfer) return;
      event.dataTransfer.clearData();
      event.dataTransfer.setData(DRAGGED, dragged.path);
      // In a text, the page becomes a link.
      if (dragged.kind === 'page') event.dataTransfer.setData('text/plain', linkTo(dragged.path));
      event.dataTransfer.effectAllowed = 'copyMove';
    });
    on('dragover', (event) => {
      const folder = dragged && doings.isMovable(dragged) ? folderAt(event.target) : null;
      const isGood = dragged !== null && folder !== null && canMove(dragged, folder);
      mark(isGood ? folder : null);
      if (!isGood) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'move';
    });
    on('dragleave', (event) => {
      if (!(event.relatedTarget instanceof Node) || !list.contains(event.relatedTarget)) mark(null);
    });
    on('drop', (event) => {
      const folder = folderAt(event.target);
      if (!dragged || folder === null || !doings.isMovable(dragged) || !canMove(dragged, folder)) return;
      event.preventDefault();
      doings.move(dragged, folder);
    });
    on('dragend', () => {
      dragged = null;
      mark(null);
    });
    return () => stop.abort();
  };
}
