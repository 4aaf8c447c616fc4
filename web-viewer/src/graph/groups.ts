// Pages of the graph in colours, by their type or folder: which groups there are, and which colour each has.
import type { GraphNode } from '#contract';
import type { GraphColours } from '../state/settings.svelte';
import { words } from '../words/words';

export interface Group {
  name: string;
  /** Custom property with its colour. */
  colour: string;
  count: number;
}

export interface Groups {
  /** The largest first. */
  all: Group[];
  /** The group of each page, as an index into `all`. */
  of: Uint8Array;
  /** A group that stays in the background. */
  quiet?: number;
}

/** Groups with their own colour; more would look alike. All others share one. */
const MOST = 7;
export const REST = '--ink-faint';

/** All colours of groups, as custom properties. */
export const GROUP_COLOURS = Array.from({ length: MOST }, (_, at) => `--group-${at + 1}`);

/** The first folder of a path. */
function folderOf(filepath: string): string {
  const end = filepath.indexOf('/');
  return end < 0 ? words.graph.topFolder : filepath.slice(0, end);
}

export function groupsOf(nodes: readonly GraphNode[], by: GraphColours): Groups | null {
  if (by === 'none') return null;
  const names = nodes.map((node) => (by === 'type' ? node.doc_type : folderOf(node.filepath)));
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  // A last group alone needs no other name.
  const own = sorted.length <= MOST + 1 ? sorted.length : MOST;
  const all = sorted.slice(0, own).map(([name, count], at): Group => ({ name, count, colour: GROUP_COLOURS[at] ?? REST }));
  const rest = sorted.slice(own).reduce((sum, [, count]) => sum + count, 0);
  if (rest > 0) all.push({ name: words.graph.other, count: rest, colour: REST });
  const places = new Map(sorted.map(([name], at) => [name, Math.min(at, all.length - 1)]));
  return { all, of: Uint8Array.from(names, (name) => places.get(name) ?? 0) };
}
