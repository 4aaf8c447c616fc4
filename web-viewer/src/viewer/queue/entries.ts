// The list of what waits for a person: proposals from their own list, everything else from the queue of the engine.
import type { Item, Kind, ProposalFields } from '#contract';

export type Entry = { kind: 'proposal'; key: string; proposal: ProposalFields } | { kind: Exclude<Kind, 'proposal'>; key: string; item: Item };

const PROPOSAL = 'proposal|';

/** Names an item in addresses. Items have no ids, but no two of them are about the same. */
export function keyOf({ kind, source, target, accept }: Item): string {
  return [kind, source, target ?? '', typeOf({ accept })].join('|');
}

export const keyOfProposal = (proposal: string): string => `${PROPOSAL}${proposal}`;

/** The id of the proposal that the key names; null for another item. */
export const proposalOf = (key: string | null): string | null => (key?.startsWith(PROPOSAL) ? key.slice(PROPOSAL.length) : null);

/** The type of link that would be written; empty for a link in the text. */
export function typeOf({ accept }: Pick<Item, 'accept'>): string {
  const type = accept?.params['type'];
  return typeof type === 'string' ? type : '';
}

/** The file of a link to code. */
export const fileOf = ({ target }: Pick<Item, 'target'>): string => (target ?? '').replace(/#.*$/s, '');

/** What is said about it, without what its title says. */
export function sentenceOf(item: Item): string {
  const type = typeOf(item);
  return type !== '' && item.summary.startsWith(`${type}: `) ? item.summary.slice(type.length + 2) : item.summary;
}

/** `only`: of this kind. Others ask for an answer, so they come before suggestions, which come most certain first. */
export function entriesOf(proposals: readonly ProposalFields[], items: readonly Item[], only: Kind | null): Entry[] {
  const all: Entry[] = proposals.map((proposal) => ({ kind: 'proposal', key: keyOfProposal(proposal.proposal), proposal }));
  for (const item of items) if (item.kind !== 'proposal') all.push({ kind: item.kind, key: keyOf(item), item });
  return only === null ? all : all.filter(({ kind }) => kind === only);
}
