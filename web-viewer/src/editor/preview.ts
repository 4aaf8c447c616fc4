// A preview of a link's page, while the pointer rests on the link or on a key.
import { StateEffect, StateField } from '@codemirror/state';
import { EditorView, hoverTooltip, showTooltip, type Command, type Tooltip } from '@codemirror/view';
import type { ResolvedLink } from '#contract';
import { linkAt, outsideUrl, type LinkInText } from './links-in-text';
import { pageContext, type PageContext } from './page-context';
import { words } from '../words/words';
import { writing } from '../words/writing';

const WAIT = 300;
const CHARACTERS = 200;

function element(name: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/** The first characters, cut between grapheme clusters. */
export function beginningOf(text: string, most = CHARACTERS): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const letters = [...new Intl.Segmenter().segment(line.slice(0, most * 12))];
  if (letters.length <= most && line.length <= most * 12) return line;
  return `${letters
    .slice(0, most)
    .map(({ segment }) => segment)
    .join('')
    .trimEnd()}…`;
}

async function plainText(context: PageContext, page: string, place: string | null): Promise<{ title: string; text: string }> {
  const { title, html } = await context.host.client.call('render_page', { filepath: page });
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  const at = place ? parsed.getElementById(place) : null;
  let text = '';
  if (at) for (let next: Element | null = at; next && text.length < CHARACTERS * 6; next = next.nextElementSibling) text += ` ${next.textContent}`;
  else text = parsed.body.textContent ?? '';
  return { title, text: beginningOf(text) };
}

async function fill(card: HTMLElement, context: PageContext, link: LinkInText, answer: ResolvedLink | null): Promise<void> {
  if (answer?.filepath && context.host.isAway(answer.filepath)) {
    card.replaceChildren(element('strong', 'cm-preview-title', answer.filepath), element('p', 'cm-preview-text', words.hub.elsewhere(answer.filepath.split(':')[0] ?? '')));
  } else if (answer?.filepath) {
    const { title, text } = await plainText(context, answer.filepath, answer.place);
    card.replaceChildren(element('strong', 'cm-preview-title', title), element('p', 'cm-preview-text', text || writing.editor.emptyPage));
  } else if (answer?.file_url) {
    card.replaceChildren(element('p', 'cm-preview-text', answer.target));
  } else if (answer?.source_path) {
    card.replaceChildren(element('strong', 'cm-preview-title', answer.source_path), element('p', 'cm-preview-text', writing.editor.projectFile));
  } else {
    const key = /Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl';
    const way = link.kind === 'markdown' ? '' : writing.editor.clickToCreate(key);
    card.replaceChildren(element('p', 'cm-preview-text', `${writing.editor.notYet}${way}`));
  }
}

function tooltip(view: EditorView, context: PageContext, link: LinkInText): Promise<Tooltip | null> {
  const card = element('div', 'cm-preview');
  const shown: Tooltip = { pos: link.from, end: link.to, above: true, create: () => ({ dom: card }) };
  if (link.kind === 'url') {
    const url = outsideUrl(view.state, link);
    if (!url) return Promise.resolve(null);
    card.append(element('p', 'cm-preview-text cm-preview-url', url));
    return Promise.resolve(shown);
  }
  return context.answers
    .now(link.written)
    .then((answer) => fill(card, context, link, answer))
    .then(() => shown)
    .catch(() => null);
}

const setPreview = StateEffect.define<Tooltip | null>();

/** A preview opened by key, closed by the next movement. */
const askedPreview = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setPreview)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : shown;
  },
  provide: (field) => showTooltip.from(field),
});

export const previewLink: Command = (view) => {
  const link = linkAt(view.state, view.state.selection.main.head);
  const context = view.state.facet(pageContext);
  if (!link || !context) return false;
  const doc = view.state.doc;
  void tooltip(view, context, link).then((shown) => {
    if (!shown || view.state.doc !== doc) return;
    const text = shown.create(view).dom.textContent ?? '';
    view.dispatch({ effects: [setPreview.of(shown), EditorView.announce.of(text)] });
  });
  return true;
};

export const closePreview: Command = (view) => {
  if (!view.state.field(askedPreview, false)) return false;
  view.dispatch({ effects: setPreview.of(null) });
  return true;
};

export const preview = [
  askedPreview,
  hoverTooltip(
    (view, pos, side) => {
      const link = linkAt(view.state, pos);
      const context = view.state.facet(pageContext);
      if (!link || !context || view.composing || (pos === link.from && side < 0) || (pos === link.to && side > 0)) return null;
      return tooltip(view, context, link);
    },
    { hoverTime: WAIT, hideOnChange: true },
  ),
];
