// The links to the open note, by type, each with the line that it is in.
import type { TFile, WorkspaceLeaf } from 'obsidian';
import type { LinkInfo } from '#contract';
import type { VaultEngine } from '../engine';
import type { FreshnessOfNotes } from '../freshness';
import { PLAIN, typeBadge } from '../links/shown';
import { words } from '../words/words';
import { NoteView, message } from './note-view';

export const BACKLINKS = 'unified-blueprint-backlinks';

export class BacklinksView extends NoteView {
  override icon = 'links-coming-in';
  readonly #freshness: FreshnessOfNotes;

  constructor(leaf: WorkspaceLeaf, engine: VaultEngine, freshness: FreshnessOfNotes) {
    super(leaf, engine);
    this.#freshness = freshness;
  }

  override getViewType(): string {
    return BACKLINKS;
  }

  override getDisplayText(): string {
    return words.views.backlinks;
  }

  protected override async fill(into: HTMLElement, file: TFile, page: string): Promise<void> {
    const { backlinks } = await this.engine.call('get_page', { filepath: page, answers: false });
    this.#freshness.show(into.createDiv({ cls: 'ubp-freshness-of-note' }), file);
    if (backlinks.length === 0) message(into, words.views.noBacklinks);
    const types = new Map<string, LinkInfo[]>();
    for (const link of backlinks) types.set(link.link_type, [...(types.get(link.link_type) ?? []), link]);
    // Links without a type say least.
    const ordered = [...types].sort(([a], [b]) => Number(a === PLAIN) - Number(b === PLAIN));
    for (const [type, links] of ordered) {
      this.heading(into, typeBadge(into.ownerDocument, type), links.length, words.views.ofType(type, links.length));
      for (const link of links) {
        if (link.filepath === null) continue;
        const row = this.row(into, { filepath: link.filepath, title: link.title }, link.lines[0]);
        if (link.link_context) row.createDiv({ cls: 'ubp-context', text: link.link_context });
      }
    }
  }
}
