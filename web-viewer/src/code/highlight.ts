// Code in its colours, outside of the editor.
import { highlightTree } from '@lezer/highlight';
import { codeColours } from './colours';
import { grammar } from './languages';

/** Longest code that is coloured, in characters: parsing a longer one would delay the page. */
const LONGEST = 200_000;

/** Elements and texts that show `source`; `null` if its language is unknown or it is too long. */
export async function highlighted(source: string, language: string): Promise<DocumentFragment | null> {
  const parser = source.length <= LONGEST ? await grammar(language) : null;
  if (!parser) return null;
  const shown = document.createDocumentFragment();
  let from = 0;
  highlightTree(parser.parse(source), codeColours, (start, end, names) => {
    const token = document.createElement('span');
    token.className = names;
    token.textContent = source.slice(start, end);
    shown.append(source.slice(from, start), token);
    from = end;
  });
  shown.append(source.slice(from));
  return shown;
}
