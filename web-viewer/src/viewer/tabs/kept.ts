// Tabs as they are stored for a reload, and as lists: what happens to them does not depend on the window.
import type { Place, View } from '../../routing/urls';
import type { Face } from '../../state/settings.svelte';

export interface Tab {
  id: string;
  /** The page, and what is shown for it. */
  page: string;
  view: View;
  /** The lines of a file, or a heading to go to when the page is first shown. */
  anchor: string;
  /** Where the article is scrolled to, in pixels. */
  y: number;
  /** How the page was shown when the tab was left. */
  face: Face | null;
}

export interface Kept {
  tabs: readonly Tab[];
  /** Id of the current tab. */
  current: string;
  /** Closed tabs, the latest last, with their places in the list. */
  closed: readonly { tab: Tab; at: number }[];
}

const KINDS: readonly View['kind'][] = ['page', 'graph', 'review', 'problems', 'queue', 'proposals', 'sessions', 'file'];

function isTab(value: unknown): value is Tab {
  if (typeof value !== 'object' || value === null) return false;
  const { id, page, view, anchor, y, face } = value as Record<string, unknown>;
  const kind = (view as { kind?: unknown } | null)?.kind;
  const isFace = face === null || face === 'edit' || face === 'read';
  return typeof id === 'string' && id !== '' && typeof page === 'string' && KINDS.some((known) => known === kind) && typeof anchor === 'string' && typeof y === 'number' && isFace;
}

/** What was stored; null if it is not a list of tabs. */
export function readKept(text: string | null): Kept | null {
  try {
    const { tabs, current, closed } = JSON.parse(text ?? 'null') as Record<string, unknown>;
    if (!Array.isArray(tabs) || !tabs.every(isTab) || !tabs.some(({ id }) => id === current)) return null;
    if (new Set(tabs.map(({ id }) => id)).size < tabs.length) return null;
    const isClosed = (value: unknown): value is Kept['closed'][number] => isTab((value as { tab?: unknown } | null)?.tab) && Number.isInteger((value as { at?: unknown }).at);
    return { tabs, current: current as string, closed: Array.isArray(closed) ? closed.filter(isClosed) : [] };
  } catch {
    return null;
  }
}

export function at(tab: Tab, { page, view, anchor }: Place): Tab {
  return { ...tab, page: page ?? tab.page, view, anchor: view.kind === 'file' ? anchor : '' };
}

/** The tab that is shown after `id` is closed: the one that takes its place, or else the last one. */
export function neighbour(tabs: readonly Tab[], id: string): Tab | null {
  const place = tabs.findIndex((tab) => tab.id === id);
  return tabs[place + 1] ?? tabs[place - 1] ?? null;
}

/** Moves a tab so that it has this place in the list. */
export function reordered(tabs: readonly Tab[], id: string, place: number): readonly Tab[] {
  const moved = tabs.find((tab) => tab.id === id);
  return moved ? tabs.filter((tab) => tab !== moved).toSpliced(Math.max(0, place), 0, moved) : tabs;
}
