// The links of a text, from its syntax tree.
import type { EditorState } from '@codemirror/state';
import type { SyntaxNode } from '@lezer/common';
import { treeTo } from './tree';

export interface LinkInText {
  from: number;
  to: number;
  /** The target part. */
  target: { from: number; to: number };
  /** As written, including brackets. */
  written: string;
  kind: 'wiki' | 'embed' | 'markdown' | 'url';
}

function wiki(state: EditorState, node: SyntaxNode): LinkInText {
  const target = node.getChild('WikiTarget') ?? node;
  return { from: node.from, to: node.to, target, written: state.sliceDoc(node.from, node.to), kind: node.name === 'WikiEmbed' ? 'embed' : 'wiki' };
}

function markdown(state: EditorState, node: SyntaxNode): LinkInText | null {
  const url = node.getChild('URL');
  if (!url) return null;
  const outside = /^[a-z][a-z0-9+.-]*:/i.test(state.sliceDoc(url.from, Math.min(url.to, url.from + 40)));
  return { from: node.from, to: node.to, target: url, written: state.sliceDoc(node.from, node.to), kind: outside ? 'url' : 'markdown' };
}

export function linkOf(state: EditorState, node: SyntaxNode): LinkInText | null {
  if (node.name === 'WikiLink' || node.name === 'WikiEmbed') return wiki(state, node);
  if (node.name === 'Link') return markdown(state, node);
  if (node.name === 'Autolink' || (node.name === 'URL' && node.parent?.name !== 'Link' && node.parent?.name !== 'Image'))
    return { from: node.from, to: node.to, target: node, written: state.sliceDoc(node.from, node.to), kind: 'url' };
  return null;
}

/** The link that contains or touches `pos`, if any. */
export function linkAt(state: EditorState, pos: number): LinkInText | null {
  const tree = treeTo(state, pos);
  for (const side of [-1, 1] as const) {
    for (let node: SyntaxNode | null = tree.resolveInner(pos, side); node; node = node.parent) {
      const link = linkOf(state, node);
      if (link) return link;
    }
  }
  return null;
}

/** The external address of a link, if it may be opened. */
export function outsideUrl(state: EditorState, link: LinkInText): string | null {
  return allowedUrl(state.sliceDoc(link.target.from, link.target.to));
}

/** The address of a link as written, if it is external and may be opened. */
export function allowedUrl(written: string): string | null {
  const url = written.replace(/^<|>$/g, '');
  const whole = /^www\./i.test(url) ? `https://${url}` : url;
  return /^(https?|mailto):/i.test(whole) && URL.canParse(whole) ? whole : null;
}
