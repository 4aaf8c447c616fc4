// What the list of proposals says about each, and which ones its filters keep.
import type { ProposalFields, ProposedPage } from '#contract';
import { dateAndTime } from '../../words/format';
import { writing } from '../../words/writing';
import { folderOf } from '../../text/paths';

const KINDS = ['created', 'edited', 'moved', 'deleted', 'recorded'] as const;

/** What it does, in a line. Its page is named, also if pages that link to it are edited; of several pages, it is their number. */
export function summary(pages: readonly ProposedPage[], titleOf: (page: string) => string): string {
  const others = pages.filter(({ change }) => change !== 'edited');
  const named = pages.length === 1 ? pages[0] : others.length === 1 ? others[0] : undefined;
  const counts = KINDS.flatMap((kind) => {
    const count = pages.filter((page) => page.change === kind && page !== named).length;
    return count > 0 ? [writing.proposals.doesMany[kind](count)] : [];
  });
  const text = [...(named ? [does(named, titleOf)] : []), ...counts].join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function does({ change, filepath, moved_from }: ProposedPage, titleOf: (page: string) => string): string {
  if (change === 'moved') return writing.proposals.doesMove(titleOf(moved_from ?? filepath), filepath);
  return writing.proposals.does[change](change === 'recorded' ? filepath : titleOf(filepath));
}

/** The name of an agent without the version of its program, which follows the last space. */
export function agentName(agent: string | null): string {
  return agent?.replace(/ [^ ]*$/, '') ?? '';
}

/** Who proposed it when, and why. */
export function aboutOf({ agent, created_at, reason }: Pick<ProposalFields, 'agent' | 'created_at' | 'reason'>): string {
  return [agentName(agent) || writing.proposals.someAgent, dateAndTime(created_at), reason].filter(Boolean).join(' · ');
}

/** The names of all agents, sorted. */
export function agentsOf(proposals: readonly ProposalFields[]): string[] {
  return [...new Set(proposals.map(({ agent }) => agentName(agent)))].sort();
}

/** Its path, and the one that it is moved from. */
export const pathsOf = ({ filepath, moved_from }: ProposedPage) => [filepath, ...(moved_from === null ? [] : [moved_from])];

/** The folders below which proposals change pages, with those above them, sorted. */
export function foldersOf(proposals: readonly ProposalFields[]): string[] {
  const found = new Set<string>();
  for (const { pages } of proposals) {
    for (const path of pages.filter(({ change }) => change !== 'recorded').flatMap(pathsOf)) {
      for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) found.add(folder);
    }
  }
  return [...found].sort();
}

export interface Filters {
  /** The name of the agent; null for all. */
  agent: string | null;
  folder: string;
  /** Only those that remove no line and no page. */
  onlyAdditions: boolean;
}

/** Like the thresholds of `accept_proposal`: below a folder are those that change nothing else. */
export function filtered(proposals: readonly ProposalFields[], { agent, folder, onlyAdditions }: Filters): ProposalFields[] {
  return proposals.filter(
    (proposal) =>
      (agent === null || agentName(proposal.agent) === agent) &&
      (folder === '' || proposal.pages.every((page) => page.change !== 'recorded' && pathsOf(page).every((path) => path.startsWith(`${folder}/`)))) &&
      (!onlyAdditions || proposal.only_adds),
  );
}
