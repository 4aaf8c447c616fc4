// Blocks that are shown rendered in place of their source. A click opens the source at the clicked place.
import { EditorView, WidgetType } from '@codemirror/view';
import { pageContext, type PageContext } from '../page-context';
import { partParser } from '../language';
import { renderedElement, mathsElement, stopRendering } from './code-widgets';
import { embedElement } from './embeds';
import { followClicked } from './links';
import { heightOf, pictureElement, pictureOf, type PictureSource } from './pictures';
import { tableElement } from './table';

export type BlockKind = 'table' | 'picture' | 'embed' | 'fence' | 'maths';

/** Heights as last measured, in pixels, by kind and source: the best estimate for a block that is not on screen. */
const heights = new Map<string, number>();
const MOST_HEIGHTS = 2_000;
const LINE = 29;
const ROW = 38;

const linesOf = (source: string) => source.split('\n').length;

function pictureIn(source: string): PictureSource | null {
  const paragraph = partParser.parse(source).topNode.firstChild;
  const node = paragraph?.getChild('Image') ?? paragraph?.getChild('WikiEmbed');
  return node ? pictureOf(node, source.slice(node.from, node.to)) : null;
}

/** What follows the opening fence, its first word in lower case, and what is between the fences. */
export function fenceIn(source: string): { info: string; language: string; inside: string } {
  const lines = source.split('\n');
  const info = /^\s*(?:`{3,}|~{3,})([^`]*)/.exec(lines[0] ?? '')?.[1]?.trim() ?? '';
  const language = info.split(/\s/, 1)[0]?.toLowerCase() ?? '';
  const isClosed = lines.length > 1 && /^\s*(`{3,}|~{3,})\s*$/.test(lines.at(-1) ?? '');
  return { info, language, inside: lines.slice(1, isClosed ? -1 : undefined).join('\n') };
}

export class LiveBlock extends WidgetType {
  constructor(
    readonly kind: BlockKind,
    readonly source: string,
    readonly context: PageContext | null,
  ) {
    super();
  }

  get key(): string {
    return `${this.kind}\n${this.source}`;
  }

  override eq(other: LiveBlock): boolean {
    return other.kind === this.kind && other.source === this.source;
  }

  override get estimatedHeight(): number {
    return heights.get(this.key) ?? this.#guess();
  }

  #guess(): number {
    if (this.kind === 'table') return (linesOf(this.source) - 1) * ROW + 24;
    if (this.kind === 'fence') return Math.max(120, linesOf(this.source) * LINE);
    if (this.kind === 'maths') return linesOf(this.source) * LINE + 24;
    if (this.kind === 'embed') return 160;
    const picture = this.context && pictureIn(this.source);
    return picture && this.context ? heightOf(picture, this.context) : 200;
  }

  /** Records its height on screen. */
  measured(height: number): void {
    if (height <= 0) return;
    if (heights.size > MOST_HEIGHTS) heights.clear();
    heights.set(this.key, height);
  }

  #content(view: EditorView, context: PageContext): HTMLElement {
    switch (this.kind) {
      case 'table':
        return tableElement(this.source, context);
      case 'embed':
        return embedElement(this.source.trim(), context, view);
      case 'maths':
        return mathsElement(this.source.trim().replace(/^\$\$|\$\$$/g, '').trim(), true, view);
      case 'fence': {
        const { info, language, inside } = fenceIn(this.source);
        return renderedElement({ language, info, source: inside, isDisplay: true }, view);
      }
      case 'picture': {
        const picture = pictureIn(this.source);
        return picture ? pictureElement(picture, context, view) : document.createElement('span');
      }
    }
  }

  toDOM(view: EditorView): HTMLElement {
    const block = document.createElement('div');
    block.className = `cm-live cm-live-${this.kind} prose`;
    widgets.set(block, this);
    const context = view.state.facet(pageContext);
    if (context) block.append(this.#content(view, context));
    const known = heights.get(this.key);
    // What is rendered later must not move the text again.
    if (known !== undefined && (this.kind === 'fence' || this.kind === 'maths')) block.style.minHeight = `${known}px`;
    block.addEventListener('mousedown', (event) => pressed(view, block, event));
    block.addEventListener('click', (event) => clicked(view, event));
    return block;
  }

  override destroy(dom: HTMLElement): void {
    stopRendering(dom);
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const widgets = new WeakMap<Element, LiveBlock>();

const isLink = (target: EventTarget | null) => target instanceof Element && target.closest('a[href], [data-written]:not(.cm-missing)') !== null;

/** Opens the source of a block. */
function open(view: EditorView, block: HTMLElement, target: EventTarget | null): void {
  const from = view.posAtDOM(block);
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null;
  const inside = from + Number(cell?.dataset['at'] ?? 0);
  view.dispatch({ selection: { anchor: Math.min(inside, view.state.doc.length) }, userEvent: 'select.pointer', scrollIntoView: true });
  view.focus();
}

function pressed(view: EditorView, block: HTMLElement, event: MouseEvent): void {
  const { target } = event;
  if (event.button !== 0 || (target instanceof Element && target.closest('summary, .cm-live-rendered button'))) return;
  // The text keeps the focus.
  event.preventDefault();
  if (isLink(target)) return;
  open(view, block, target);
}

function clicked(view: EditorView, event: MouseEvent): void {
  if (event.button !== 0) return;
  if (followClicked(view, event.target, event.shiftKey && (event.ctrlKey || event.metaKey))) event.preventDefault();
}

/** Records the heights of the blocks on screen. */
export function measureBlocks(view: EditorView): void {
  for (const block of view.contentDOM.querySelectorAll(':scope > .cm-live')) widgets.get(block)?.measured(block.getBoundingClientRect().height);
}
