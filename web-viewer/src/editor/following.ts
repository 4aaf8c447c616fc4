// Following links in the text: by Ctrl+click or Cmd+click (with Shift, in a new tab), or by keyboard.
import { EditorView, ViewPlugin, type Command } from '@codemirror/view';
import { ClientError } from '../client/client';
import { linkAt, outsideUrl, type LinkInText } from './links-in-text';
import { pageContext } from './page-context';
import { writing } from '../words/writing';

/** Follows a link as written, on request in a new tab. `url` is its address, if that is external. */
export async function followWritten(view: EditorView, { written, kind }: Pick<LinkInText, 'written' | 'kind'>, url: string | null, inTab = false): Promise<void> {
  const context = view.state.facet(pageContext);
  if (!context) return;
  if (kind === 'url') {
    if (url) window.open(url, '_blank', 'noopener,noreferrer');
    return;
  }
  try {
    const answer = await context.answers.now(written);
    if (answer?.filepath) {
      context.host.open({ page: answer.filepath, inTab, ...(answer.anchor ? { fragment: answer.place ?? answer.anchor } : {}) });
    } else if (answer?.file_url) {
      window.open(new URL(answer.file_url, context.host.fileUrl('')), '_blank', 'noopener,noreferrer');
    } else if (answer?.source_path) {
      context.host.openFile(answer.source_path, /#(L\d+(?:-L?\d+)?)$/.exec(answer.target)?.[1] ?? '');
    } else if (answer && kind !== 'markdown' && !context.host.isAway(answer.target)) {
      context.host.begin(answer.target.replace(/#.*$/s, '').trim());
    } else context.tell(writing.editor.brokenLink);
  } catch (error) {
    context.tell(ClientError.from(error).message);
  }
}

export function follow(view: EditorView, link: LinkInText, inTab = false): Promise<void> {
  return followWritten(view, link, outsideUrl(view.state, link), inTab);
}

/** Follows the link at the cursor. A broken link creates its page. */
export const followLink: Command = (view) => {
  const link = linkAt(view.state, view.state.selection.main.head);
  if (!link) return false;
  void follow(view, link);
  return true;
};

/** While the key is held, links look clickable. */
const keyHeld = ViewPlugin.fromClass(
  class {
    readonly #view: EditorView;
    readonly #note = (event: KeyboardEvent | MouseEvent) => this.#view.dom.classList.toggle('cm-follows', event.ctrlKey || event.metaKey);
    readonly #forget = () => this.#view.dom.classList.remove('cm-follows');
    constructor(view: EditorView) {
      this.#view = view;
      window.addEventListener('keydown', this.#note);
      window.addEventListener('keyup', this.#note);
      window.addEventListener('blur', this.#forget);
    }
    destroy(): void {
      window.removeEventListener('keydown', this.#note);
      window.removeEventListener('keyup', this.#note);
      window.removeEventListener('blur', this.#forget);
    }
  },
);

export const following = [
  keyHeld,
  EditorView.domEventHandlers({
    mousedown(event, view) {
      if (event.button !== 0 || !(event.ctrlKey || event.metaKey)) return false;
      const pos = view.posAtCoords({ x: event.clientX, y: event.clientY });
      const link = pos === null ? null : linkAt(view.state, pos);
      if (!link) return false;
      event.preventDefault();
      void follow(view, link, event.shiftKey);
      return true;
    },
  }),
];
