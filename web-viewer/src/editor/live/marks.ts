// Hides the marks of Markdown in the visible lines, except at the cursor.
import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate, type WidgetType } from '@codemirror/view';
import type { SyntaxNodeRef } from '@lezer/common';
import { linksAnswered } from '../link-marks';
import { pageContext } from '../page-context';
import { isRenderable } from './blocks';
import { isComposing, isTouched, movesCursor } from './cursor';
import { listItem } from './list-lines';
import { pictureOf } from './pictures';
import { InlineMaths, InlinePicture, Label, PictureBelow, Rule, TaskBox } from './small-widgets';
import { shownPart } from './written';

/** Collects the decorations of the visible text. */
export class Drawing {
  readonly found: Range<Decoration>[] = [];
  /** Nodes that reach into several visible ranges are visited once for each. */
  done = -1;

  constructor(readonly state: EditorState) {}

  #isOnOneLine(from: number, to: number): boolean {
    return this.state.doc.lineAt(from).to >= to;
  }

  hide(from: number, to: number): void {
    if (from < to && from > this.done && this.#isOnOneLine(from, to)) this.found.push(hidden.range(from, to));
  }

  replace(from: number, to: number, widget: WidgetType): void {
    if (from < to && from > this.done && this.#isOnOneLine(from, to)) this.found.push(Decoration.replace({ widget }).range(from, to));
  }

  below(at: number, widget: WidgetType): void {
    if (at > this.done) this.found.push(Decoration.widget({ widget, side: 1 }).range(at));
  }

  mark(from: number, to: number, className: string): void {
    if (from < to && from > this.done) this.found.push(Decoration.mark({ class: className }).range(from, to));
  }

  line(from: number, attributes: Record<string, string>): void {
    if (from > this.done) this.found.push(Decoration.line({ attributes }).range(from));
  }

  isTouched(from: number, to: number): boolean {
    return isTouched(this.state, from, to);
  }

  /** Whether the cursor is in the line of a position. */
  isLineTouched(pos: number): boolean {
    const { from, to } = this.state.doc.lineAt(pos);
    return isTouched(this.state, from, to);
  }
}

const hidden = Decoration.replace({});

type Drawer = (node: SyntaxNodeRef, drawing: Drawing) => boolean | void;

/** Hides children of a node unless the cursor is at the node. */
const without =
  (...names: string[]): Drawer =>
  ({ from, to, node }, drawing) => {
    if (drawing.isTouched(from, to)) return;
    for (let child = node.firstChild; child; child = child.nextSibling) if (names.includes(child.name)) drawing.hide(child.from, child.to);
  };

const heading: Drawer = ({ from, to, node }, drawing) => {
  if (drawing.isTouched(from, to)) return;
  const { doc } = drawing.state;
  for (const mark of node.getChildren('HeaderMark')) {
    const isFirst = mark.from === from;
    const space = isFirst ? (/^[ \t]*/.exec(doc.sliceString(mark.to, to))?.[0].length ?? 0) : 0;
    const before = isFirst ? 0 : (/[ \t]+$/.exec(doc.sliceString(from, mark.from))?.[0].length ?? 0);
    if (mark.to + space < to || !isFirst) drawing.hide(mark.from - before, mark.to + space);
    // The line below the text of the heading.
    if (!isFirst && doc.lineAt(mark.from).from === mark.from) drawing.line(mark.from, { class: 'cm-setext-rule' });
  }
};

const inlineCode: Drawer = (reference, drawing) => {
  drawing.mark(reference.from, reference.to, 'cm-inline-code');
  without('CodeMark')(reference, drawing);
};

const link: Drawer = ({ from, to, node }, drawing) => {
  const [open, close] = node.getChildren('LinkMark');
  if (!node.getChild('URL') || !open || !close || drawing.isTouched(from, to)) return;
  if (!drawing.state.sliceDoc(open.to, close.from).trim()) return;
  drawing.hide(open.from, open.to);
  drawing.hide(close.from, to);
};

const picture: Drawer = ({ from, to, node }, drawing) => {
  const written = drawing.state.sliceDoc(from, to);
  const found = pictureOf(node, written);
  if (!found) return node.name === 'WikiEmbed' ? wikiLink({ from, to, node } as SyntaxNodeRef, drawing) : undefined;
  // At the cursor the picture stays, so that a width can be chosen by sight.
  if (drawing.isTouched(from, to)) drawing.below(to, new PictureBelow(found, written));
  else drawing.replace(from, to, new InlinePicture(found, written));
  return false;
};

const wikiLink: Drawer = ({ from, to }, drawing) => {
  const answers = drawing.state.facet(pageContext)?.answers;
  if (!answers || drawing.isTouched(from, to)) return;
  const written = drawing.state.sliceDoc(from, to);
  const shown = shownPart(written, answers.link(written), answers.linkTypes, answers.labelFirst);
  drawing.hide(from, from + shown.from);
  drawing.hide(from + shown.to, to);
  if (!shown.isTarget) return;
  for (let at = shown.from; at < shown.to; at++) if (written[at] === '#' && at > shown.from) drawing.replace(from + at, from + at + 1, new Label(' › ', 'cm-link-part'));
};

const fence: Drawer = ({ from, to, node }, drawing) => {
  const { doc } = drawing.state;
  const first = doc.lineAt(from);
  const close = node.getChildren('CodeMark').at(-1);
  // As high open as closed, so that nothing moves.
  drawing.line(first.from, { class: 'cm-fence-line' });
  if (close && close.from > first.to) drawing.line(doc.lineAt(close.from).from, { class: 'cm-fence-line' });
  if (drawing.isTouched(from, to)) return;
  const info = node.getChild('CodeInfo');
  const language = info ? (/^[^\s{]*/.exec(doc.sliceString(info.from, info.to))?.[0] ?? '') : '';
  if (language) drawing.replace(from, first.to, new Label(language, 'cm-code-language'));
  else drawing.hide(from, first.to);
  if (close && close.from > first.to) drawing.hide(close.from, close.to);
};

const task: Drawer = ({ from, to, node }, drawing) => {
  const mark = node.parent?.prevSibling;
  const isBullet = mark?.name === 'ListMark' && !/\d/.test(drawing.state.sliceDoc(mark.from, mark.to));
  const start = isBullet && mark ? mark.from : from;
  if (drawing.isTouched(start, to)) return;
  const isSpaced = drawing.state.sliceDoc(to, to + 1) === ' ';
  drawing.replace(start, to + Number(isSpaced), new TaskBox(drawing.state.sliceDoc(from + 1, to - 1) !== ' ', from - start, drawing.state.readOnly));
};

const quoteMark: Drawer = ({ from, to }, drawing) => {
  if (drawing.isLineTouched(from)) return;
  const isSpaced = drawing.state.sliceDoc(to, to + 1) === ' ';
  drawing.hide(from, to + Number(isSpaced));
};

/** The marker of a callout. */
const CALLOUT = /^(?:[ \t]*>)*[ \t]*(\[!([^\]\n[]{1,40})\][+-]?)[ \t]*(.*)$/;

export function calloutIn(line: string): { kind: string; from: number; to: number; title: string } | null {
  const [, marker, name, title] = CALLOUT.exec(line) ?? [];
  if (!marker || !name?.trim()) return null;
  const from = line.indexOf(marker);
  const kind = (name.split('|')[0] ?? name).trim().toLowerCase().replace(/[^a-z0-9]/g, '-');
  return { kind, from, to: from + marker.length, title: title?.trim() ?? '' };
}

const quote: Drawer = ({ from, to }, drawing) => {
  const { doc } = drawing.state;
  const first = doc.lineAt(from);
  const callout = calloutIn(first.text.slice(from - first.from));
  if (!callout) return;
  for (let line = first; ; line = doc.line(line.number + 1)) {
    const edge = `${line.from === first.from ? ' cm-callout-title' : ''}${line.to >= to || line.number === doc.lines ? ' cm-callout-last' : ''}`;
    drawing.line(line.from, { class: `cm-callout-line${edge}`, 'data-callout': callout.kind });
    if (line.to + 1 >= to || line.number === doc.lines) break;
  }
  if (drawing.isLineTouched(from)) return;
  const name = callout.kind.charAt(0).toUpperCase() + callout.kind.slice(1);
  const [start, end] = [from + callout.from, from + callout.to];
  if (!callout.title) drawing.replace(start, end, new Label(name, 'cm-callout-name'));
  else drawing.hide(start, end + (/^[ \t]*/.exec(doc.sliceString(end, first.to))?.[0].length ?? 0));
};

const maths: Drawer = ({ from, to }, drawing) => {
  if (!isRenderable('math') || drawing.isTouched(from, to)) return;
  drawing.replace(from, to, new InlineMaths(drawing.state.sliceDoc(from, to).replace(/^\$+|\$+$/g, '')));
  return false;
};

const RULES: Record<string, Drawer> = {
  ATXHeading1: heading,
  ATXHeading2: heading,
  ATXHeading3: heading,
  ATXHeading4: heading,
  ATXHeading5: heading,
  ATXHeading6: heading,
  SetextHeading1: heading,
  SetextHeading2: heading,
  Emphasis: without('EmphasisMark'),
  StrongEmphasis: without('EmphasisMark'),
  Strikethrough: without('StrikethroughMark'),
  Highlight: without('HighlightMark'),
  InlineCode: inlineCode,
  Link: link,
  Autolink: without('LinkMark'),
  Image: picture,
  WikiEmbed: picture,
  WikiLink: wikiLink,
  InlineMath: maths,
  DisplayMath: maths,
  FencedCode: fence,
  Blockquote: quote,
  QuoteMark: quoteMark,
  ListItem: (node, drawing) => listItem(node.node, drawing),
  TaskMarker: task,
  Escape: ({ from, to }, drawing) => void (drawing.isTouched(from, to) || drawing.hide(from, from + 1)),
  HorizontalRule: ({ from, to }, drawing) => void (drawing.isTouched(from, to) || drawing.replace(from, to, new Rule())),
};

/** Nodes without marks inside. Tables that are open are shown as their source. */
const WHOLE = /^(Frontmatter|Table|CodeText|HTMLBlock|CommentBlock)$/;

function draw(view: EditorView): DecorationSet {
  const drawing = new Drawing(view.state);
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter(reference) {
        if (WHOLE.test(reference.name)) return false;
        return RULES[reference.name]?.(reference, drawing) ?? true;
      },
    });
    drawing.done = Math.max(drawing.done, to);
  }
  return Decoration.set(drawing.found, true);
}

export const hiddenMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = draw(view);
    }
    update({ view, state, startState, docChanged, viewportChanged, changes, transactions }: ViewUpdate): void {
      if (isComposing(state)) {
        if (docChanged) this.decorations = this.decorations.map(changes);
        return;
      }
      const isNews = transactions.some((transaction) => movesCursor(transaction) || transaction.effects.some((effect) => effect.is(linksAnswered)));
      if (docChanged || viewportChanged || isNews || syntaxTree(startState) !== syntaxTree(state)) this.decorations = draw(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

