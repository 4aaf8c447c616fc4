// Keys of a view, which act without modifiers while nothing is typed.
import { layout } from '../state/layout.svelte';

/** An action that returns false leaves the key to the browser, such as for scrolling. */
export type KeysOfView = Record<string, (event: KeyboardEvent) => boolean | void>;

/** Fields in which letters are typed. */
const TYPED = 'input:not([type=checkbox]), select, textarea, [contenteditable], [role=menu]';

/** Runs the action of the key. While `isAsked`, a dialog is open. */
export function actOn(event: KeyboardEvent, keys: KeysOfView, view: HTMLElement | undefined, isAsked: boolean): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (layout.layer !== null || isAsked || (event.target instanceof Element && event.target.closest(TYPED))) return;
  // Letters mean something else in the page list.
  if (document.activeElement !== document.body && !view?.contains(document.activeElement)) return;
  const act = keys[event.key];
  if (act && act(event) !== false) event.preventDefault();
}
