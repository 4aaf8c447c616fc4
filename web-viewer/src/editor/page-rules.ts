// What the templates of the page's type say.
import type { EditorState } from '@codemirror/state';
import { NO_RULES, rulesOf, type Rules } from '../state/rules';
import { frontMatterOf } from './front-matter';
import type { PageContext } from './page-context';

const TYPE = /^(?:type|doc_type|docType)[ \t]*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s#][^#\n]*?))[ \t]*(?:[ \t]#.*)?$/m;

/** The type in YAML, which may be incomplete while somebody types. */
export function typeIn(yaml: string): string {
  const [, double, single, plain] = TYPE.exec(yaml) ?? [];
  return (double ?? single ?? plain ?? '').trim();
}

export function typeOf(state: EditorState): string {
  const matter = frontMatterOf(state);
  return matter ? typeIn(state.sliceDoc(matter.from, matter.to)) : '';
}

/** Never rejects. */
export async function rulesAt({ host, state }: PageContext): Promise<Rules> {
  const type = typeOf(state());
  return type ? rulesOf(host.client, type) : NO_RULES;
}
