// How a typed link is shown: Obsidian takes everything after the pipe for the displayed text.
import type { ResolvedLink } from '#contract';

export const PLAIN = 'references';

/** The name of the page, as Obsidian shows a link without displayed text. */
export const nameOf = (target: string): string => target.replace(/#\^?/g, ' > ').replace(/^ > /, '');

/** The text to show, and the type to show with it; null if the link is shown as Obsidian does. `label` is what follows the pipe. */
export function shownLink(link: ResolvedLink, label: string): { text: string; type: string | null } | null {
  const isPlain = link.link_type === PLAIN;
  // All of the label is text.
  if (isPlain && (link.text === null ? label !== PLAIN : link.text === label)) return null;
  return { text: link.text ?? nameOf(link.target), type: isPlain ? null : link.link_type };
}

export function typeBadge(document: Document, type: string): HTMLElement {
  const badge = document.createElement('span');
  badge.className = 'ubp-type';
  badge.dataset.ubpType = type;
  badge.textContent = type;
  return badge;
}
