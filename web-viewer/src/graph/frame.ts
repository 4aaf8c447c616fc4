// One picture of the graph: what is drawn, from where it is seen, and where its parts are.
import type { Groups } from './groups';
import type { Scene } from './scene';

/** The position at the centre of the canvas, and the zoom. */
export interface Camera {
  x: number;
  y: number;
  scale: number;
}

export interface Frame {
  scene: Scene;
  positions: Float32Array;
  camera: Camera;
  /** In CSS pixels. */
  width: number;
  height: number;
  hidden: ReadonlySet<string>;
  /** The groups that give pages their colours, if any. */
  groups: Groups | null;
  shown: Uint8Array;
  /** The page that is hovered or selected, and its neighbours. */
  chosen: number;
  near: ReadonlySet<number>;
}

/** The current colours of the theme. */
export type Palette = Record<string, string>;

export const colour = (palette: Palette, name: string) => palette[name] ?? '#888';

/** Whether the page is in the group that stays in the background. */
export const isQuiet = ({ groups }: Pick<Frame, 'groups'>, place: number): boolean => groups?.quiet !== undefined && groups.of[place] === groups.quiet;

/** The radius of a page in the drawing. */
export function radiusOf({ scene, camera }: Pick<Frame, 'scene' | 'camera'>, place: number): number {
  return (scene.radii[place] as number) / Math.sqrt(Math.max(camera.scale, 0.2));
}

export function onScreen({ positions, camera, width, height }: Pick<Frame, 'positions' | 'camera' | 'width' | 'height'>, place: number): { x: number; y: number } {
  return {
    x: ((positions[place * 2] as number) - camera.x) * camera.scale + width / 2,
    y: ((positions[place * 2 + 1] as number) - camera.y) * camera.scale + height / 2,
  };
}

export function bounds({ camera, width, height }: Frame): { left: number; right: number; top: number; bottom: number } {
  const [x, y] = [width / 2 / camera.scale, height / 2 / camera.scale];
  return { left: camera.x - x, right: camera.x + x, top: camera.y - y, bottom: camera.y + y };
}
