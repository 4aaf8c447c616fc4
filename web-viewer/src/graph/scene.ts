// The pages and links of the graph as arrays of numbers, so that three thousand pages are drawn in a few milliseconds.
import type { GetGraphOutput, GraphNode } from '#contract';

export interface Scene {
  /** Wanted pages, which do not exist, come last. */
  nodes: GraphNode[];
  /** Number of pages that exist. */
  existing: number;
  /** Source and target of each link as indexes into `nodes`, sorted by type. */
  ends: Uint32Array;
  /** How far each link is shifted sideways, in steps: not 0 if several links connect the same two pages. */
  lanes: Float32Array;
  /** Types with their range of links: `[from, to)` in pairs of `ends`. */
  types: { type: string; from: number; to: number }[];
  /** Index of the page at the centre; below 0 if there is none. */
  centre: number;
  radii: Float32Array;
  /** Radius of the ring for each distance from the centre; empty without a centre. */
  rings: number[];
}

/** Minimum distance between rings, and the space for a page on its ring. */
const RING = 150;
const ROOM = 30;

function ringsOf(nodes: readonly GraphNode[]): number[] {
  const counts: number[] = [];
  for (const { depth } of nodes) counts[depth ?? 0] = (counts[depth ?? 0] ?? 0) + 1;
  const rings: number[] = [];
  for (let hop = 0; hop < counts.length; hop++) rings.push(hop === 0 ? 0 : Math.max((rings[hop - 1] ?? 0) + RING, ((counts[hop] ?? 0) * ROOM) / (2 * Math.PI)));
  return rings;
}

/** Lanes around the middle for links between the same pages. */
function lanesOf(ends: Uint32Array, pages: number): Float32Array {
  const pairs = new Map<number, number[]>();
  for (let link = 0; link < ends.length / 2; link++) {
    const [source, target] = [ends[link * 2] as number, ends[link * 2 + 1] as number];
    const pair = Math.min(source, target) * pages + Math.max(source, target);
    const links = pairs.get(pair);
    if (links) links.push(link);
    else pairs.set(pair, [link]);
  }
  const lanes = new Float32Array(ends.length / 2);
  for (const links of pairs.values()) {
    links.forEach((link, at) => {
      const lane = at - (links.length - 1) / 2;
      // The side does not depend on the direction.
      lanes[link] = (ends[link * 2] as number) < (ends[link * 2 + 1] as number) ? lane : -lane;
    });
  }
  return lanes;
}

/** Whether it is a wanted page. */
export const isWanted = ({ existing }: Scene, place: number): boolean => place >= existing;

export function sceneOf({ nodes: pages, edges, wanted }: GetGraphOutput, centre: string | null): Scene {
  const missing = wanted.map(({ id, target, link_count, depth }): GraphNode => ({ id, filepath: '', title: target, doc_type: '', staleness: 'untracked', link_count, depth }));
  const nodes = [...pages, ...missing];
  const places = new Map(nodes.map((node, place) => [node.id, place]));
  const sorted = edges.filter((edge) => places.has(edge.source) && places.has(edge.target)).sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
  const ends = new Uint32Array(sorted.length * 2);
  const types: Scene['types'] = [];
  sorted.forEach((edge, at) => {
    ends[at * 2] = places.get(edge.source) as number;
    ends[at * 2 + 1] = places.get(edge.target) as number;
    const last = types.at(-1);
    if (last?.type === edge.type) last.to = at + 1;
    else types.push({ type: edge.type, from: at, to: at + 1 });
  });
  const middle = centre === null ? -1 : nodes.findIndex(({ filepath }) => filepath === centre);
  const radii = Float32Array.from(nodes, ({ link_count }, place) => 3 + Math.min(9, Math.sqrt(link_count)) + (place === middle ? 3 : 0));
  return { nodes, existing: pages.length, ends, lanes: lanesOf(ends, nodes.length), types, centre: middle, radii, rings: middle < 0 ? [] : ringsOf(nodes) };
}

/**
 * Pages that links of the visible types reach: in the full graph all pages; in a neighbourhood the centre and all pages with
 * a link.
 */
export function shownNodes(scene: Scene, hidden: ReadonlySet<string>): Uint8Array {
  const shown = new Uint8Array(scene.nodes.length);
  if (scene.centre < 0 || hidden.size === 0) return shown.fill(1);
  shown[scene.centre] = 1;
  for (const { type, from, to } of scene.types) {
    if (!hidden.has(type)) for (let end = from * 2; end < to * 2; end++) shown[scene.ends[end] as number] = 1;
  }
  return shown;
}

/** The neighbours of a page through visible links. */
export function neighbours(scene: Scene, place: number, hidden: ReadonlySet<string>): Set<number> {
  const found = new Set<number>();
  for (const { type, from, to } of scene.types) {
    if (hidden.has(type)) continue;
    for (let link = from; link < to; link++) {
      const [source, target] = [scene.ends[link * 2] as number, scene.ends[link * 2 + 1] as number];
      if (source === place) found.add(target);
      else if (target === place) found.add(source);
    }
  }
  return found;
}
