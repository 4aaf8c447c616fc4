// Draws the graph on a canvas.
import type { Staleness } from '#contract';
import { bounds, colour, isQuiet, onScreen, radiusOf, type Camera, type Frame, type Palette } from './frame';
import { GROUP_COLOURS } from './groups';
import { drawLinks } from './links';
import { isWanted, type Scene } from './scene';
import { words } from '../words/words';

const COLOURS = ['--paper', '--ink', '--ink-soft', '--ink-faint', '--line', '--line-strong', '--accent', '--chosen', '--references', '--depends-on', '--implements', '--extends', '--conflicts-with', '--other-type', '--stale', '--doubtful', ...GROUP_COLOURS];

/** A canvas does not support custom properties, so an element resolves them. */
export function paletteOf(element: HTMLElement): Palette {
  const probe = document.createElement('span');
  element.append(probe);
  const palette = Object.fromEntries(
    COLOURS.map((name) => {
      probe.style.color = `var(${name})`;
      return [name, getComputedStyle(probe).color];
    }),
  );
  probe.remove();
  return palette;
}

const LABEL_CELL = { width: 118, height: 20 };
const LABEL_FONT = "500 12px Inter, 'Segoe UI', 'Hiragino Sans', 'Noto Sans', 'Noto Sans CJK JP', system-ui, sans-serif";

export function draw(context: CanvasRenderingContext2D, frame: Frame, palette: Palette): void {
  const { camera, width, height } = frame;
  const ratio = devicePixelRatio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.translate(width / 2, height / 2);
  context.scale(camera.scale, camera.scale);
  context.translate(-camera.x, -camera.y);
  drawRings(context, frame, palette);
  drawLinks(context, frame, palette);
  drawNodes(context, frame, palette);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawLabels(context, frame, palette);
}

function drawRings(context: CanvasRenderingContext2D, { scene, camera, shown }: Frame, palette: Palette): void {
  if (scene.centre < 0) return;
  const hops = Math.max(...scene.nodes.map(({ depth }, place) => (shown[place] ? (depth ?? 0) : 0)));
  context.strokeStyle = colour(palette, '--line-strong');
  context.fillStyle = colour(palette, '--ink-faint');
  context.lineWidth = 1 / camera.scale;
  context.font = `${11 / camera.scale}px Inter, system-ui, sans-serif`;
  context.textAlign = 'center';
  for (let hop = 1; hop <= hops; hop++) {
    context.beginPath();
    const radius = scene.rings[hop] ?? 0;
    context.arc(0, 0, radius, 0, Math.PI * 2);
    context.stroke();
    context.fillText(words.graph.hops(hop), 0, -radius - 16 / camera.scale);
  }
}

/** Colours of a ring around pages that may be wrong. */
const ALARMS: Partial<Record<Staleness, string>> = { stale: '--stale', possibly_stale: '--doubtful' };

function drawNodes(context: CanvasRenderingContext2D, frame: Frame, palette: Palette): void {
  const { scene, positions, camera, shown, chosen, near, groups } = frame;
  const view = bounds(frame);
  scene.nodes.forEach((node, place) => {
    const [x, y, radius] = [positions[place * 2] as number, positions[place * 2 + 1] as number, radiusOf(frame, place)];
    if (!shown[place] || x < view.left - radius || x > view.right + radius || y < view.top - radius || y > view.bottom + radius) return;
    const isFaded = chosen >= 0 && place !== chosen && !near.has(place);
    context.globalAlpha = isFaded ? 0.25 : isQuiet(frame, place) && place !== chosen ? 0.5 : 1;
    context.beginPath();
    context.arc(x, y, radius, 0, Math.PI * 2);
    const plain = place === scene.centre || place === chosen ? '--accent' : (node.depth ?? 1) > 1 ? '--ink-faint' : '--ink-soft';
    if (isWanted(scene, place)) {
      // Hollow: the page does not exist.
      context.fillStyle = colour(palette, '--paper');
      context.fill();
      context.lineWidth = 1.5 / camera.scale;
      context.setLineDash([3 / camera.scale, 2 / camera.scale]);
      context.strokeStyle = colour(palette, place === chosen ? '--accent' : '--ink-soft');
      context.stroke();
      context.setLineDash([]);
    } else {
      context.fillStyle = colour(palette, groups?.all[groups.of[place] as number]?.colour ?? plain);
      context.fill();
      context.lineWidth = 1.5 / camera.scale;
      context.strokeStyle = colour(palette, '--paper');
      context.stroke();
    }
    const alarm = ALARMS[node.staleness];
    if (alarm) {
      context.beginPath();
      context.arc(x, y, radius + 2.5 / camera.scale, 0, Math.PI * 2);
      context.lineWidth = 2.5 / camera.scale;
      context.strokeStyle = colour(palette, alarm);
      context.stroke();
    }
    if (place === chosen || (groups && place === scene.centre)) {
      context.beginPath();
      context.arc(x, y, radius + (alarm ? 6 : 4) / camera.scale, 0, Math.PI * 2);
      context.lineWidth = 2 / camera.scale;
      context.strokeStyle = colour(palette, '--accent');
      context.stroke();
    }
  });
  context.globalAlpha = 1;
}

