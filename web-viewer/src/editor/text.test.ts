import { ensureSyntaxTree } from '@codemirror/language';
import { EditorSelection, EditorState, Text, type StateCommand } from '@codemirror/state';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cycleHeading, toggleInline, toggleList } from './formatting';
import { frontMatterOf } from './front-matter';
import { pageLanguage } from './language';
import { leastChange } from './least-change';
import { linkAt } from './links-in-text';
import { beginningOf } from './preview';
import { typingAt } from './smart-linking';
import { headingsAbove, statsOf, titleIn } from './stats';
import { cellsOf } from './tables';

/** `|` is the cursor, `‹…›` a selection. */
function stateOf(marked: string): EditorState {
  const [open, close, bar] = [marked.indexOf('‹'), marked.indexOf('›'), marked.indexOf('¦')];
  const doc = marked.replace(/[‹›¦]/g, '');
  const selection = open >= 0 ? EditorSelection.single(open, close - 1) : EditorSelection.single(Math.max(0, bar));
  const state = EditorState.create({ doc, selection, extensions: [pageLanguage()] });
  ensureSyntaxTree(state, doc.length, 5_000);
  return state;
}

function after(marked: string, command: StateCommand): string {
  let state = stateOf(marked);
  command({ state, dispatch: (transaction) => (state = transaction.state) });
  return state.doc.toString();
}

const names = (state: EditorState) => {
  const found: string[] = [];
  ensureSyntaxTree(state, state.doc.length, 5_000)?.iterate({ enter: ({ name, from, to }) => void (name.startsWith('Wiki') && found.push(`${name} ${state.sliceDoc(from, to)}`)) });
  return found;
};

describe('double brackets', () => {
  it('have a target and a label', () => {
    expect(names(stateOf('see [[User DB|depends_on]].'))).toEqual([
      'WikiLink [[User DB|depends_on]]',
      'WikiBracket [[',
      'WikiTarget User DB',
      'WikiBracket |',
      'WikiLabel depends_on',
      'WikiBracket ]]',
    ]);
    expect(names(stateOf('![[a.png]]'))[0]).toBe('WikiEmbed ![[a.png]]');
  });

  it('do not exist in code, when escaped, when empty, or across lines', () => {
    for (const text of ['`[[a]]`', '```\n[[a]]\n```', '\\[[a]]', '[[]]', '[[a\nb]]', '[[a', '<!-- [[a]] -->']) expect(names(stateOf(text)), text).toEqual([]);
  });

  it('have an escaped pipe in tables', () => {
    expect(names(stateOf('| a |\n|---|\n| [[x\\|extends]] |'))).toContain('WikiTarget x');
  });

  it('are found from any position in them', () => {
    expect(linkAt(stateOf('a [[b]] c'), 2)?.written).toBe('[[b]]');
    expect(linkAt(stateOf('a [[b]] c'), 7)?.written).toBe('[[b]]');
    expect(linkAt(stateOf('a [[b]] c'), 8)).toBeNull();
    expect(linkAt(stateOf('[b](c.md)'), 3)?.kind).toBe('markdown');
    expect(linkAt(stateOf('<https://example.org>'), 5)?.kind).toBe('url');
  });
});

describe('the part of a link that is being typed', () => {
  const typing = (marked: string, labelFirst = false) => {
    const state = stateOf(marked);
    return typingAt(state, state.selection.main.head, labelFirst);
  };

  it('is a page, a heading or a type', () => {
    expect(typing('a [[Log¦')).toMatchObject({ stage: 'page', from: 4 });
    expect(typing('a [[Login#Fl¦]]')).toMatchObject({ stage: 'heading', page: 'Login', from: 10 });
    expect(typing('[[Login|dep¦]]')).toMatchObject({ stage: 'type', from: 8 });
    expect(typing('[[extends|Lo¦]]', true)).toMatchObject({ stage: 'page', from: 10 });
  });

  it('does not exist outside of links, in code and after the end', () => {
    for (const text of ['a¦', '[[a]]¦', '`[[a¦`', '```\n[[a¦\n```', '[[a\nb¦']) expect(typing(text), text).toBeNull();
  });
});

describe('headings above the cursor', () => {
  // A busy machine must not end parsing before the cursor.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('are counted, without text that only looks like a heading', () => {
    const text = '---\ntitle: A\n---\n# One\n\ntext\n\n```sh\n# a comment\n```\n\nTwo\n---\n\n> ## Three\n\nend';
    const at = (place: string) => headingsAbove(stateOf(text.replace(place, `${place}¦`)));
    expect(['title', '# One', 'text', 'comment', 'Two', 'Three', 'end'].map((place) => at(place).count)).toEqual([0, 1, 1, 1, 2, 2, 2]);
    expect([at('title').first, at('end').first, headingsAbove(stateOf('Two\n---\n¦')).first]).toEqual(['', 'One', 'Two']);
  });
});

