// A page, a part of one, or a base, shown in place.
import type { EditorView } from '@codemirror/view';
import type { RenderPageOutput } from '#contract';
import { parsed } from '../../reading/article';
import { usualUrl } from '../../routing/urls';
import type { PageContext } from '../page-context';
import { writing } from '../../words/writing';

/** Embeds as last shown, so that they are there at once when they are shown again. */
const shownBefore = new Map<string, HTMLElement>();
const KEPT = 200;

function contentOf(html: string, context: PageContext): DocumentFragment {
  const root = context.host.fileUrl('');
  return parsed(html, {
    page: (path, anchor) => `${new URL(usualUrl(path), root).href}${anchor ? `#${anchor}` : ''}`,
    file: (path) => context.host.fileUrl(path),
    ticks: false,
  });
}

const levelOf = (element: Element) => Number(/^H([1-6])$/.exec(element.tagName)?.[1] ?? 9);

/** The section of a heading, or the block, with this id. */
function part(content: DocumentFragment, id: string): Node[] {
  const start = content.getElementById(id);
  if (!start) return [];
  const level = levelOf(start);
  if (level > 6) return [start.textContent?.trim() ? start : (start.closest('li, p, blockquote, table, pre') ?? start)];
  const nodes: Element[] = [start];
  for (let next = start.nextElementSibling; next && levelOf(next) > level; next = next.nextElementSibling) nodes.push(next);
  return nodes;
}

function told(text: string): HTMLElement {
  const made = document.createElement('p');
  made.className = 'cm-live-problem';
  made.textContent = text;
  return made;
}

function title(written: string, answer: { filepath: string; place: string | null }, page: RenderPageOutput, context: PageContext): HTMLElement {
  const line = document.createElement('p');
  line.className = 'embed-title';
  const link = document.createElement('a');
  link.className = 'link';
  link.dataset['type'] = 'references';
  link.dataset['page'] = answer.filepath;
  link.href = `${new URL(usualUrl(answer.filepath), context.host.fileUrl('')).href}${answer.place ? `#${answer.place}` : ''}`;
  const [, anchor = ''] = /#([^|\]]+)/.exec(written) ?? [];
  link.textContent = [page.title, ...anchor.split('#')].map((name) => name.trim()).filter(Boolean).join(' › ');
  line.append(link);
  return line;
}

const IS_BASE = /\.base(?=[\]|#])/i;

/** The answer of a base, with its title. */
async function answered(written: string, context: PageContext): Promise<Node[]> {
  const { html } = await context.host.client.call('render_part', { page: context.filepath, text: written });
  const base = contentOf(html, context).querySelector('.embed');
  return base ? [...base.childNodes] : [told(writing.editor.noFile)];
}

async function made(written: string, context: PageContext): Promise<Node[]> {
  if (IS_BASE.test(written)) return answered(written, context);
  const answer = await context.answers.now(written);
  if (!answer?.filepath) return [told(answer?.source_path ? writing.editor.notAPage(answer.source_path) : writing.editor.noPage)];
  const page = await context.host.client.call('render_page', { filepath: answer.filepath });
  const content = contentOf(page.html, context);
  const inside = answer.anchor ? (answer.place ? part(content, answer.place) : [told(writing.editor.noPart)]) : [...content.childNodes];
  const isEmpty = inside.every((node) => !node.textContent?.trim() && !(node instanceof Element && node.querySelector('img')));
  return [title(written, { filepath: answer.filepath, place: answer.place }, page, context), ...(isEmpty ? [told(writing.editor.emptyPage)] : inside)];
}

async function fill(frame: HTMLElement, written: string, context: PageContext, view: EditorView): Promise<void> {
  let nodes: Node[];
  try {
    nodes = await made(written, context);
  } catch {
    // The editor says that the server does not answer; the last version stays.
    return;
  }
  const fresh = document.createElement('div');
  fresh.append(...nodes);
  // An id may be in the page a second time, and nothing leads to it here.
  for (const element of fresh.querySelectorAll('[id]')) element.removeAttribute('id');
  for (const box of fresh.querySelectorAll<HTMLInputElement>('input')) box.tabIndex = -1;
  if (frame.innerHTML === fresh.innerHTML) return;
  if (shownBefore.size > KEPT) shownBefore.clear();
  shownBefore.set(`${context.filepath}\n${written}`, fresh.cloneNode(true) as HTMLElement);
  frame.replaceChildren(...fresh.childNodes);
  for (const image of frame.querySelectorAll('img')) image.addEventListener('load', () => view.requestMeasure());
  view.requestMeasure();
}

export function embedElement(written: string, context: PageContext, view: EditorView): HTMLElement {
  const frame = document.createElement('section');
  frame.className = 'embed cm-embed';
  frame.dataset['embed'] = written;
  frame.setAttribute('aria-label', writing.editor.embedded(written.slice(3, -2)));
  frame.tabIndex = -1;
  const before = shownBefore.get(`${context.filepath}\n${written}`);
  if (before) frame.append(...before.cloneNode(true).childNodes);
  else frame.append(told(writing.editor.loading));
  void fill(frame, written, context, view);
  return frame;
}

/** Shows embedded pages that have changed. */
export function refreshEmbeds(view: EditorView, context: PageContext): void {
  for (const frame of view.contentDOM.querySelectorAll<HTMLElement>('.cm-embed')) void fill(frame, frame.dataset['embed'] ?? '', context, view);
}
