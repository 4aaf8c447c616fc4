// The Markdown of pages: front matter, double brackets, and highlighted code. The languages of code blocks are loaded on
// first use.
import { HighlightStyle, LRLanguage, Language, LanguageDescription, LanguageSupport, defineLanguageFacet, syntaxHighlighting } from '@codemirror/language';
import { markdown, markdownLanguage } from '@codemirror/lang-markdown';
import { yamlFrontmatter } from '@codemirror/lang-yaml';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';
import { LRParser } from '@lezer/lr';
import type { MarkdownParser } from '@lezer/markdown';
import { codeColours } from '../code/colours';
import { LANGUAGES } from '../code/languages';
import { marksOfText, textTags } from './marks-of-text';
import { linkTags, wikilinks } from './wikilinks';

const codeLanguages = LANGUAGES.map(({ name, alias, load }) =>
  LanguageDescription.of({
    name,
    alias,
    load: async () => {
      const parser = await load();
      return new LanguageSupport(parser instanceof LRParser ? LRLanguage.define({ parser }) : new Language(defineLanguageFacet(), parser, [], name));
    },
  }),
);

/** Assigns classes to Markdown; the colours are in `look.ts`. */
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
]);

const extensions = [wikilinks, marksOfText];

/** Parses a part of a page, without code of other languages. */
export const partParser = (markdownLanguage.parser as MarkdownParser).configure(extensions);

export function pageLanguage(): Extension {
  const content = markdown({ base: markdownLanguage, codeLanguages, extensions, completeHTMLTags: false, addKeymap: false, pasteURLAsLink: true });
  return [yamlFrontmatter({ content }), syntaxHighlighting(classes), syntaxHighlighting(codeColours)];
}