describe('formatting', () => {
  it('adds and removes markup', () => {
    expect(after('a ‹word› b', toggleInline('bold'))).toBe('a **word** b');
    expect(after('a **‹word›** b', toggleInline('bold'))).toBe('a word b');
    expect(after('a ***‹word›*** b', toggleInline('italic'))).toBe('a **word** b');
    expect(after('a wo¦rd b', toggleInline('italic'))).toBe('a *word* b');
    expect(after('‹ a ›', toggleInline('code'))).toBe(' `a` ');
    expect(after('‹a`b›', toggleInline('code'))).toBe('`` a`b ``');
  });

  it('turns whole lines into headings and lists', () => {
    expect(after('a¦', cycleHeading)).toBe('## a');
    expect(after('## a¦', cycleHeading)).toBe('### a');
    expect(after('### a¦', cycleHeading)).toBe('a');
    expect(after('‹a\nb›', toggleList)).toBe('- a\n- b');
    expect(after('‹- a\n  - b›', toggleList)).toBe('a\n  b');
  });
});

describe('the smallest change', () => {
  it('turns any text into any other', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '\n', '認', '👩‍🚀', 'é', 'word '), { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (from, to) => {
        const state = EditorState.create({ doc: from, extensions: EditorState.lineSeparator.of('\n') });
        expect(state.update({ changes: leastChange(from, to) }).state.doc.toString()).toBe(to);
      }),
      { numRuns: 500 },
    );
  });

  it('never splits a character of two units', () => {
    const emoji = fc.array(fc.constantFrom('😀', '😁', '🐀', 'a', '\n')).map((signs) => signs.join(''));
    const half = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
    fc.assert(
      fc.property(emoji, emoji, (from, to) => {
        let at = 0;
        const parts: string[] = [];
        for (const change of leastChange(from, to) as { from: number; to: number; insert: string }[]) {
          parts.push(from.slice(at, change.from), from.slice(change.from, change.to), change.insert);
          at = change.to;
        }
        expect([...parts, from.slice(at)].filter((part) => half.test(part))).toEqual([]);
        expect(EditorState.create({ doc: from }).update({ changes: leastChange(from, to) }).state.doc.toString()).toBe(to);
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not touch unchanged text, so that a cursor there stays', () => {
    const [from, to] = ['one\ntwo\nthree\n', 'ONE\ntwo\nthree!\n'];
    const set = EditorState.create({ doc: from }).changes(leastChange(from, to));
    expect(set.mapPos(5)).toBe(5);
    expect(set.touchesRange(4, 7)).toBe(false);
  });

  it('is found quickly in a long page that changed completely', () => {
    const long = (word: string) => Array.from({ length: 20_000 }, (_, line) => `${word} ${line} of a page that is long`).join('\n');
    const began = performance.now();
    const [from, to] = [long('line'), long('row')];
    expect(EditorState.create({ doc: from }).update({ changes: leastChange(from, to) }).state.doc.eq(Text.of(to.split('\n')))).toBe(true);
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

describe('tables', () => {
  const cells = (row: string) => cellsOf(row).map(({ from, to }) => row.slice(from, to));

  it('have cells between unescaped pipes', () => {
    expect(cells('| a | b c |')).toEqual(['a', 'b c']);
    expect(cells('a | b')).toEqual(['a', 'b']);
    expect(cells('| [[x\\|extends]] |  |')).toEqual(['[[x\\|extends]]', '']);
  });
});

describe('front matter', () => {
  const range = (doc: string) => frontMatterOf(EditorState.create({ doc }));

  it('is between fences at the beginning of the text', () => {
    expect(range('---\na: 1\n---\ntext')).toEqual({ from: 0, to: 12 });
    expect(range('---\n---\n')).toEqual({ from: 0, to: 7 });
    for (const doc of ['text\n---\n---', '---\nno end', '', '----\n---', '---\na: 1\n...\ntext']) expect(range(doc), doc).toBeNull();
  });
});

describe('the statistics of a text', () => {
  it('counts words of every script, characters and links', () => {
    expect(statsOf('Two words, [[one link]].')).toEqual({ words: 4, characters: 24 });
    expect(statsOf('認証の flow').words).toBe(4);
  });

  it('finds the title', () => {
    const title = (doc: string) => titleIn(EditorState.create({ doc }));
    expect(title('---\ntitle: "A: b"\n---\n# C')).toBe('A: b');
    expect(title('\n# Heading #\n')).toBe('Heading');
    expect(title('<img src="a.svg">\n\n#tag\n![[b.png]]\n\n# Heading')).toBe('Heading');
    expect(title('text\n\n# Not the title')).toBeNull();
    expect(title('## Sub\n\n# Not the title')).toBeNull();
  });

  it('cuts text between grapheme clusters', () => {
    expect(beginningOf('a  b\nc')).toBe('a b c');
    expect(beginningOf('👩‍🚀'.repeat(201))).toBe(`${'👩‍🚀'.repeat(200)}…`);
    expect(beginningOf('x'.repeat(200))).toBe('x'.repeat(200));
  });
});
