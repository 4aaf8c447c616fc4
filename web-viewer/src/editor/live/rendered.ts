// Which blocks of the page are shown rendered. A state field, because blocks change the height of the text. It scans the top
// level of the syntax tree only; a block is drawn when it comes on screen.
import { getChunks } from '@codemirror/merge';
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import { StateField, type ChangeDesc, type EditorState, type Extension, type Range, type Transaction } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import type { SyntaxNode, Tree, TreeCursor } from '@lezer/common';
import { linksAnswered } from '../link-marks';
import { pageContext } from '../page-context';
import { fenceIn, LiveBlock, measureBlocks, type BlockKind } from './block-widgets';
import { isRenderable } from './blocks';
import { refreshBlocks } from './code-widgets';
import { isComposing, isEntered, movesCursor, settled } from './cursor';
import { refreshEmbeds } from './embeds';
import { refreshLinks } from './links';
import { pictureOf, refreshPictures } from './pictures';

export interface Block {
  from: number;
  to: number;
  kind: BlockKind;
}

interface Rendered {
  tree: Tree;
  /** All blocks, open ones included. */
  blocks: readonly Block[];
  /** The open ones, to find out whether that changed. */
  open: string;
  shown: DecorationSet;
}

/** Milliseconds that opening a page waits for its beginning to be parsed. */
const BEGINNING = 20;
const BEGINNING_CHARACTERS = 4_000;

function kindOf(state: EditorState, { name, from, to }: TreeCursor, node: () => SyntaxNode): BlockKind | null {
  if (name === 'Table') return 'table';
  if (name === 'FencedCode') return isRenderable(fenceIn(state.sliceDoc(from, state.doc.lineAt(from).to)).language) ? 'fence' : null;
  if (name !== 'Paragraph') return null;
  const child = node().firstChild;
  if (!child || child.from !== from || child.to !== to) return null;
  if (child.name === 'DisplayMath') return isRenderable('math') ? 'maths' : null;
  if (child.name !== 'Image' && child.name !== 'WikiEmbed') return null;
  const picture = pictureOf(child, state.sliceDoc(from, to));
  if (picture) return 'picture';
  // Other files than pages and bases are shown as links.
  return child.name === 'WikiEmbed' && !/\.[a-z0-9]{2,4}(?=[\]|#])/i.test(state.sliceDoc(from, to).replace(/\.(md|base)(?=[\]|#])/i, '')) ? 'embed' : null;
}

function scan(state: EditorState, tree: Tree): Block[] {
  const found: Block[] = [];
  tree.iterate({
    enter(reference) {
      if (/^(Document|Body)$/.test(reference.name) || reference.type.isTop) return true;
      const kind = kindOf(state, reference as unknown as TreeCursor, () => reference.node);
      if (kind) found.push({ from: state.doc.lineAt(reference.from).from, to: state.doc.lineAt(reference.to).to, kind });
      return false;
    },
  });
  return found;
}

/** `before` are the decorations in the same text, whose unchanged blocks are kept. */
function show(state: EditorState, tree: Tree, blocks: readonly Block[], before: DecorationSet, changes: ChangeDesc | null): Rendered {
  const kept = new Map<number, { to: number; value: Decoration }>();
  for (const at = before.iter(); at.value; at.next()) if (!changes?.touchesRange(at.from, at.to)) kept.set(at.from, { to: at.to, value: at.value });
  const context = state.facet(pageContext);
  const ranges: Range<Decoration>[] = [];
  const open: number[] = [];
  // A conflict is decided on the source.
  const isConflict = getChunks(state) !== null;
  for (const { from, to, kind } of blocks) {
    if (isConflict || isEntered(state, from, to)) open.push(from);
    else {
      const known = kept.get(from);
      const isKnown = known?.to === to && (known.value.spec as { widget: LiveBlock }).widget.kind === kind;
      const value = isKnown && known ? known.value : Decoration.replace({ widget: new LiveBlock(kind, state.sliceDoc(from, to), context), block: true });
      ranges.push(value.range(from, to));
    }
  }
  return { tree, blocks, open: open.join(), shown: Decoration.set(ranges) };
}

function openNow(state: EditorState, blocks: readonly Block[]): string {
  return blocks
    .filter(({ from, to }) => isEntered(state, from, to))
    .map(({ from }) => from)
    .join();
}

function update(value: Rendered, transaction: Transaction): Rendered {
  const { state, changes, docChanged, effects } = transaction;
  const moved = docChanged
    ? value.blocks.map(({ from, to, kind }) => ({ from: changes.mapPos(from, 1), to: changes.mapPos(to, -1), kind })).filter(({ from, to }) => from < to)
    : value.blocks;
  if (isComposing(state)) return docChanged ? { ...value, blocks: moved, shown: value.shown.map(changes) } : value;
  const tree = syntaxTree(state);
  // A renderer may have been registered.
  const isAsked = effects.some((effect) => effect.is(settled));
  const isConflict = (getChunks(state) !== null) !== (getChunks(transaction.startState) !== null);
  if (docChanged || isAsked || tree !== value.tree) {
    // What is not parsed yet stays as it is.
    const blocks = [...scan(state, tree), ...moved.filter(({ from }) => from > tree.length)];
    return show(state, tree, blocks, value.shown.map(changes), docChanged ? changes.invertedDesc : null);
  }
  if (isConflict || (movesCursor(transaction) && openNow(state, moved) !== value.open)) return show(state, tree, moved, value.shown, null);
  return value;
}

export const rendered = StateField.define<Rendered>({
  create(state) {
    const tree = ensureSyntaxTree(state, Math.min(state.doc.length, BEGINNING_CHARACTERS), BEGINNING) ?? syntaxTree(state);
    return show(state, tree, scan(state, tree), Decoration.none, null);
  },
  update,
  provide: (field) => EditorView.decorations.from(field, ({ shown }) => shown),
});

/** Blocks that are shown rendered now, in order. */
export function closedBlocks(state: EditorState): readonly Block[] {
  const { blocks, shown } = state.field(rendered);
  const closed = new Set<number>();
  shown.between(0, state.doc.length, (from) => void closed.add(from));
  return blocks.filter(({ from }) => closed.has(from));
}

const upToDate = ViewPlugin.fromClass(
  class {
    #pagesChanged = false;

    update({ view, transactions, geometryChanged, docChanged, viewportChanged }: ViewUpdate): void {
      const news = transactions.flatMap(({ effects }) => effects.filter((effect) => effect.is(linksAnswered)));
      this.#pagesChanged ||= news.some(({ value }) => value === 'pages');
      if (news.length > 0 || geometryChanged || docChanged || viewportChanged) view.requestMeasure({ key: this, read: measureBlocks, write: () => this.#refresh(view) });
    }

    #refresh(view: EditorView): void {
      refreshLinks(view);
      refreshPictures(view);
      const context = view.state.facet(pageContext);
      if (context && this.#pagesChanged) {
        refreshEmbeds(view, context);
        refreshBlocks(view);
      }
      this.#pagesChanged = false;
    }
  },
);

export const renderedBlocks: Extension = [rendered, upToDate];
