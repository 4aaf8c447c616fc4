// Typed links in the editor: the type looks like a badge, and in live preview the name of the page is shown before it.
import { syntaxTree } from '@codemirror/language';
import { StateEffect, type EditorState, type Extension, type Range } from '@codemirror/state';
import { Decoration, ViewPlugin, WidgetType, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view';
import { Keymap, editorInfoField, editorLivePreviewField, type App } from 'obsidian';
import type { Settings } from '../settings';
import type { LinksOfNotes } from './notes';
import { shownLink } from './shown';

const LINK = /(!?)\[\[([^[\]|\n]+?)\\?\|([^[\]\n]+)\]\]/g;

const answered = StateEffect.define<null>();
const hidden = Decoration.replace({});

class PageName extends WidgetType {
  constructor(
    readonly app: App,
    readonly text: string,
    readonly target: string,
    readonly path: string,
  ) {
    super();
  }

  override eq(other: PageName): boolean {
    return other.text === this.text && other.target === this.target && other.path === this.path;
  }

  toDOM(view: EditorView): HTMLElement {
    const name = view.dom.ownerDocument.createElement('span');
    name.className = 'cm-hmd-internal-link ubp-page-name';
    const inner = name.appendChild(view.dom.ownerDocument.createElement('span'));
    inner.className = 'cm-underline';
    inner.textContent = this.text;
    name.addEventListener('click', (event) => void this.app.workspace.openLinkText(this.target, this.path, Keymap.isModEvent(event)));
    return name;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const isCode = (state: EditorState, at: number) => /code/i.test(syntaxTree(state).resolveInner(at, 1).name);
const isTouched = (state: EditorState, from: number, to: number) => state.selection.ranges.some((range) => range.from <= to && range.to >= from);

function decorations(view: EditorView, app: App, links: LinksOfNotes): DecorationSet {
  const { state } = view;
  const path = state.field(editorInfoField, false)?.file?.path;
  const answers = path === undefined ? null : links.of(path);
  if (!answers || path === undefined) return Decoration.none;
  const isPreview = state.field(editorLivePreviewField, false) ?? false;
  const found: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    for (const match of state.sliceDoc(from, to).matchAll(LINK)) {
      const [written, embeds, target = '', label = ''] = match;
      const start = from + match.index;
      const end = start + written.length;
      if (embeds || isCode(state, start + 2)) continue;
      const link = answers.link(written);
      const shown = link ? shownLink(link, label) : null;
      if (!link || !shown) continue;
      const at = end - 2 - label.length;
      const pipe = /\\?\|/.exec(label) ?? { 0: '', index: label.length };
      const typeEnd = at + pipe.index;
      const mark = { class: shown.type === null ? 'ubp-type' : 'ubp-type ubp-type-written', attributes: { 'data-ubp-type': link.link_type } };
      const isOpen = !isPreview || isTouched(state, start, end);
      if (shown.type === null && !isOpen) found.push(hidden.range(at, typeEnd));
      else found.push(Decoration.mark(mark).range(at, typeEnd));
      if (isOpen) continue;
      if (link.text === null) found.push(Decoration.widget({ widget: new PageName(app, shown.text, target, path), side: -1 }).range(start));
      else if (pipe[0]) found.push(hidden.range(typeEnd, typeEnd + pipe[0].length));
    }
  }
  return Decoration.set(found, true);
}

export function livePreview(app: App, links: LinksOfNotes, settings: () => Settings): Extension {
  const made = (view: EditorView) => (settings().showTypes ? decorations(view, app, links) : Decoration.none);
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      #path: string | undefined;
      #stop: () => void = () => {};

      constructor(readonly view: EditorView) {
        this.#follow();
        this.decorations = made(view);
      }

      /** Hears of new answers for the note in this editor. */
      #follow(): void {
        const path = this.view.state.field(editorInfoField, false)?.file?.path;
        if (path === this.#path) return;
        this.#stop();
        this.#path = path;
        if (path !== undefined) this.#stop = links.read(path, () => this.view.dispatch({ effects: answered.of(null) }));
      }

      update(update: ViewUpdate): void {
        this.#follow();
        const isAnswered = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(answered)));
        const isPreview = (state: EditorState) => state.field(editorLivePreviewField, false);
        // Obsidian reads long notes bit by bit.
        const isRead = syntaxTree(update.startState) !== syntaxTree(update.state);
        if (isAnswered || isRead || update.docChanged || update.selectionSet || update.viewportChanged || isPreview(update.startState) !== isPreview(update.state)) {
          this.decorations = made(update.view);
        }
      }

      destroy(): void {
        this.#stop();
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}
