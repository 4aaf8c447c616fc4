import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState, type StateCommand } from '@codemirror/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indent, outdent } from '../indenting';
import { pageLanguage, partParser } from '../language';
import { hasHeading } from '../stats';
import { fenceIn } from './block-widgets';
import { calloutIn } from './marks';
import { shownPart, sizeIn } from './written';

const TYPES = ['references', 'depends_on'];

describe('the shown part of a link', () => {
  const shown = (written: string, isLabelFirst = false) => {
    const { from, to } = shownPart(written, undefined, TYPES, isLabelFirst);
    return written.slice(from, to);
  };
  it.each([
    ['[[Page]]', 'Page'],
    ['[[ Page | label ]]', 'label'],
    ['[[Page|depends_on]]', 'Page'],
    ['[[Page|depends_on|label]]', 'label'],
    ['[[Page\\|label]]', 'label'],
    ['[[#Heading]]', 'Heading'],
    ['[[#^block]]', 'block'],
    ['[[Page#Heading]]', 'Page#Heading'],
    ['![[Page]]', 'Page'],
  ])('%s', (written, text) => expect(shown(written)).toBe(text));
  it('is the first part where a project writes labels first', () => expect(shown('[[label|page]]', true)).toBe('label'));
  it('lies within the link, whatever is written', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z#^|\\ ]{1,12}$/), (inside) => {
        const { from, to } = shownPart(`[[${inside}]]`, undefined, TYPES, false);
        expect(from >= 2 && from <= to && to <= inside.length + 2).toBe(true);
      }),
    );
  });
});

it('reads the size of a picture', () => {
  expect(sizeIn('![[a.png|300]]')).toEqual({ width: 300, height: null });
  expect(sizeIn('![[a.png|text|300x200]]')).toEqual({ width: 300, height: 200 });
  expect(sizeIn('![[a.png|text]]')).toBe(null);
});

it('reads the language and the inside of a fence, closed or not', () => {
  expect(fenceIn('```Mermaid x\na\n```')).toEqual({ info: 'Mermaid x', language: 'mermaid', inside: 'a' });
  expect(fenceIn('~~~\na\nb')).toEqual({ info: '', language: '', inside: 'a\nb' });
});

it('reads the first line of a callout', () => {
  expect(calloutIn('> [!NOTE]- Title')).toMatchObject({ kind: 'note', title: 'Title' });
  expect(calloutIn('> [note] Title')).toBe(null);
});

it('finds a heading that is the title', () => {
  const has = (doc: string) => hasHeading(EditorState.create({ doc }));
  expect(['# A\n', '---\na: b\n---\n\n# A', 'A\n===\n', '![x](y.png)\n# A'].map(has)).toEqual([true, true, true, true]);
  expect(['', 'Text\n# A', '---\ntitle: A\n---\nText', '## A'].map(has)).toEqual([false, false, false, false]);
});

describe('maths and highlights', () => {
  const names = (text: string) => {
    const found: string[] = [];
    partParser.parse(text).iterate({ enter: ({ name, from, to }) => void (/^(InlineMath|DisplayMath|Highlight)$/.test(name) && found.push(`${name} ${text.slice(from, to)}`)) });
    return found;
  };
  it('are found', () => expect(names('a $x^2$ b\n$$\ny\n$$\nand ==z==')).toEqual(['InlineMath $x^2$', 'DisplayMath $$\ny\n$$', 'Highlight ==z==']));
  it('are not found in prices, code and comparisons', () => expect(names('costs $5 and $6, `$x$`, a == b, \\$x$')).toEqual([]));
});

describe('Tab', () => {
  const after = (marked: string, command: StateCommand) => {
    const anchor = marked.indexOf('¦');
    let state = EditorState.create({ doc: marked.replace('¦', ''), selection: { anchor }, extensions: [pageLanguage()] });
    ensureSyntaxTree(state, state.doc.length, 5_000);
    command({ state, dispatch: (transaction) => (state = transaction.state) });
    return state.doc.toString();
  };
  it('indents an item to the text of the item above', () => {
    expect(after('- a\n- b¦', indent)).toBe('- a\n  - b');
    expect(after('3. a\n4. b¦', indent)).toBe('3. a\n   1. b');
    expect(after('10. a\n11. b¦\n    - c', indent)).toBe('10. a\n    1. b\n        - c');
    expect(after('- a\n\t- x\n- b¦', indent)).toBe('- a\n\t- x\n\t- b');
  });
  it('continues the numbers of an inner list', () => expect(after('1. a\n   1. x\n2. b¦', indent)).toBe('1. a\n   1. x\n   2. b'));
  it('does nothing to the first item', () => expect(after('- a¦\n- b', indent)).toBe('- a\n- b'));
  it('outdents an item with what belongs to it', () => expect(after('1. a\n   - b¦\n     - c', outdent)).toBe('1. a\n- b\n  - c'));
  it('uses the unit of the code', () => {
    expect(after('```\nif x:\n    a\n¦b\n```', indent)).toBe('```\nif x:\n    a\n    b\n```');
    expect(after('```\n{\n\ta\n¦b\n```', indent)).toBe('```\n{\n\ta\n\tb\n```');
    expect(after('```\n{\n\ta¦\n```', outdent)).toBe('```\n{\na\n```');
  });
});
