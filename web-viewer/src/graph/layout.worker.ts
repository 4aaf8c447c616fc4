// Computes the positions of pages, in a worker: the page stays responsive however large the graph is.
import { forceCollide, forceLink, forceManyBody, forceRadial, forceSimulation, forceX, forceY, type SimulationNodeDatum } from 'd3-force';
import type { LayoutTask } from './layout';

interface Body extends SimulationNodeDatum {
  radius: number;
  depth: number | null;
}

/** How often positions are sent. */
const TELL_MS = 40;

const worker = globalThis as unknown as {
  postMessage(positions: Float32Array, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent<LayoutTask>) => void) | null;
};

worker.onmessage = ({ data: { radii, rings, depths, ends } }) => {
  const isLocal = rings.length > 0;
  const bodies: Body[] = Array.from(radii, (radius, place) => ({ radius, depth: depths[place] ?? null }));
  const links = Array.from({ length: ends.length / 2 }, (_, link) => ({ source: ends[link * 2] as number, target: ends[link * 2 + 1] as number }));
  const simulation = forceSimulation(bodies)
    .force('collide', forceCollide<Body>(({ radius }) => radius + (isLocal ? 7 : 2)))
    .stop();
  if (isLocal) {
    // Rings show the distance; links and repulsion order the pages on a ring.
    simulation
      .force('ring', forceRadial<Body>(({ depth }) => rings[depth ?? 0] ?? 0, 0, 0).strength(0.95))
      .force('link', forceLink(links).distance(rings[1] ?? 1).strength(0.02))
      .force('apart', forceManyBody().strength(-260));
    for (const body of bodies) if (body.depth === 0) Object.assign(body, { fx: 0, fy: 0 });
  } else {
    simulation
      .force('link', forceLink(links).distance(46))
      .force('apart', forceManyBody().strength(bodies.length > 1000 ? -42 : -90).theta(0.95).distanceMax(900))
      .force('x', forceX().strength(0.045))
      .force('y', forceY().strength(0.045));
  }
  simulation.alphaDecay(bodies.length > 1000 ? 0.04 : 0.028);
  let told = 0;
  for (;;) {
    simulation.tick();
    const isDone = simulation.alpha() < simulation.alphaMin();
    if (!isDone && performance.now() - told < TELL_MS) continue;
    told = performance.now();
    const positions = new Float32Array(bodies.length * 2);
    bodies.forEach(({ x = 0, y = 0 }, place) => positions.set([x, y], place * 2));
    worker.postMessage(positions, [positions.buffer]);
    if (isDone) break;
  }
};
