// Shows in the find panel which match is selected, and how many there are.
import { getSearchQuery, searchPanelOpen } from '@codemirror/search';
import type { EditorState } from '@codemirror/state';
import { ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view';
import { number } from '../words/format';
import { writing } from '../words/writing';

/** More matches are not counted, because each key would wait for them. */
const MOST = 1_000;

function counted(state: EditorState): string {
  const query = getSearchQuery(state);
  if (!query.search || !query.valid) return query.search ? writing.editor.invalid : '';
  const { from, to } = state.selection.main;
  let count = 0;
  let chosen = 0;
  const matches = query.getCursor(state);
  for (let match = matches.next(); !match.done && count < MOST; match = matches.next()) {
    count++;
    if (match.value.from === from && match.value.to === to) chosen = count;
  }
  if (count === 0) return writing.editor.noResults;
  const all = `${number(count)}${count === MOST ? '+' : ''}`;
  return chosen > 0 ? writing.editor.match(chosen, all) : writing.editor.matches(count, all);
}

export const findCount = ViewPlugin.fromClass(
  class {
    readonly #dom = document.createElement('span');

    constructor(view: EditorView) {
      this.#dom.className = 'cm-find-count';
      this.#dom.setAttribute('role', 'status');
      this.#show(view);
    }

    update({ view, docChanged, selectionSet, transactions }: ViewUpdate): void {
      // The query and the panel change by effects.
      if (docChanged || selectionSet || transactions.some(({ effects }) => effects.length > 0)) this.#show(view);
    }

    #show(view: EditorView): void {
      if (!searchPanelOpen(view.state)) return;
      this.#dom.textContent = counted(view.state);
      if (this.#dom.isConnected) return;
      // The panel is made after this update.
      queueMicrotask(() => view.dom.querySelector('.cm-search [name=search]')?.after(this.#dom));
    }

    destroy(): void {
      this.#dom.remove();
    }
  },
);
