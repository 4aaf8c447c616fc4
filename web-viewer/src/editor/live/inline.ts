// Renders text within a block that is shown rendered, such as the cell of a table, from its syntax tree.
import type { SyntaxNode } from '@lezer/common';
import type { PageContext } from '../page-context';
import { allowedUrl } from '../links-in-text';
import { isRenderable } from './blocks';
import { mathsElement } from './code-widgets';
import { pictureElement, pictureOf } from './pictures';
import { shownPart } from './written';

const ELEMENTS: Record<string, string> = { Emphasis: 'em', StrongEmphasis: 'strong', Strikethrough: 's', InlineCode: 'code', Highlight: 'mark' };
const HIDDEN = /^(EmphasisMark|CodeMark|StrikethroughMark|HighlightMark|LinkMark|URL|LinkTitle|MathMark|WikiBracket)$/;
/** A line break in HTML; other tags are left out, and their text stays. */
const BREAK = /^<br\s*\/?>$/i;

interface Source {
  text: string;
  context: PageContext;
}

/** A link. `mark` in `links.ts` sets its type once the engine has resolved it. */
function link(written: string, kind: 'wiki' | 'markdown' | 'url', children: Node[]): HTMLElement {
  const made = document.createElement('a');
  made.className = kind === 'url' ? 'cm-page-link cm-outside' : 'cm-page-link link';
  made.dataset['written'] = written;
  made.dataset['kind'] = kind;
  made.setAttribute('role', 'link');
  made.append(...children);
  return made;
}

function entity(text: string): string {
  return new DOMParser().parseFromString(text, 'text/html').body.textContent ?? text;
}

function rendered(node: SyntaxNode, source: Source): Node[] {
  const written = source.text.slice(node.from, node.to);
  const name = ELEMENTS[node.name];
  if (name) {
    const made = document.createElement(name);
    made.append(...between(node, node.from, node.to, source));
    return [made];
  }
  switch (node.name) {
    case 'Link': {
      const url = node.getChild('URL');
      if (!url) return [document.createTextNode(written)];
      const outside = allowedUrl(source.text.slice(url.from, url.to));
      return [link(outside ?? written, outside ? 'url' : 'markdown', between(node, node.from, node.to, source))];
    }
    case 'Autolink':
    case 'URL': {
      const url = written.replace(/^<|>$/g, '');
      const outside = allowedUrl(url);
      return [outside ? link(outside, 'url', [document.createTextNode(url)]) : document.createTextNode(url)];
    }
    case 'WikiLink': {
      const { answers } = source.context;
      const { from, to, isTarget } = shownPart(written, answers.link(written), answers.linkTypes, answers.labelFirst);
      const shown = written.slice(from, to);
      return [link(written, 'wiki', [document.createTextNode(isTarget ? shown.replaceAll('#', ' › ') : shown)])];
    }
    case 'WikiEmbed':
    case 'Image': {
      const picture = pictureOf(node, written);
      return [picture ? pictureElement(picture, source.context) : document.createTextNode(written)];
    }
    case 'InlineMath':
    case 'DisplayMath': {
      if (isRenderable('math')) return [mathsElement(written.replace(/^\$+|\$+$/g, ''), false)];
      const made = document.createElement('code');
      made.textContent = written;
      return [made];
    }
    case 'Escape':
      return [document.createTextNode(written.slice(1))];
    case 'Entity':
      return [document.createTextNode(entity(written))];
    case 'HTMLTag':
      return BREAK.test(written) ? [document.createElement('br')] : [];
    default:
      return HIDDEN.test(node.name) ? [] : between(node, node.from, node.to, source);
  }
}

function between(parent: SyntaxNode, from: number, to: number, source: Source): Node[] {
  const made: Node[] = [];
  let at = from;
  const text = (end: number) => {
    if (end > at) made.push(document.createTextNode(source.text.slice(at, end)));
  };
  for (let child = parent.firstChild; child; child = child.nextSibling) {
    if (child.to <= from || child.from >= to) continue;
    text(child.from);
    made.push(...rendered(child, source));
    at = child.to;
  }
  text(to);
  return made;
}

/** The nodes of a part of `parent`, such as the cell of a row. */
export function inlineNodes(parent: SyntaxNode, from: number, to: number, text: string, context: PageContext): Node[] {
  return between(parent, from, to, { text, context });
}
