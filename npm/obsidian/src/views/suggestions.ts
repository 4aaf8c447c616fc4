// Links that are missing: suggestions for the open note, and mentions without a link. One click makes a link.
import { Notice, type TFile } from 'obsidian';
import type { LinkPlace, PageFields } from '#contract';
import { pieces } from '../../../../web-viewer/src/text/match';
import { accept } from '../accepting';
import { words } from '../words/words';
import { NoteView, message } from './note-view';

export const SUGGESTIONS = 'unified-blueprint-suggestions';
const MOST = 30;

interface Offer {
  source: PageFields;
  target: PageFields;
  place: LinkPlace | null;
  reason?: string;
}

export class SuggestionsView extends NoteView {
  override icon = 'link';

  override getViewType(): string {
    return SUGGESTIONS;
  }

  override getDisplayText(): string {
    return words.views.suggestions;
  }

  protected override async fill(into: HTMLElement, _file: TFile, page: string): Promise<void> {
    const { suggestions, mentions, mentioned_by, more_mentions } = await this.engine.call('suggest_links', { page, limit: MOST });
    if (suggestions.length + mentions.length + mentioned_by.length === 0) return message(into, words.views.noSuggestions);
    this.#section(into, words.views.suggested, suggestions, ({ target }) => target);
    this.#section(into, words.views.mentions, mentions, ({ target }) => target);
    this.#section(into, words.views.mentionedBy, mentioned_by, ({ source }) => source);
    if (more_mentions) message(into, words.views.more);
  }

  #section(into: HTMLElement, heading: string, offers: readonly Offer[], other: (offer: Offer) => PageFields): void {
    if (offers.length === 0) return;
    this.heading(into, heading, offers.length);
    for (const offer of offers) this.#offer(into, offer, other(offer));
  }

  #offer(into: HTMLElement, offer: Offer, other: PageFields): void {
    const { place, reason } = offer;
    // The place is on the linking page.
    const row = this.row(into, other, other === offer.source ? place?.line : undefined);
    if (place) context(row, place);
    if (reason) row.createDiv({ cls: 'ubp-reason', text: reason });
    if (!place) return;
    const button = row.createEl('button', { cls: 'ubp-add', text: words.views.add, attr: { 'aria-label': words.views.addLabel(place.text, offer.target.title) } });
    button.addEventListener('click', () => {
      button.disabled = true;
      const proposal = { source: offer.source.filepath, target: offer.target.filepath, line: place.line, text: place.text };
      accept(this.app, this.engine, proposal).then(
        (link) => new Notice(words.views.added(link, offer.source.title)),
        (error: unknown) => {
          new Notice(error instanceof Error ? error.message : String(error));
          // The offers may be outdated.
          void this.update();
        },
      );
    });
  }
}

/** The line of a place, with its words marked. */
function context(row: HTMLElement, place: LinkPlace): void {
  const line = row.createDiv({ cls: 'ubp-context' });
  const at = place.context.indexOf(place.text);
  for (const { text, marked } of pieces(place.context, at < 0 ? [] : [[at, at + place.text.length]])) line.createEl(marked ? 'mark' : 'span', { text });
}
