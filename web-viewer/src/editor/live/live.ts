// Live preview: pages look as readers see them, and show their Markdown at the cursor. Without it, the editor shows the source.
//
// **Invariants**
// - It changes decorations only: no byte of the text changes without a key or click of the user (`viewer/live-preview`,
//   "opening, switching and saving changes no byte").
// - Blocks that are not on screen are estimated, not drawn.
import { Compartment, type EditorState, type Extension, type StateEffect } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { picturesBelow } from '../pictures';
import { cursorOf } from './cursor';
import { liveLook } from './look';
import { hiddenMarks } from './marks';
import { movement } from './movement';
import { rendered, renderedBlocks } from './rendered';

const mode = new Compartment();

const extensionsOf = (isLive: boolean): Extension =>
  isLive ? [cursorOf(), renderedBlocks, hiddenMarks, movement, liveLook, EditorView.editorAttributes.of({ class: 'cm-live-preview' })] : picturesBelow;

export const isLive = (state: EditorState): boolean => state.field(rendered, false) !== undefined;

export function livePreview(isOn: boolean): Extension {
  return mode.of(extensionsOf(isOn));
}

/** Switches between live preview and source. */
export function switchTo(isOn: boolean, state: EditorState): StateEffect<unknown>[] {
  return isOn === isLive(state) ? [] : [mode.reconfigure(extensionsOf(isOn))];
}
