// Links in rendered blocks: their types, once the engine has resolved them, and clicks.
import type { EditorView } from '@codemirror/view';
import { followWritten } from '../following';
import { pageContext } from '../page-context';

/** Sets the types of the links in rendered blocks. */
export function refreshLinks(view: EditorView): void {
  const context = view.state.facet(pageContext);
  if (!context) return;
  for (const element of view.contentDOM.querySelectorAll<HTMLElement>('.cm-live [data-written].link')) {
    const answer = context.answers.link(element.dataset['written'] ?? '');
    if (answer === undefined) continue;
    const leads = answer !== null && (answer.filepath !== null || answer.source_path !== null || answer.file_url !== null);
    element.dataset['type'] = answer?.link_type ?? 'references';
    element.classList.toggle('cm-missing', !leads);
  }
}

/** Follows the link of a rendered block that was clicked, if any. */
export function followClicked(view: EditorView, target: EventTarget | null, inTab = false): boolean {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-written]') : null;
  if (!element || element.classList.contains('cm-missing')) return false;
  const written = element.dataset['written'] ?? '';
  const kind = element.dataset['kind'] as 'wiki' | 'markdown' | 'url';
  void followWritten(view, { written, kind }, kind === 'url' ? written : null, inTab);
  return true;
}
