// Styles links: a colour and underline for each type as everywhere else, and a wavy red underline for broken links.
import { syntaxTree } from '@codemirror/language';
import { StateEffect, type Range } from '@codemirror/state';
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view';
import type { News } from './link-answers';
import { linkOf } from './links-in-text';
import { pageContext } from './page-context';
import { writing } from '../words/writing';

/** New answers for links arrived. */
export const linksAnswered = StateEffect.define<News>();

const outside = Decoration.mark({ class: 'cm-page-link cm-outside' });
const missing = () => Decoration.mark({ class: 'cm-page-link cm-missing', attributes: { title: writing.editor.noSuchName } });
const noPlace = () => Decoration.mark({ class: 'cm-missing', attributes: { title: writing.editor.noSuchPlace } });
const ofType = new Map<string, Decoration>();

function typed(type: string): Decoration {
  let mark = ofType.get(type);
  if (!mark) {
    mark = Decoration.mark({ class: 'cm-page-link link', attributes: { 'data-type': type } });
    ofType.set(type, mark);
  }
  return mark;
}

function marks(view: EditorView): DecorationSet {
  const { state } = view;
  const context = state.facet(pageContext);
  const found: Range<Decoration>[] = [];
  const seen = new Set<number>();
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: (reference) => {
        if (!/^(WikiLink|WikiEmbed|Link|Autolink|URL)$/.test(reference.name)) return;
        const link = linkOf(state, reference.node);
        if (!link || seen.has(link.from) || !context) return;
        seen.add(link.from);
        if (link.kind === 'url') {
          found.push(outside.range(link.from, link.to));
          return false;
        }
        const answer = context.answers.link(link.written);
        const text = link.kind === 'markdown' ? { from: link.from, to: link.to } : link;
        if (!answer) {
          // Not resolved yet: show the type as written.
          if (answer === undefined) found.push(typed('references').range(text.from, text.to));
          return false;
        }
        const leads = answer.filepath !== null || answer.source_path !== null || answer.file_url !== null;
        found.push((leads ? typed(answer.link_type) : missing()).range(text.from, text.to));
        const hash = answer.anchor && !answer.place ? state.sliceDoc(link.target.from, link.target.to).indexOf('#') : -1;
        if (leads && hash >= 0) found.push(noPlace().range(link.target.from + hash, link.target.to));
        return false;
      },
    });
  }
  return Decoration.set(found, true);
}

export const linkMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = marks(view);
    }
    update(update: ViewUpdate): void {
      const answered = update.transactions.some((transaction) => transaction.effects.some((effect) => effect.is(linksAnswered)));
      if (update.docChanged || update.viewportChanged || answered || syntaxTree(update.startState) !== syntaxTree(update.state)) {
        this.decorations = marks(update.view);
      }
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
