// What the templates of the project say about the pages of a type: their keys, headings and links.
import type { Field, TemplateInfo } from '#contract';
import type { UbpClient } from '../client/client';

export interface Rules {
  /** Keys of front matter, those that every page must have first. */
  fields: readonly Field[];
  /** Headings that every page must have. */
  headings: readonly string[];
  /** Types of links. */
  links: readonly string[];
}

export const NO_RULES: Rules = { fields: [], headings: [], links: [] };

/** Milliseconds for which templates are used without asking again. */
const FRESH = 10_000;

type Described = Pick<TemplateInfo, 'doc_type' | 'fields' | 'headings' | 'links' | 'problem'>;

/** A page has to fit one of the templates of its type, so all of them are offered. */
export function rulesFor(templates: readonly Described[], type: string): Rules {
  const own = templates.filter(({ doc_type, problem }) => doc_type === type && problem === null);
  const fields = own.flatMap(({ fields }) => fields);
  const unique = fields.filter(({ name }, at) => fields.findIndex((other) => other.name === name) === at);
  return {
    fields: [...unique.filter(({ required }) => required), ...unique.filter(({ required }) => !required)],
    headings: [...new Set(own.flatMap(({ headings }) => headings))],
    links: [...new Set(own.flatMap(({ links }) => Object.keys(links)))],
  };
}

interface Asked {
  time: number;
  templates: Promise<readonly TemplateInfo[]>;
}

const asked = new WeakMap<UbpClient, Asked>();

/** Never rejects: without templates there are no rules. */
export async function rulesOf(client: UbpClient, type: string): Promise<Rules> {
  let known = asked.get(client);
  if (!known || Date.now() - known.time > FRESH) {
    const templates = client.call('list_templates', {}).then(({ templates }) => templates);
    known = { time: Date.now(), templates };
    asked.set(client, known);
    // Only its own entry: by then, somebody may have asked again.
    templates.catch(() => asked.get(client)?.templates === templates && asked.delete(client));
  }
  try {
    return rulesFor(await known.templates, type);
  } catch {
    return NO_RULES;
  }
}
