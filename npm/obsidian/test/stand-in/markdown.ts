// Reading view: a small part of Markdown with links as Obsidian renders them, and the post processors of plugins.
import type * as O from 'obsidian';
import { Component } from './events';

export class MarkdownRenderChild extends Component {
  constructor(readonly containerEl: HTMLElement) {
    super();
  }
}

export const postProcessors = new Set<O.MarkdownPostProcessor>();

const LINK = /\[\[([^\]|]+)(?:\\?\|([^\]]+))?\]\]|\[([^\]]+)\]\(([^)]+\.md)\)|`([^`]+)`/g;

function inline(into: HTMLElement, text: string): void {
  let at = 0;
  for (const match of text.matchAll(LINK)) {
    into.append(text.slice(at, match.index));
    at = match.index + match[0].length;
    const [, target, label, words, path, code] = match;
    if (code !== undefined) into.createEl('code', { text: code });
    else {
      const href = target ?? decodeURI(path ?? '');
      into.createEl('a', { cls: 'internal-link', text: label ?? words ?? href.replace(/#/g, ' > '), attr: { 'data-href': href, href, target: '_blank', rel: 'noopener nofollow' } });
    }
  }
  into.append(text.slice(at));
}

/** Renders every block as a section of its own, and lets plugins change it. */
export async function renderMarkdown(text: string, into: HTMLElement, sourcePath: string, component: Component): Promise<void> {
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '');
  for (const block of body.split(/\n{2,}/).filter((part) => part.trim())) {
    const section = into.createDiv();
    const heading = /^(#{1,6}) (.*)/.exec(block);
    if (heading) inline(section.createEl(`h${heading[1]!.length}` as 'h1'), heading[2]!);
    else if (block.startsWith('```')) section.createEl('pre').createEl('code', { text: block.replace(/^```.*\n?|```$/g, '') });
    else inline(section.createEl('p'), block);
    const context = {
      docId: 'stand-in',
      sourcePath,
      frontmatter: null,
      addChild: (child: O.MarkdownRenderChild) => void component.addChild(child),
      getSectionInfo: () => ({ text, lineStart: 0, lineEnd: 0 }),
    };
    for (const process of postProcessors) await process(section, context);
  }
}

export class MarkdownRenderer {
  static render(_app: O.App, markdown: string, element: HTMLElement, sourcePath: string, component: O.Component): Promise<void> {
    return renderMarkdown(markdown, element, sourcePath, component as unknown as Component);
  }
}
