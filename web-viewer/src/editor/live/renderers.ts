// The renderers of live preview: the same as in articles. The engine renders formulas.
import { parsed } from '../../reading/article';
import { renderBlock } from '../../reading/blocks';
import type { EditorHost } from '../mount';
import { registerBlock } from './blocks';

const INVALID = 'This formula is invalid.';

/** Registers renderers for diagrams and formulas. `page` is the path of a page of the project. */
export function registerRenderers(host: EditorHost, page: () => string): void {
  registerBlock('mermaid', ({ source }) => renderBlock('mermaid', source));
  registerBlock('math', async ({ source, isDisplay }) => {
    const text = isDisplay ? `$$${source}$$` : `$${source}$`;
    const { html } = await host.client.call('render_part', { page: page(), text });
    const formula = parsed(html, { page: () => undefined, file: () => undefined, ticks: false }).querySelector<HTMLElement>('math');
    if (!formula) throw new Error(INVALID);
    return formula;
  });
}
