// Renderers for blocks of other languages: mermaid, maths and others. Whoever can render a language registers a renderer for
// it; a language without a renderer is shown as its source.

export interface BlockSource {
  /** The language: the first word after the fence in lower case, or `math`. */
  language: string;
  /** Everything after the fence; empty for `math`. */
  info: string;
  /** Without fences or dollars. */
  source: string;
  /** Whether it stands on its own lines; false for maths within a line. */
  isDisplay: boolean;
}

/**
 * Returns an element that was made for this call, or rejects with an `Error` whose message is shown with the source. The
 * element must not contain anything that the renderer did not make safe. `signal` is aborted if nobody will see the result.
 */
export type BlockRenderer = (block: BlockSource, signal: AbortSignal) => Promise<HTMLElement>;

const renderers = new Map<string, BlockRenderer>();
/** Languages whose blocks look different when other pages change. */
const following = new Set<string>();
const listeners = new Set<() => void>();

/**
 * Registers a renderer for a language, in lower case. Open editors show its blocks rendered from then on. With `followsPages`,
 * blocks are rendered again when pages change.
 */
export function registerBlock(language: string, renderer: BlockRenderer, { followsPages = false } = {}): void {
  renderers.set(language, renderer);
  if (followsPages) following.add(language);
  for (const run of listeners) run();
}

export function followsPages(language: string): boolean {
  return following.has(language);
}

export function isRenderable(language: string): boolean {
  return renderers.has(language);
}

/** Calls `run` after each registration. Returns a function that stops this. */
export function onRegistered(run: () => void): () => void {
  listeners.add(run);
  return () => listeners.delete(run);
}

/** Renders a block, or rejects. */
export async function renderBlock(block: BlockSource, signal: AbortSignal): Promise<HTMLElement> {
  const renderer = renderers.get(block.language);
  if (!renderer) throw new Error(`There is no renderer for ${block.language}.`);
  return renderer(block, signal);
}
