// The Markdown of pages: front matter, double brackets, and highlighted code. The languages of code blocks are loaded on
// first use.
import { LanguageDescription, LanguageSupport, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { markdown, markdownLanguage } from '@codemirror/lang-markdown';
import { css } from '@codemirror/lang-css';
import { html } from '@codemirror/lang-html';
import { javascript } from '@codemirror/lang-javascript';
import { yaml, yamlFrontmatter } from '@codemirror/lang-yaml';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';
import type { MarkdownParser } from '@lezer/markdown';
import { marksOfText, textTags } from './marks-of-text';
import { linkTags, wikilinks } from './wikilinks';

const code = (name: string, alias: string[], load: () => Promise<LanguageSupport>) => LanguageDescription.of({ name, alias, load });
/** Tags that the Markdown parser defines. */
const here = (name: string, alias: string[], support: LanguageSupport) => LanguageDescription.of({ name, alias, support });

const codeLanguages = [
  here('JavaScript', ['js', 'jsx', 'mjs', 'node'], javascript({ jsx: true })),
  here('TypeScript', ['ts', 'tsx'], javascript({ jsx: true, typescript: true })),
  here('HTML', ['xml', 'svg', 'svelte', 'vue'], html()),
  here('CSS', ['scss', 'less'], css()),
  here('YAML', ['yml'], yaml()),
  code('Python', ['py'], () => import('@codemirror/lang-python').then(({ python }) => python())),
  code('Rust', ['rs'], () => import('@codemirror/lang-rust').then(({ rust }) => rust())),
  code('Go', ['golang'], () => import('@codemirror/lang-go').then(({ go }) => go())),
  code('JSON', ['jsonc', 'json5'], () => import('@codemirror/lang-json').then(({ json }) => json())),
  code('SQL', ['sqlite', 'postgresql', 'mysql'], () => import('@codemirror/lang-sql').then(({ sql }) => sql())),
];

/** Assigns classes; the colours are in `look.ts`. */
const classes = HighlightStyle.define([
  { tag: tags.heading1, class: 'md-h1' },
  { tag: tags.heading2, class: 'md-h2' },
  { tag: tags.heading3, class: 'md-h3' },
  { tag: [tags.heading4, tags.heading5, tags.heading6], class: 'md-h4' },
  { tag: tags.strong, class: 'md-strong' },
  { tag: textTags.highlight, class: 'md-highlight' },
  { tag: tags.emphasis, class: 'md-emphasis' },
  { tag: tags.strikethrough, class: 'md-struck' },
  { tag: tags.monospace, class: 'md-code' },
  { tag: tags.quote, class: 'md-quote' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.meta], class: 'md-mark' },
  { tag: linkTags.bracket, class: 'md-mark' },
  { tag: linkTags.label, class: 'md-label' },
  { tag: tags.url, class: 'md-url' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], class: 'md-keyword' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], class: 'md-string' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: 'md-number' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], class: 'md-comment' },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.definition(tags.function(tags.variableName))], class: 'md-function' },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], class: 'md-type' },
  { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.propertyName)], class: 'md-property' },
]);

const extensions = [wikilinks, marksOfText];

/** Parses a part of a page, without code of other languages. */
export const partParser = (markdownLanguage.parser as MarkdownParser).configure(extensions);

export function pageLanguage(): Extension {
  const content = markdown({ base: markdownLanguage, codeLanguages, extensions, completeHTMLTags: false, addKeymap: false, pasteURLAsLink: true });
  return [yamlFrontmatter({ content }), syntaxHighlighting(classes)];
}
