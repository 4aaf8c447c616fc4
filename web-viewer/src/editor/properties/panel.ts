// The form above the text. It is not part of the text's element, so that input methods and the keys of its fields are the
// browser's alone.
import type { EditorState, Extension } from '@codemirror/state';
import { keymap, ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view';
import { mount, unmount } from 'svelte';
import { settings } from '../../state/settings.svelte';
import { isUnclosed } from '../front-matter';
import { linksAnswered } from '../link-marks';
import type { PropertiesState } from '../mount';
import { pageContext } from '../page-context';
import Form from './Form.svelte';
import { PropertiesForm } from './form.svelte';
import { hiding, isForm, lineOf, showEmpty, shownProperties } from './shown';
import { isBroken } from './model';
import { writing } from '../../words/writing';

class Panel {
  readonly dom = document.createElement('div');
  form: PropertiesForm | null = null;
  #app: Record<string, unknown> | null = null;
  readonly #sizes: ResizeObserver;

  constructor(view: EditorView) {
    this.dom.className = 'cm-properties';
    view.dom.insertBefore(this.dom, view.scrollDOM);
    const context = view.state.facet(pageContext);
    if (context) {
      this.form = new PropertiesForm(view, context);
      this.#app = mount(Form, { target: this.dom, props: { form: this.form } });
    }
    this.#sizes = new ResizeObserver(() => view.requestMeasure());
    this.#sizes.observe(this.dom);
  }

  update({ transactions }: ViewUpdate): void {
    this.form?.take();
    for (const { effects } of transactions) for (const effect of effects) if (effect.is(linksAnswered)) this.form?.learn(effect.value === 'pages');
  }

  /** Puts the cursor into the first field, or where a property is added. */
  focus(isLast = false): void {
    // The form may have been shown just now.
    requestAnimationFrame(() => {
      const fields = [...this.dom.querySelectorAll<HTMLElement>('input:not([tabindex="-1"]), [data-add]')];
      (isLast ? fields.findLast((field) => !field.matches('[data-add]')) ?? fields.at(-1) : fields[0])?.focus();
    });
  }

  destroy(): void {
    this.#sizes.disconnect();
    this.form?.close();
    if (this.#app) void unmount(this.#app);
    this.dom.remove();
  }
}

const panel = ViewPlugin.fromClass(Panel);

/** Writes what is typed in the form, before another action uses the text. */
export function finishProperties(view: EditorView): void {
  view.plugin(panel)?.form?.finishAll();
}

/** Goes to the form, and shows it if the YAML is shown or there is none. Broken YAML is shown at its line. */
export function editProperties(view: EditorView): boolean {
  const { state } = view;
  const own = view.plugin(panel);
  const shown = state.field(shownProperties);
  if (!own?.form || shown.isConflict) return false;
  if (isBroken(shown.read)) own.form.asYaml();
  else if (shown.matter) {
    settings.properties = true;
    own.form.asForm();
    own.focus();
  } else if (isUnclosed(state)) own.form.context.tell(writing.properties.unclosed);
  else if (!state.readOnly) {
    view.dispatch({ effects: showEmpty.of(true) });
    own.focus();
  }
  return true;
}

export function propertiesOf(state: EditorState): PropertiesState {
  const shown = state.field(shownProperties);
  return { isThere: shown.matter !== null, problem: isBroken(shown.read) ? { line: lineOf(shown), message: shown.read.message } : null };
}

export function changesProperties({ startState, state }: ViewUpdate): boolean {
  return startState.field(shownProperties) !== state.field(shownProperties);
}

/** From the first line of the text, the cursor goes up into the form. */
function upIntoForm(view: EditorView): boolean {
  const { state } = view;
  const shown = state.field(shownProperties);
  const { main, ranges } = state.selection;
  if (!shown.matter || !isForm(shown) || !main.empty || ranges.length > 1) return false;
  const body = Math.min(shown.matter.to + 1, state.doc.length);
  if (main.head > state.doc.lineAt(body).to) return false;
  // The first line may be wrapped.
  const { head } = view.moveVertically(main, false);
  const [here, above] = [view.coordsAtPos(main.head), view.coordsAtPos(head)];
  if (head >= body && here && above && above.top < here.top - 2) return false;
  view.plugin(panel)?.focus(true);
  return true;
}

export const properties: Extension = [
  hiding,
  panel,
  keymap.of([{ key: 'ArrowUp', run: upIntoForm }]),
];
