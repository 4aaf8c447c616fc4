// Blocks and maths that registered renderers show.
import type { EditorView } from '@codemirror/view';
import { followsPages, renderBlock, type BlockSource } from './blocks';

const running = new WeakMap<Element, AbortController>();
/** What is rendered in each frame that is rendered again when pages change. */
const shown = new WeakMap<Element, BlockSource>();

function sourceOf({ source, isDisplay }: BlockSource): HTMLElement {
  const code = document.createElement('code');
  code.textContent = source;
  if (!isDisplay) return code;
  const block = document.createElement('pre');
  block.append(code);
  return block;
}

/** The source, until it is rendered. If it cannot be, a message below the source says why. */
export function renderedElement(block: BlockSource, view: EditorView | null = null): HTMLElement {
  const frame = document.createElement(block.isDisplay ? 'div' : 'span');
  frame.className = `cm-live-rendered cm-live-${block.isDisplay ? 'display' : 'inline'}`;
  frame.dataset['language'] = block.language;
  frame.append(sourceOf(block));
  if (followsPages(block.language)) shown.set(frame, block);
  const stop = new AbortController();
  running.set(frame, stop);
  renderBlock(block, stop.signal)
    .then(
      (made) => frame.replaceChildren(made),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        frame.classList.add('cm-live-failed');
        if (!block.isDisplay) frame.title = message;
        else {
          const told = document.createElement('p');
          told.className = 'cm-live-problem';
          told.textContent = message;
          frame.append(told);
        }
      },
    )
    .finally(() => view?.requestMeasure());
  return frame;
}

export function mathsElement(source: string, isDisplay: boolean, view: EditorView | null = null): HTMLElement {
  return renderedElement({ language: 'math', info: '', source, isDisplay }, view);
}

/** Renders the blocks again that depend on other pages. What is shown stays until the new answer is there. */
export function refreshBlocks(view: EditorView): void {
  for (const frame of view.contentDOM.querySelectorAll('.cm-live-rendered')) {
    const block = shown.get(frame);
    if (!block) continue;
    running.get(frame)?.abort();
    const stop = new AbortController();
    running.set(frame, stop);
    renderBlock(block, stop.signal).then(
      (made) => {
        if (stop.signal.aborted || (frame.childElementCount === 1 && frame.firstElementChild?.outerHTML === made.outerHTML)) return;
        frame.classList.remove('cm-live-failed');
        frame.replaceChildren(made);
        // The new answer may be shorter.
        frame.closest<HTMLElement>('.cm-live')?.style.removeProperty('min-height');
        view.requestMeasure();
      },
      // The editor says that the server does not answer; the last answer stays.
      () => {},
    );
  }
}

/** Stops what is still being rendered within an element that is removed. */
export function stopRendering(element: Element): void {
  for (const frame of [element, ...element.querySelectorAll('.cm-live-rendered')]) running.get(frame)?.abort();
}
