// The cursor enters rendered blocks: by default, it would jump over text that is replaced.
import { EditorSelection, Prec, type EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, type Command } from '@codemirror/view';
import { follow } from '../following';
import { linkAt, type LinkInText } from '../links-in-text';
import { isTouched } from './cursor';
import { closedBlocks, type Block } from './rendered';

/** The first closed block between two positions, in the direction of the movement. */
function blockBetween(state: EditorState, head: number, moved: number, isDown: boolean): Block | null {
  const blocks = closedBlocks(state);
  if (isDown) return blocks.find(({ from }) => from > head && from <= moved) ?? null;
  return blocks.findLast(({ to }) => to < head && to >= moved) ?? null;
}

/** Whether two positions are on the same line of the screen. */
function isSameRow(view: EditorView, one: number, other: number): boolean {
  const [a, b] = [view.coordsAtPos(one), view.coordsAtPos(other)];
  return a === null || b === null || Math.abs(a.top - b.top) < 2;
}

function enter(isDown: boolean): Command {
  return (view) => {
    const { state } = view;
    const { main, ranges } = state.selection;
    if (!main.empty || ranges.length > 1) return false;
    const { head } = view.moveVertically(main, isDown);
    const line = state.doc.lineAt(main.head);
    // At the first or last line there is nothing to jump to.
    const edge = isDown ? Math.min(line.to + 1, state.doc.length) : Math.max(line.from - 1, 0);
    const isStuck = head >= line.from && head <= line.to && isSameRow(view, main.head, head);
    const block = blockBetween(state, main.head, isStuck ? edge : head, isDown);
    if (!block) return false;
    const anchor = isDown ? block.from : state.doc.lineAt(block.to).from;
    view.dispatch({ selection: EditorSelection.cursor(anchor), scrollIntoView: true, userEvent: 'select' });
    return true;
  };
}

interface Pressed {
  link: LinkInText;
  before: EditorSelection;
  x: number;
  y: number;
}

/** A click on a link whose source is hidden follows it, as in Obsidian. Links that lead nowhere are opened for editing. */
function followingOnClick(): Extension {
  let pressed: Pressed | null = null;
  return EditorView.domEventHandlers({
    mousedown(event, view) {
      pressed = null;
      if (event.button !== 0 || event.detail > 1 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
      const shown = event.target instanceof Element ? event.target.closest('.cm-page-link:not(.cm-missing)') : null;
      if (!shown) return false;
      const pos = view.posAtDOM(shown);
      const link = linkAt(view.state, pos);
      if (!link || isTouched(view.state, link.from, link.to)) return false;
      pressed = { link, before: view.state.selection, x: event.clientX, y: event.clientY };
      return false;
    },
    click(event, view) {
      const at = pressed;
      pressed = null;
      if (!at || !view.state.selection.main.empty || Math.hypot(event.clientX - at.x, event.clientY - at.y) > 4) return false;
      // The cursor stays where it was, for the way back.
      view.dispatch({ selection: at.before });
      void follow(view, at.link);
      return true;
    },
  });
}

export const movement: Extension = [
  Prec.high(
    keymap.of([
      { key: 'ArrowDown', run: enter(true) },
      { key: 'ArrowUp', run: enter(false) },
    ]),
  ),
  followingOnClick(),
];