/** Labels: as many as fit, the most linked pages first. */
function drawLabels(context: CanvasRenderingContext2D, frame: Frame, palette: Palette): void {
  const { scene, camera, width, height, shown, chosen, near } = frame;
  context.font = LABEL_FONT;
  context.textAlign = 'center';
  context.textBaseline = 'top';
  context.lineWidth = 4;
  context.lineJoin = 'round';
  const taken = new Set<string>();
  const order = labelOrder(scene, chosen);
  const isSet = frame.groups?.quiet !== undefined;
  for (const place of isSet ? [...order.filter((place) => !isQuiet(frame, place)), ...order.filter((place) => isQuiet(frame, place))] : order) {
    if (!shown[place] || (chosen >= 0 && place !== chosen && !near.has(place))) continue;
    const { x, y } = onScreen(frame, place);
    if (x < -60 || x > width + 60 || y < -20 || y > height + 20) continue;
    const top = y + radiusOf(frame, place) * camera.scale + 5;
    const title = shortened(scene.nodes[place]?.title ?? '', place === chosen ? 48 : 22);
    const cells = cellsOf(x, top);
    if (place !== chosen && cells.some((cell) => taken.has(cell))) continue;
    for (const cell of cells) taken.add(cell);
    context.strokeStyle = colour(palette, '--paper');
    context.strokeText(title, x, top);
    context.fillStyle = colour(palette, place === chosen || place === scene.centre || (isSet && !isQuiet(frame, place)) ? '--ink' : isSet ? '--ink-faint' : '--ink-soft');
    context.fillText(title, x, top);
  }
}

const orders = new WeakMap<Scene, number[]>();

function labelOrder(scene: Scene, chosen: number): number[] {
  let order = orders.get(scene);
  if (!order) {
    order = scene.nodes.map((_, place) => place).sort((a, b) => (a === scene.centre ? -1 : b === scene.centre ? 1 : (scene.nodes[b]?.link_count ?? 0) - (scene.nodes[a]?.link_count ?? 0)));
    orders.set(scene, order);
  }
  return chosen < 0 ? order : [chosen, ...order.filter((place) => place !== chosen)];
}

function cellsOf(x: number, y: number): string[] {
  const rows = [Math.floor(y / LABEL_CELL.height), Math.floor((y + 14) / LABEL_CELL.height)];
  const columns = [Math.floor((x - 50) / LABEL_CELL.width), Math.floor((x + 50) / LABEL_CELL.width)];
  return rows.flatMap((row) => columns.map((column) => `${column} ${row}`));
}

function shortened(title: string, most: number): string {
  const letters = [...title];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : title;
}

/** The page at a point of the canvas, with some tolerance; below 0 if there is none. */
export function nodeAt(frame: Frame, x: number, y: number): number {
  let best = -1;
  let nearest = Infinity;
  for (let place = 0; place < frame.scene.nodes.length; place++) {
    if (!frame.shown[place]) continue;
    const at = onScreen(frame, place);
    const distance = Math.hypot(at.x - x, at.y - y);
    const reach = radiusOf(frame, place) * frame.camera.scale + 6;
    if (distance < reach && distance < nearest) [best, nearest] = [place, distance];
  }
  return best;
}

/** The largest scale that shows all pages: few pages fill the canvas. */
const LARGEST = 2.4;

/** The camera that shows all pages. */
export function fitting(scene: Scene, positions: Float32Array, shown: Uint8Array, width: number, height: number): Camera {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let place = 0; place < scene.nodes.length; place++) {
    if (!shown[place]) continue;
    const [x, y] = [positions[place * 2] as number, positions[place * 2 + 1] as number];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  if (left > right) return { x: 0, y: 0, scale: 1 };
  const margin = 120;
  const scale = Math.min(LARGEST, (width - margin) / (right - left + 1), (height - margin) / (bottom - top + 1));
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.max(0.04, scale) };
}
