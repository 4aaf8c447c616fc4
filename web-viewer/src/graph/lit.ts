// Pages that the graph lights up: those that answers to an agent had, and those that they left out.
import type { GraphNode, OmittedPart, Part } from '#contract';
import { words } from '../words/words';
import { GROUP_COLOURS, REST, type Group, type Groups } from './groups';

export interface LitPages {
  given: ReadonlySet<string>;
  /** Only named or linked. */
  named: ReadonlySet<string>;
  omitted: ReadonlySet<string>;
}

export interface Lit {
  /** What had them, such as an answer. */
  label: string;
  /** Null until they are known. */
  pages: LitPages | null;
  problem: { message: string; hint: string | null } | null;
}

/** The pages of answers. A page of which any answer had text is given. */
export function litOf(answers: readonly { given: readonly Part[]; omitted: readonly OmittedPart[] }[]): LitPages {
  const [given, named, omitted] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const answer of answers) {
    for (const { filepath, kind } of answer.given) (kind === 'text' ? given : named).add(filepath);
    for (const { filepath, cut } of answer.omitted) if (!cut) omitted.add(filepath);
  }
  return { given, named, omitted };
}

export function litGroups(nodes: readonly GraphNode[], { given, named, omitted }: LitPages): Groups {
  const places = nodes.map(({ filepath }) => (given.has(filepath) ? 0 : named.has(filepath) ? 1 : omitted.has(filepath) ? 2 : 3));
  const names = [words.graph.lit.given, words.graph.lit.named, words.graph.lit.omitted, words.graph.lit.others];
  const colours = [GROUP_COLOURS[0], GROUP_COLOURS[2], GROUP_COLOURS[1], REST];
  const all = names.map((name, at): Group => ({ name, colour: colours[at] ?? REST, count: places.filter((place) => place === at).length }));
  return { all, of: Uint8Array.from(places), quiet: 3 };
}

/** The number of lit pages that are not drawn: too few links, too far away, deleted, or not a page of the project. */
export function notDrawn(nodes: readonly GraphNode[], { given, named, omitted }: LitPages): number {
  const left = new Set([...given, ...named, ...omitted]);
  for (const { filepath } of nodes) left.delete(filepath);
  return left.size;
}
