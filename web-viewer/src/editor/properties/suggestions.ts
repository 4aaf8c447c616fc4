// Completion of fields: pages, tags, types, files and keys that the project has.
import { filesOf } from '../../state/project-files';
import { fold } from '../../text/fold';
import type { PageContext } from '../page-context';
import { rulesAt } from '../page-rules';
import { spelledPages } from '../smart-linking';
import { SourceChoices, type SourceMatches } from './sources';
import { KNOWN_KEYS, KNOWN_TYPES, type Completes } from './keys';
import type { Kind } from './model';
import { writing } from '../../words/writing';

export interface Choice {
  /** What is written. */
  text: string;
  label: string;
  note: string;
}

const MOST = 8;
const MOST_ROWS = 2_000;

const plain = (text: string, note = ''): Choice => ({ text, label: text, note });

function matching(all: readonly Choice[], typed: string): Choice[] {
  const wanted = fold(typed.trim());
  const found = all.filter(({ label }) => fold(label).includes(wanted));
  return found.sort((a, b) => Number(fold(b.label).startsWith(wanted)) - Number(fold(a.label).startsWith(wanted))).slice(0, MOST);
}

function counted(names: readonly string[]): Choice[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => plain(name, `${count}`));
}

/** The text in the brackets of a link that is typed or complete. */
export const inLink = (text: string): string => text.replace(/^\s*\[\[/, '').replace(/\]?\]\s*$/, '');

/** A link as written in front matter. */
export const linkText = (text: string): string => `[[${inLink(text).trim()}]]`;

export class Suggestions {
  readonly #context: PageContext;
  readonly #sources: SourceChoices;
  #named: Promise<string[]> | null = null;
  #keys: Promise<{ key: string; kind: Kind }[]> | null = null;

  constructor(context: PageContext) {
    this.#context = context;
    this.#sources = new SourceChoices(filesOf(context.host.client), () => (this.#named ??= this.#namedSources()).catch(() => []));
  }

  /** What other pages may have changed is asked for again. */
  forget(): void {
    this.#named = null;
    this.#keys = null;
  }

  /** The values that the templates of the page's type allow for a key. Never rejects. */
  async allowed(key: string, typed: string): Promise<Choice[]> {
    const field = (await rulesAt(this.#context)).fields.find(({ name }) => name === key);
    return matching((field?.values ?? []).map((value) => plain(value)), typed);
  }

  /** Values for a key, those that are allowed first. Never rejects: without an answer there is nothing to choose from. */
  async for(completes: Completes, typed: string, key: string): Promise<Choice[]> {
    const [allowed, others] = await Promise.all([this.allowed(key, typed), this.#others(completes, typed)]);
    return [...allowed, ...others.filter(({ text }) => !allowed.some((choice) => choice.text === text))].slice(0, MOST);
  }

  async #others(completes: Completes, typed: string): Promise<Choice[]> {
    try {
      if (completes === 'types') return matching([...counted(this.#context.host.pages().map(({ doc_type }) => doc_type)), ...KNOWN_TYPES.map((type) => plain(type))].filter((choice, at, all) => all.findIndex(({ text }) => text === choice.text) === at), typed);
      if (completes === 'tags') return matching(counted(this.#context.host.pages().flatMap(({ tags }) => tags)), typed.replace(/^\s*#/, ''));
      if (completes === 'sources') return await this.#sources.for(typed);
      if (completes === 'links') return await this.#pages(inLink(typed));
      return completes === 'pages' && /^\s*\[\[/.test(typed) ? await this.#pages(inLink(typed)) : [];
    } catch {
      return [];
    }
  }

  async #pages(typed: string): Promise<Choice[]> {
    const pages = await spelledPages(this.#context, typed.trim(), MOST);
    return pages.map(({ page, written }) => ({ text: `[[${written}]]`, label: page.name, note: page.filepath.replace(/\.(md|markdown)$/i, '') }));
  }

  /** The files, folders and globs that pages of this project name. */
  async #namedSources(): Promise<string[]> {
    const { results } = await this.#context.host.client.call('query', { sql: 'SELECT DISTINCT source_refs FROM files WHERE source_refs IS NOT NULL', max_rows: MOST_ROWS });
    return [...new Set(results.flatMap(({ source_refs: written }) => textsIn(written)))].sort();
  }

  /** Keys that match: first those that the templates of the page's type name. */
  async keys(typed: string, taken: ReadonlySet<string>): Promise<Choice[]> {
    const { fields, links } = await rulesAt(this.#context);
    const ruled = [...fields.map(({ name, required, description }) => plain(name, required ? writing.properties.required : (description ?? writing.properties.inTemplate))), ...links.map((type) => plain(type, writing.properties.link))];
    const usual = [...KNOWN_KEYS, ...this.#context.answers.linkTypes].filter((key) => !ruled.some(({ text }) => text === key));
    const known = [...ruled, ...usual.map((key) => plain(key))];
    const own = (await this.#ownKeys()).filter(({ key }) => !known.some(({ text }) => text === key)).map(({ key }) => plain(key, writing.properties.usedHere));
    return matching([...known, ...own].filter(({ text }) => !taken.has(text)), typed);
  }

  async kindOf(key: string): Promise<Kind> {
    const ruled = (await rulesAt(this.#context)).fields.find(({ name }) => name === key);
    if (ruled) return ruled.kind === 'boolean' ? 'checkbox' : ruled.kind;
    return (await this.#ownKeys()).find((own) => own.key === key)?.kind ?? 'text';
  }

  async #ownKeys(): Promise<{ key: string; kind: Kind }[]> {
    try {
      return await (this.#keys ??= this.#context.host.client.call('query_inspect', {}).then(({ schema }) =>
        Object.entries(schema)
          .filter(([key]) => !/^(path|content|embedding|updated_at|id)$/.test(key))
          .map(([key, { type }]) => ({ key, kind: type === 'array' ? ('list' as const) : ('text' as const) })),
      ));
    } catch {
      return [];
    }
  }
}

/** The entries of a value as a query gives it: a list as JSON, or one text. */
function textsIn(value: unknown): string[] {
  if (typeof value !== 'string') return [];
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list.filter((entry): entry is string => typeof entry === 'string') : [value];
  } catch {
    return [value];
  }
}

/** Whether an entry of `source_refs` is known to match no file, or a link to lead to nothing. */
export function isMissing(context: PageContext, sources: SourceMatches, completes: Completes, item: string): boolean {
  if (completes === 'sources') return item.trim() !== '' && sources.of(item) === 0;
  return /^\[\[[^[\]]+\]\]$/.test(item) && isNowhere(context, item);
}

function isNowhere(context: PageContext, link: string): boolean {
  const answer = context.answers.link(link);
  return answer !== undefined && (answer === null || (answer.filepath === null && answer.source_path === null && answer.file_url === null));
}
