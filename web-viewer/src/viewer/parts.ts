// The regions of the window, to move between them by keyboard.

const PARTS = ['#ubp_bar', '#ubp_side', '#ubp_tabs', '#ubp_head', '#ubp_desk', '#ubp_content', '#ubp_stage', '#ubp_rail', '#ubp_second', '#ubp_toasts', '#ubp_status'];
const REACHABLE = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [contenteditable="true"], [tabindex="0"]';

function isSeen(element: HTMLElement): boolean {
  return element.getClientRects().length > 0;
}

/** Focuses the next available region: `step` is 1 for the next and -1 for the previous one. */
export function focusNextPart(step: 1 | -1): void {
  const parts = PARTS.map((selector) => document.querySelector<HTMLElement>(selector)).filter((part) => part !== null && isSeen(part) && first(part) !== null) as HTMLElement[];
  if (parts.length === 0) return;
  const at = parts.findIndex((part) => part.contains(document.activeElement));
  const next = parts[at < 0 ? 0 : (at + step + parts.length) % parts.length];
  if (next) first(next)?.focus({ preventScroll: next.id === 'ubp_content' });
}

function first(part: HTMLElement): HTMLElement | null {
  if (part.matches('#ubp_content')) return part;
  const preferred = part.querySelector<HTMLElement>('[aria-current="page"][tabindex="0"], .cm-content');
  if (preferred && isSeen(preferred)) return preferred;
  return [...part.querySelectorAll<HTMLElement>(REACHABLE)].find((element) => element.tabIndex >= 0 && isSeen(element)) ?? null;
}
