// The style of each link type in the graph: a colour and a line, as in the text (links.css).
import { words } from '../words/words';

export interface Look {
  /** Custom property with its colour. */
  colour: string;
  /** Lengths of dashes and gaps; empty for a solid line. */
  dash: number[];
  width: number;
}

const LOOKS: Record<string, Look> = {
  references: { colour: '--references', dash: [], width: 1 },
  depends_on: { colour: '--depends-on', dash: [], width: 2.4 },
  implements: { colour: '--implements', dash: [10, 3], width: 1.6 },
  extends: { colour: '--extends', dash: [5, 4], width: 1.6 },
  conflicts_with: { colour: '--conflicts-with', dash: [2, 3, 6, 3], width: 1.8 },
};

const OTHER: Look = { colour: '--other-type', dash: [1.5, 3.5], width: 1.8 };

export function lookOf(type: string): Look {
  return LOOKS[type] ?? OTHER;
}

export function nameOf(type: string): string {
  return words.graph.linkTypes[type] ?? type.replaceAll('_', ' ');
}
