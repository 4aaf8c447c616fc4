// The syntax tree for commands. A page is parsed in the background after it opens, so the tree may end before their position.
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { SyntaxNode, Tree } from '@lezer/common';

/** Time for parsing as far as a position, in milliseconds. */
const PARSING = 200;

/** The tree as far as `pos` at least, unless parsing it takes too long. */
export function treeTo(state: EditorState, pos: number, most = PARSING): Tree {
  return ensureSyntaxTree(state, pos, most) ?? syntaxTree(state);
}

/** The innermost node around `pos` whose name matches. `side`: the text before `pos`, or behind it. */
export function around(state: EditorState, pos: number, side: -1 | 1, names: RegExp): SyntaxNode | null {
  for (let node: SyntaxNode | null = treeTo(state, pos).resolveInner(pos, side); node; node = node.parent) if (names.test(node.name)) return node;
  return null;
}
