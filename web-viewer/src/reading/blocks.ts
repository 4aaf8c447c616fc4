// Shows code and diagrams, in articles and in the editor's preview. What it needs is loaded on first use.

export type BlockKind = 'code' | 'mermaid';

/**
 * The source of a block as an element: code in its colours, or a diagram. `language` is what follows the fence of a code block.
 * Code in an unknown language is shown without colours.
 * @throws if a diagram is invalid, with a message for people.
 *
 * Formulas, tables, callouts and everything else that is Markdown come from the operation `render_part`.
 */
export async function renderBlock(kind: BlockKind, source: string, language = ''): Promise<HTMLElement> {
  if (kind === 'mermaid') return (await import('../diagrams/diagram')).diagram(source);
  const block = document.createElement('pre');
  const code = document.createElement('code');
  if (language) code.className = `language-${language}`;
  code.textContent = source;
  block.append(code);
  await colour(code, language);
  return block;
}

async function colour(code: HTMLElement, language: string): Promise<void> {
  if (!language) return;
  const { highlighted } = await import('../code/highlight');
  const shown = await highlighted(code.textContent ?? '', language);
  if (shown) code.replaceChildren(shown);
}

/** Improves the code blocks of an article in place: their number and order stay. */
export async function improve(blocks: readonly HTMLElement[]): Promise<void> {
  for (const code of blocks) {
    const block = code.parentElement;
    const language = /(?:^|\s)language-(\S+)/.exec(code.className)?.[1];
    if (!block || !language || !code.isConnected) continue;
    try {
      if (language === 'mermaid') block.replaceWith(await renderBlock('mermaid', code.textContent ?? ''));
      else await colour(code, language);
    } catch (error) {
      // The source can be read.
      block.title = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    }
  }
}
