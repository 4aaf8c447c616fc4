// The renderers of live preview: the same as in articles. The engine renders formulas.
import { parsed } from '../../reading/article';
import { renderBlock } from '../../reading/blocks';
import type { EditorHost } from '../mount';
import { registerBlock, type BlockRenderer } from './blocks';
import { writing } from '../../words/writing';

const PLAIN = { page: () => undefined, file: () => undefined, ticks: false };

/** Registers renderers for diagrams, queries, bases, code of the project and formulas. `page` is the path of a page of the project. */
export function registerRenderers(host: EditorHost, page: () => string): void {
  registerBlock('mermaid', ({ source }) => renderBlock('mermaid', source));
  const answered: BlockRenderer = async ({ source, info }) => {
    const text = `\`\`\`\`\`\`${info}\n${source}\n\`\`\`\`\`\``;
    const { html } = await host.client.call('render_part', { page: page(), text });
    const answer = document.createElement('div');
    answer.append(parsed(html, PLAIN));
    if (!answer.querySelector('.query, .source-block')) throw new Error(writing.editor.badQuery);
    for (const code of answer.querySelectorAll('.source-block pre > code')) {
      code.parentElement?.replaceWith(await renderBlock('code', code.textContent ?? '', /^language-(\S+)/.exec(code.className)?.[1]));
    }
    return answer;
  };
  for (const language of ['ubp', 'base', 'ubp-source']) registerBlock(language, answered, { followsPages: true });
  registerBlock('math', async ({ source, isDisplay }) => {
    const text = isDisplay ? `$$${source}$$` : `$${source}$`;
    const { html } = await host.client.call('render_part', { page: page(), text });
    const formula = parsed(html, PLAIN).querySelector<HTMLElement>('math');
    if (!formula) throw new Error(writing.editor.badFormula);
    return formula;
  });
}
