// Widgets within a line: boxes of tasks, the language of a code block, the kind of a callout, rules, pictures, maths.
import { EditorView, WidgetType, type Command } from '@codemirror/view';
import { isolateHistory } from '@codemirror/commands';
import { pageContext } from '../page-context';
import { mathsElement, stopRendering } from './code-widgets';
import { pictureElement, type PictureSource } from './pictures';
import { writing } from '../../words/writing';

/** Sets or removes the `x` between the brackets that start at `open`: one character, one step of undo. */
export function toggleTask(view: EditorView, open: number): boolean {
  const { state } = view;
  const now = state.sliceDoc(open, open + 3);
  if (state.readOnly || !/^\[[ xX]\]$/.test(now)) return false;
  const insert = now === '[ ]' ? 'x' : ' ';
  view.dispatch({ changes: { from: open + 1, to: open + 2, insert }, annotations: isolateHistory.of('full'), userEvent: 'input.task' });
  return true;
}

/** Ticks the task in the line of the cursor, or removes its tick. */
export const tickTask: Command = (view) => {
  const line = view.state.doc.lineAt(view.state.selection.main.head);
  const lead = /^[\s>]*(?:[-*+]|\d+[.)])[ \t]+(?=\[[ xX]\](?:\s|$))/.exec(line.text)?.[0];
  return lead !== undefined && toggleTask(view, line.from + lead.length);
};

export class TaskBox extends WidgetType {
  constructor(
    readonly isDone: boolean,
    /** From the start of the widget to the bracket. */
    readonly offset: number,
    readonly isReadOnly: boolean,
  ) {
    super();
  }
  override eq(other: TaskBox): boolean {
    return other.isDone === this.isDone && other.offset === this.offset && other.isReadOnly === this.isReadOnly;
  }
  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.className = 'cm-task';
    box.checked = this.isDone;
    box.disabled = this.isReadOnly;
    box.tabIndex = -1;
    box.setAttribute('aria-label', writing.editor.taskDone);
    // The text keeps the focus and its cursor.
    box.addEventListener('mousedown', (event) => event.preventDefault());
    box.addEventListener('click', (event) => {
      event.preventDefault();
      toggleTask(view, view.posAtDOM(box) + this.offset);
    });
    return box;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

export class Label extends WidgetType {
  constructor(
    readonly text: string,
    readonly className: string,
  ) {
    super();
  }
  override eq(other: Label): boolean {
    return other.text === this.text && other.className === this.className;
  }
  toDOM(): HTMLElement {
    const label = document.createElement('span');
    label.className = this.className;
    label.textContent = this.text;
    return label;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

export class Rule extends WidgetType {
  override eq(): boolean {
    return true;
  }
  toDOM(): HTMLElement {
    const rule = document.createElement('span');
    rule.className = 'cm-rule';
    rule.setAttribute('role', 'separator');
    return rule;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

export class InlinePicture extends WidgetType {
  constructor(
    readonly picture: PictureSource,
    readonly key: string,
  ) {
    super();
  }
  override eq(other: InlinePicture): boolean {
    return other.key === this.key;
  }
  toDOM(view: EditorView): HTMLElement {
    const context = view.state.facet(pageContext);
    return context ? pictureElement(this.picture, context, view) : document.createElement('span');
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

/** A picture below its source. */
export class PictureBelow extends InlinePicture {
  override toDOM(view: EditorView): HTMLElement {
    const frame = super.toDOM(view);
    frame.classList.add('cm-picture-below');
    return frame;
  }
}

export class InlineMaths extends WidgetType {
  constructor(readonly source: string) {
    super();
  }
  override eq(other: InlineMaths): boolean {
    return other.source === this.source;
  }
  toDOM(view: EditorView): HTMLElement {
    return mathsElement(this.source, false, view);
  }
  override destroy(dom: HTMLElement): void {
    stopRendering(dom);
  }
  override ignoreEvent(): boolean {
    return false;
  }
}
