// Draws the links of the graph: lines in the look of their type, with a head at the page that they lead to.
import { bounds, colour, isQuiet, radiusOf, type Frame, type Palette } from './frame';
import { lookOf } from './types';

/** Above this number, links are drawn without dashes, which are slow. */
const MOST_DASHED = 6000;
/** Above this number, links are thinner, and only those of the selected page have heads. */
const CROWDED = 1500;
/** Distance in pixels between links of the same two pages. */
const LANE = 7;

export function drawLinks(context: CanvasRenderingContext2D, frame: Frame, palette: Palette): void {
  const { scene, positions, camera, hidden, shown, chosen } = frame;
  const isDashed = scene.ends.length / 2 <= MOST_DASHED;
  const view = bounds(frame);
  const isCrowded = scene.ends.length / 2 > CROWDED;
  for (const { type, from, to } of scene.types) {
    if (hidden.has(type)) continue;
    const look = lookOf(type);
    context.strokeStyle = colour(palette, look.colour);
    context.lineWidth = ((isCrowded ? 0.7 : 1) * look.width) / Math.max(camera.scale, 0.35);
    context.setLineDash(isDashed ? look.dash.map((length) => length / camera.scale) : []);
    // Highlighted links, links from one ring to the next, and all others.
    const lines = { marked: new Path2D(), between: new Path2D(), others: new Path2D() };
    const heads = { marked: new Path2D(), between: new Path2D(), others: new Path2D() };
    const size = (isCrowded ? 5 : 6 + look.width) / Math.max(camera.scale, 0.35);
    for (let link = from; link < to; link++) {
      const [source, target] = [scene.ends[link * 2] as number, scene.ends[link * 2 + 1] as number];
      if (!shown[source] || !shown[target]) continue;
      const [x1, y1] = [positions[source * 2] as number, positions[source * 2 + 1] as number];
      const [x2, y2] = [positions[target * 2] as number, positions[target * 2 + 1] as number];
      if (Math.max(x1, x2) < view.left || Math.min(x1, x2) > view.right || Math.max(y1, y2) < view.top || Math.min(y1, y2) > view.bottom) continue;
      const isMarked = source === chosen || target === chosen || (chosen < 0 && scene.centre >= 0 && (source === scene.centre || target === scene.centre));
      const group = isMarked ? 'marked' : isQuiet(frame, source) || isQuiet(frame, target) ? 'others' : frame.groups?.quiet !== undefined || scene.nodes[source]?.depth !== scene.nodes[target]?.depth ? 'between' : 'others';
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
      const aside = ((scene.lanes[link] as number) * LANE) / Math.max(camera.scale, 0.35);
      const [sx, sy] = [-dy * aside, dx * aside];
      // The line ends at the edge of the page, behind the head.
      const reach = Math.max(0, length - radiusOf(frame, target) - 2 / camera.scale);
      const [tipX, tipY] = [x1 + sx + dx * reach, y1 + sy + dy * reach];
      lines[group].moveTo(x1 + sx, y1 + sy);
      lines[group].lineTo(tipX - dx * size * 0.6, tipY - dy * size * 0.6);
      if (isCrowded && !isMarked) continue;
      heads[group].moveTo(tipX, tipY);
      heads[group].lineTo(tipX - dx * size - dy * size * 0.45, tipY - dy * size + dx * size * 0.45);
      heads[group].lineTo(tipX - dx * size + dy * size * 0.45, tipY - dy * size - dx * size * 0.45);
      heads[group].closePath();
    }
    const strength = (type === 'references' ? 0.36 : 0.6) * (isCrowded ? 0.35 : 1);
    const faint = chosen >= 0 ? 0.08 : strength;
    const alphas = { others: scene.centre >= 0 || frame.groups?.quiet !== undefined ? Math.min(faint, strength * 0.45) : faint, between: faint, marked: 0.95 };
    context.fillStyle = context.strokeStyle;
    for (const group of ['others', 'between', 'marked'] as const) {
      context.globalAlpha = alphas[group];
      context.stroke(lines[group]);
      context.fill(heads[group]);
    }
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}
