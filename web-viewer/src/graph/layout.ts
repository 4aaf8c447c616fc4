// Runs the layout in a worker. A new request cancels the previous one.
import type { Scene } from './scene';


export interface LayoutTask {
  radii: Float32Array;
  /** Radius of the ring for each distance; empty without a centre. */
  rings: number[];
  /** Hops from the centre; -1 if there are none. */
  depths: Int8Array;
  ends: Uint32Array;
}

export function layOut(scene: Scene, onPositions: (positions: Float32Array) => void): () => void {
  const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module', name: 'graph' });
  worker.addEventListener('message', ({ data }: MessageEvent<Float32Array>) => onPositions(data));
  const depths = Int8Array.from(scene.nodes, ({ depth }) => depth ?? -1);
  worker.postMessage({ radii: scene.radii, rings: scene.rings, depths, ends: scene.ends } satisfies LayoutTask);
  return () => worker.terminate();
}
