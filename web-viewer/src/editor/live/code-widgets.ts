// Blocks and maths that registered renderers show.
import type { EditorView } from '@codemirror/view';
import { renderBlock, type BlockSource } from './blocks';

const running = new WeakMap<Element, AbortController>();

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

/** Stops what is still being rendered within an element that is removed. */
export function stopRendering(element: Element): void {
  for (const frame of [element, ...element.querySelectorAll('.cm-live-rendered')]) running.get(frame)?.abort();
}
