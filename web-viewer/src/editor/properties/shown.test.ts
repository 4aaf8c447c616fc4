import { EditorSelection, EditorState } from '@codemirror/state';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FORM_EVENT, hiding, isForm, shownProperties, showYaml } from './shown';

const MATTER = '---\na: 1\n---\n';
const stateOf = (doc: string, at = doc.length) => EditorState.create({ doc, selection: { anchor: at }, extensions: [hiding, EditorState.allowMultipleSelections.of(true)] });
const isShownAsForm = (state: EditorState) => isForm(state.field(shownProperties));

describe('front matter', () => {
  test('is a form if it is valid, and YAML if it is broken', () => {
    expect(isShownAsForm(stateOf(`${MATTER}text`))).toBe(true);
    expect(isShownAsForm(stateOf('---\na: b: c\n---\ntext'))).toBe(false);
    expect(isShownAsForm(stateOf('text'))).toBe(false);
  });

  test('that is broken from elsewhere is shown as YAML, and stays YAML when it is repaired', () => {
    let { state } = stateOf(`${MATTER}text`).update({ changes: { from: 7, to: 8, insert: 'b: c' } });
    expect(isShownAsForm(state)).toBe(false);
    state = state.update({ changes: { from: 7, to: 11, insert: '2' } }).state;
    expect(state.doc.toString()).toBe('---\na: 2\n---\ntext');
    expect(isShownAsForm(state)).toBe(false);
    expect(isShownAsForm(state.update({ effects: showYaml.of(false) }).state)).toBe(true);
  });

  test('that somebody types stays YAML; from the form or the file it is a form', () => {
    const typed = stateOf('---\na: 1\n--\ntext', 11).update({ changes: { from: 11, insert: '-' }, selection: { anchor: 12 }, userEvent: 'input.type' }).state;
    expect(isShownAsForm(typed)).toBe(false);
    expect(isShownAsForm(stateOf('text').update({ changes: { from: 0, insert: MATTER }, userEvent: FORM_EVENT }).state)).toBe(true);
    expect(isShownAsForm(stateOf('text').update({ changes: { from: 0, insert: MATTER } }).state)).toBe(true);
  });

  test('is shown as YAML if something in it is selected, as by the search', () => {
    const { state } = stateOf(`${MATTER}text`).update({ selection: { anchor: 4, head: 6 } });
    expect(isShownAsForm(state)).toBe(false);
    expect(state.selection.main).toMatchObject({ from: 4, to: 6 });
  });

  test('keeps the cursor out, also of what the file puts above it', () => {
    const state = stateOf(`${MATTER}text`);
    expect(state.update({ selection: { anchor: 0 } }).state.selection.main.head).toBe(MATTER.length);
    expect(state.update({ selection: { anchor: 0, head: MATTER.length + 4 } }).state.selection.main).toMatchObject({ from: MATTER.length, to: MATTER.length + 4 });
    const above = stateOf('text', 0).update({ changes: { from: 0, insert: MATTER } }).state;
    expect(above.selection.main.head).toBe(MATTER.length);
  });

  test('gets nothing that is dropped above it', () => {
    const { state } = stateOf(`${MATTER}one two`).update({ changes: [{ from: 0, insert: 'two' }, { from: MATTER.length + 4, to: MATTER.length + 7 }], userEvent: 'move.drop' });
    expect(state.doc.toString()).toBe(`${MATTER}twoone `);
  });

  test('that ends the page gets a line for what is typed behind it', () => {
    const { state } = stateOf('---\na: 1\n---').update({ changes: { from: 12, insert: 'x' }, selection: { anchor: 13 }, userEvent: 'input.type' });
    expect(state.doc.toString()).toBe('---\na: 1\n---\nx');
    expect(state.selection.main.head).toBe(14);
  });
});

test('nothing that is typed or deleted in the text changes the hidden front matter', () => {
  const body = 'one\n\ntwo words\n';
  const step = fc.record({ from: fc.nat(40), to: fc.nat(40), insert: fc.constantFrom('', 'x', '\n', '---\n', 'a: 2'), event: fc.constantFrom('input.type', 'input.paste', 'delete.backward', 'move.drop') });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      let state = stateOf(MATTER + body);
      for (const { from, to, insert, event } of steps) {
        const { length } = state.doc;
        const range = EditorSelection.range(Math.min(from, length), Math.min(to, length));
        state = state.update({ changes: { from: range.from, to: range.to, insert }, userEvent: event }).state;
      }
      expect(state.doc.sliceString(0, MATTER.length)).toBe(MATTER);
    }),
  );
});
