// Writes a suggested link, as the engine plans it: exactly that change, and only if the note is as the engine read it.
import { MarkdownView, type App, type TFile } from 'obsidian';
import type { AcceptOutput } from '#contract';
import type { VaultEngine } from './engine';
import { words } from './words/words';

/** The link to make: paths of pages, and the place that was suggested. */
export interface Proposal {
  source: string;
  target: string;
  line: number;
  text: string;
}

/** As the engine writes hashes of files. */
const hashOf = async (text: string): Promise<string> => {
  const sum = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `sha256:${Array.from(new Uint8Array(sum), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
};

/** Makes the link, and returns it as written. On error, the note is unchanged. */
export async function accept(app: App, engine: VaultEngine, proposal: Proposal): Promise<string> {
  const path = engine.pathOf(proposal.source);
  const file = app.vault.getFileByPath(path);
  if (!file) throw new Error(words.accepting.missing(path));
  await saveOpen(app, file);
  await engine.settle();
  const plan = await engine.call('accept', { ...proposal, dry_run: true });
  const before = await app.vault.read(file);
  const after = await planned(before, plan);
  // Obsidian gives the text as it is now: anything else than the text of the plan stays.
  await app.vault.process(file, (now) => {
    if (now !== before) throw new Error(words.accepting.changed);
    return after;
  });
  await engine.settle();
  return plan.link;
}

/** What is typed in an open editor is not in the file yet. */
async function saveOpen(app: App, file: TFile): Promise<void> {
  const views = app.workspace.getLeavesOfType('markdown').map(({ view }) => view);
  for (const view of views) if (view instanceof MarkdownView && view.file === file) await view.save();
}

/** The text after the plan. The hashes of the plan tell whether it is the right one. */
export async function planned(before: string, plan: Pick<AcceptOutput, 'place' | 'link' | 'content_hash' | 'changed'>): Promise<string> {
  const previous = plan.changed[0]?.previous_hash;
  if (previous && (await hashOf(before)) !== previous) throw new Error(words.accepting.changed);
  const { place } = plan;
  if (!place) throw new Error(words.accepting.elsewhere);
  let start = 0;
  for (let line = 1; line < place.line; line++) {
    start = before.indexOf('\n', start) + 1;
    if (start === 0) throw new Error(words.accepting.elsewhere);
  }
  const end = before.indexOf('\n', start);
  const isInLine = (at: number) => at >= 0 && (end < 0 || at < end);
  for (let at = before.indexOf(place.text, start); isInLine(at); at = before.indexOf(place.text, at + 1)) {
    const after = before.slice(0, at) + plan.link + before.slice(at + place.text.length);
    if ((await hashOf(after)) === plan.content_hash) return after;
  }
  throw new Error(words.accepting.elsewhere);
}
