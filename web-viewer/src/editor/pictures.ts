// Shows images below their line.
import { syntaxTree } from '@codemirror/language';
import type { Range } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import { isPicture } from '../text/paths';
import { linksAnswered } from './link-marks';
import { pageContext } from './page-context';
import { writing } from '../words/writing';

class Picture extends WidgetType {
  constructor(
    readonly url: string,
    readonly description: string,
  ) {
    super();
  }
  override eq(other: Picture): boolean {
    return other.url === this.url && other.description === this.description;
  }
  override get estimatedHeight(): number {
    return 200;
  }
  toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement('span');
    frame.className = 'cm-picture';
    const picture = document.createElement('img');
    picture.alt = this.description;
    picture.addEventListener('load', () => view.requestMeasure());
    picture.addEventListener('error', () => {
      frame.classList.add('cm-picture-broken');
      frame.textContent = writing.editor.badImage;
      view.requestMeasure();
    });
    picture.src = this.url;
    frame.append(picture);
    return frame;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

function pictures(view: EditorView): DecorationSet {
  const { state } = view;
  const context = state.facet(pageContext);
  const found: Range<Decoration>[] = [];
  const add = (end: number, address: string, description: string) => {
    const widget = new Picture(new URL(address, context?.host.fileUrl('')).href, description);
    found.push(Decoration.widget({ widget, side: 1 }).range(state.doc.lineAt(end).to));
  };
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: ({ name, node }) => {
        if (name !== 'Image' && name !== 'WikiEmbed') return;
        const written = state.sliceDoc(node.from, node.to);
        if (name === 'WikiEmbed') {
          const answer = context?.answers.link(written);
          if (answer?.file_url && isPicture(decodeURIComponent(answer.file_url))) add(node.to, answer.file_url, answer.text ?? '');
          return false;
        }
        const url = node.getChild('URL');
        const address = url && context?.answers.picture(state.sliceDoc(url.from, url.to).replace(/^<|>$/g, ''));
        if (address) add(node.to, address, /^!\[([^\]]*)\]/.exec(written)?.[1] ?? '');
        return false;
      },
    });
  }
  return Decoration.set(found, true);
}

export const picturesBelow = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = pictures(view);
    }
    update(update: ViewUpdate): void {
      const answered = update.transactions.some((transaction) => transaction.effects.some((effect) => effect.is(linksAnswered)));
      const isComposing = update.view.compositionStarted && update.docChanged;
      if (isComposing) this.decorations = this.decorations.map(update.changes);
      else if (update.docChanged || update.viewportChanged || answered || syntaxTree(update.startState) !== syntaxTree(update.state)) {
        this.decorations = pictures(update.view);
      }
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
