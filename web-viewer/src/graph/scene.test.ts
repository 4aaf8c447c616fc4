import { describe, expect, it } from 'vitest';
import type { GetGraphOutput } from '#contract';
import { isWanted, neighbours, sceneOf, shownNodes } from './scene';

const node = (id: string, depth: number | null) => ({ id, filepath: `${id}.md`, title: id, link_count: 1, depth });

const graph = {
  nodes: [node('a', 0), node('b', 1), node('c', 1), node('d', 2)],
  edges: [
    { source: 'a', target: 'b', type: 'references' },
    { source: 'c', target: 'a', type: 'depends_on' },
    { source: 'b', target: 'd', type: 'references' },
    { source: 'b', target: 'elsewhere', type: 'references' },
  ],
  wanted: [],
} as unknown as GetGraphOutput;

describe('the scene of a graph', () => {
  const scene = sceneOf(graph, 'a.md');

  it('sorts links by type and ignores links to missing pages', () => {
    expect(scene.types).toEqual([
      { type: 'depends_on', from: 0, to: 1 },
      { type: 'references', from: 1, to: 3 },
    ]);
    expect([...scene.ends]).toEqual([2, 0, 0, 1, 1, 3]);
    expect(scene.centre).toBe(0);
  });

  it('puts wanted pages behind all others, with their links', () => {
    const wanted = [{ id: 'wanted:plan', target: 'Plan', link_count: 2, depth: 1 }];
    const edges = [...graph.edges, { source: 'a', target: 'wanted:plan', type: 'depends_on' }];
    const scene = sceneOf({ ...graph, edges, wanted }, 'a.md');
    expect(scene.nodes.map(({ title }, place) => (isWanted(scene, place) ? `${title}?` : title))).toEqual(['a', 'b', 'c', 'd', 'Plan?']);
    expect([...neighbours(scene, 4, new Set())]).toEqual([0]);
    expect([...neighbours(scene, 4, new Set(['depends_on']))]).toEqual([]);
  });

  it('puts links between the same pages beside each other, whatever their direction', () => {
    const edges = [
      { source: 'a', target: 'b', type: 'depends_on' },
      { source: 'b', target: 'a', type: 'references' },
      { source: 'a', target: 'c', type: 'references' },
    ];
    const { lanes } = sceneOf({ ...graph, edges } as unknown as GetGraphOutput, 'a.md');
    // Sorted by type; seen from the other end, the other side is the same one.
    expect([...lanes]).toEqual([-0.5, -0.5, 0]);
  });

  it('has a larger ring for each distance, with room for its pages', () => {
    expect(scene.rings).toHaveLength(3);
    expect(scene.rings[0]).toBe(0);
    expect(scene.rings[2]).toBeGreaterThan(scene.rings[1] as number);
    const crowd = sceneOf({ ...graph, nodes: [node('a', 0), ...Array.from({ length: 400 }, (_, at) => node(`n${at}`, 1))], edges: [] } as unknown as GetGraphOutput, 'a.md');
    expect((crowd.rings[1] as number) * 2 * Math.PI).toBeGreaterThan(400 * 20);
    expect(sceneOf(graph, null).rings).toEqual([]);
  });

  it('hides pages of a neighbourhood that only hidden links reach', () => {
    expect([...shownNodes(scene, new Set())]).toEqual([1, 1, 1, 1]);
    expect([...shownNodes(scene, new Set(['depends_on']))]).toEqual([1, 1, 0, 1]);
    expect([...shownNodes(sceneOf(graph, null), new Set(['depends_on', 'references']))]).toEqual([1, 1, 1, 1]);
  });

  it('finds the neighbours of a page through visible links', () => {
    expect([...neighbours(scene, 0, new Set())].sort()).toEqual([1, 2]);
    expect([...neighbours(scene, 0, new Set(['depends_on']))]).toEqual([1]);
  });
});
