import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { applied, changesOf, type Edit } from './edits';
import { isBroken, read, type Property } from './model';

const edited = (source: string, edit: Edit, isWords = false): string | null => {
  const changes = changesOf(source, edit, isWords);
  return changes && applied(source, changes);
};

const propertiesOf = (source: string): readonly Property[] => {
  const model = read(source);
  if (isBroken(model)) throw new Error(model.message);
  return model.properties;
};

describe('reading', () => {
  test('each value has the kind that YAML gives it', () => {
    const source = 'title: Login\ncount: 3\nratio: 0.5\ndone: true\nquoted: "3"\nday: 2026-01-02\nat: 2026-01-02T10:00\nzoned: 2026-01-02T10:00:00Z\nempty:\ntags: [a, "b"]\nnames:\n  - x\n  - y\n';
    expect(propertiesOf(source).map(({ key, kind }) => `${key} ${kind}`)).toEqual([
      'title text',
      'count number',
      'ratio number',
      'done checkbox',
      'quoted text',
      'day date',
      'at time',
      'zoned text',
      'empty text',
      'tags list',
      'names list',
    ]);
  });

  test('what has no field is kept as it is written', () => {
    const source = 'map:\n  a: 1\nanchor: &x one\nalias: *x\ntag: !!str 3\nblock: |\n  text\nlong: one\n  two\nnested: [[a]]\nlines: [\n  a,\n]\n? asked\n: 1\nbelow:\n  text\n<<: { b: 1 }\n';
    expect(propertiesOf(source).filter(({ kind }) => kind !== 'other')).toEqual([]);
    expect(propertiesOf('{a: 1, b: [c]}\n').map(({ kind }) => kind)).toEqual(['other', 'other']);
  });

  test('broken YAML is reported with its line', () => {
    expect(read('title: A\nother: b: c\n')).toMatchObject({ line: 2 });
    expect(read('a: 1\nb: 2\na: 3\n')).toMatchObject({ line: 3, message: expect.stringContaining('unique') as string });
    expect(read('a: [1\n')).toHaveProperty('message');
    expect(read('- a\n')).toMatchObject({ line: 1 });
    expect(read('just words\n')).toMatchObject({ line: 1 });
    expect(read('# only a comment\n')).toMatchObject({ properties: [], isExtensible: true });
  });
});

describe('editing', () => {
  test.each<[string, string, Edit, string]>([
    ['a text keeps its quotes and its comment', 'a: "x" # why\n', { do: 'set', key: 'a', kind: 'text', text: 'y "z"' }, 'a: "y \\"z\\"" # why\n'],
    ['single quotes stay single', "a: 'x'\n", { do: 'set', key: 'a', kind: 'text', text: "it's" }, "a: 'it''s'\n"],
    ['a text that looks like a number stays a text', 'a: x\n', { do: 'set', key: 'a', kind: 'text', text: '12' }, 'a: "12"\n'],
    ['a text with a colon is quoted', 'a: x\n', { do: 'set', key: 'a', kind: 'text', text: 'b: c' }, 'a: "b: c"\n'],
    ['an empty value is filled before its comment', 'a: # why\nb: 1\n', { do: 'set', key: 'a', kind: 'text', text: 'x' }, 'a: x # why\nb: 1\n'],
    ['an empty text leaves the key', 'a: x # why\n', { do: 'set', key: 'a', kind: 'text', text: '' }, 'a: # why\n'],
    ['a number is written plainly', 'a: 1\n', { do: 'set', key: 'a', kind: 'number', text: '2.5' }, 'a: 2.5\n'],
    ['words in a field for a number are a text', 'a: 1\n', { do: 'set', key: 'a', kind: 'number', text: 'yes' }, 'a: "yes"\n'],
    ['a box keeps its capitals', 'a: True\n', { do: 'set', key: 'a', kind: 'checkbox', text: 'false' }, 'a: False\n'],
    ['a quoted date stays quoted', 'a: "2026-01-02"\n', { do: 'set', key: 'a', kind: 'date', text: '2026-01-03' }, 'a: "2026-01-03"\n'],
    ['an item in brackets', 'tags: [a, b] # c\n', { do: 'add', key: 'tags', text: 'c, d' }, 'tags: [a, b, "c, d"] # c\n'],
    ['the first item in brackets', 'tags: []\n', { do: 'add', key: 'tags', text: 'a' }, 'tags: [a]\n'],
    ['an item on a line of its own', 'tags:\n    - a # one\n# end\nb: 1\n', { do: 'add', key: 'tags', text: '[[X]]' }, 'tags:\n    - a # one\n    - "[[X]]"\n# end\nb: 1\n'],
    ['an item of a list without indentation', 'tags:\n- "a"\nb: 1\n', { do: 'add', key: 'tags', text: 'c' }, 'tags:\n- "a"\n- "c"\nb: 1\n'],
    ['the last item leaves an empty list', 'tags:\n  - a\nb: 1\n', { do: 'drop', key: 'tags', index: 0 }, 'tags: []\nb: 1\n'],
    ['one of several items', 'tags: [a, b, c]\n', { do: 'drop', key: 'tags', index: 1 }, 'tags: [a, c]\n'],
    ['the last of several items', 'tags: [a, b ]\n', { do: 'drop', key: 'tags', index: 1 }, 'tags: [a ]\n'],
    ['a comment between items stays', 'tags:\n  - a\n  # why b\n  - b\n', { do: 'drop', key: 'tags', index: 0 }, 'tags:\n  # why b\n  - b\n'],
    ['an item keeps its quotes', "tags: [a, 'b']\n", { do: 'replace', key: 'tags', index: 1, text: 'c' }, "tags: [a, 'c']\n"],
    ['a new list is written like the others', 'tags:\n  - a\n', { do: 'add', key: 'aliases', text: 'b' }, 'tags:\n  - a\naliases:\n  - b\n'],
    ['a new key goes to the end', 'a: 1\n\n# end\n', { do: 'set', key: 'my key', kind: 'text', text: 'x' }, 'a: 1\n\n# end\nmy key: x\n'],
    ['a new key has the indentation of the others', '  a: 1\n', { do: 'set', key: 'b', kind: 'text', text: 'x' }, '  a: 1\n  b: x\n'],
    ['a key is renamed in place', 'a: 1 # why\nb: 2\n', { do: 'rename', key: 'a', to: 'c: d' }, '"c: d": 1 # why\nb: 2\n'],
    ['a key is removed with its items', 'a: 1\ntags:\n  - x\n  - y # why\n\n# about b\nb: 2\n', { do: 'remove', key: 'tags' }, 'a: 1\n\n# about b\nb: 2\n'],
    ['a text becomes a list', 'a: x # why\n', { do: 'list', key: 'a', items: ['x'] }, 'a: [x] # why\n'],
    ['a list becomes a text', 'a:\n  - x\n  - y\nb: 1\n', { do: 'set', key: 'a', kind: 'text', text: 'x, y' }, 'a: x, y\nb: 1\n'],
  ])('%s', (_, source, edit, expected) => {
    expect(edited(source, edit)).toBe(expected);
  });

  test('words in one text are a list of tags', () => {
    expect(edited('tags: a, b c\n', { do: 'add', key: 'tags', text: 'd' }, true)).toBe('tags: [a, b, c, d]\n');
    expect(edited('tags: a b\n', { do: 'drop', key: 'tags', index: 0 }, true)).toBe('tags: [b]\n');
    expect(edited('aliases: One name\n', { do: 'add', key: 'aliases', text: 'Two' })).toBe('aliases: [One name, Two]\n');
  });

  test('edits that would change another value are refused', () => {
    expect(edited('a: 1\nb: 2\n', { do: 'rename', key: 'a', to: 'b' })).toBeNull();
    expect(edited('a: {b: 1}\n', { do: 'set', key: 'a', kind: 'text', text: 'x' })).toBeNull();
    expect(edited('a: [1\n', { do: 'set', key: 'b', kind: 'text', text: 'x' })).toBeNull();
    expect(edited('{a: 1}\n', { do: 'set', key: 'b', kind: 'text', text: 'x' })).toBeNull();
  });
});

const word = fc.constantFrom('a', 'login', '認証', 'x y', 'b: c', "it's", '"q"', '# no', '12', 'true', '2026-01-02', '[[Page]]', '- d', 'e, f', '', ' ', '~', 'null', '@x', '*y', '&z', '%', '!t', '{', ']', '\\', 'on', '😀');
const quoted = word.map((text) => JSON.stringify(text));
const plain = fc.constantFrom('a', 'some words', '認証', '3', 'true', '2026-01-02', '');
const comment = fc.constantFrom('', ' # why', '  # [a, b]: "c"');
const value = fc.oneof(
  plain.map((text) => (text ? ` ${text}` : '')),
  quoted.map((text) => ` ${text}`),
  word.map((text) => ` '${text.replaceAll("'", "''")}'`),
  fc.array(quoted, { maxLength: 4 }).map((items) => ` [${items.join(', ')}]`),
);
const entry = fc.oneof(
  fc.tuple(value, comment).map(([text, note]) => `${text}${note}\n`),
  fc.tuple(fc.constantFrom('', '  ', '    '), fc.array(fc.tuple(quoted, comment), { minLength: 1, maxLength: 4 })).map(([indent, items]) => `\n${items.map(([text, note]) => `${indent}- ${text}${note}\n`).join('')}`),
  fc.constantFrom(' |\n  text\n  more\n', '\n  nested: {a: 1}\n  other: [b]\n', ' &anchor text\n', ' [\n  a, # one\n  b,\n  ]\n', ' one\n  two\n'),
);
const between = fc.constantFrom('', '', '# a comment\n', '\n', '\n# one\n\n');
const matter = fc.array(fc.tuple(entry, between), { minLength: 1, maxLength: 6 }).map((parts) => parts.map(([text, gap], index) => `${gap}key${index}:${text}`).join(''));
const edit = fc.tuple(fc.nat(6), word, word, fc.nat(3), fc.constantFrom('set', 'add', 'replace', 'drop', 'list', 'rename', 'remove')).map(([which, text, other, index, what]): Edit => {
  const key = `key${which}`;
  if (what === 'set') return { do: 'set', key, kind: 'text', text };
  if (what === 'add') return { do: 'add', key, text };
  if (what === 'replace') return { do: 'replace', key, index, text };
  if (what === 'drop') return { do: 'drop', key, index };
  if (what === 'list') return { do: 'list', key, items: [text, other] };
  if (what === 'rename') return { do: 'rename', key, to: `new ${text}` };
  return { do: 'remove', key };
});

/** The lines of a key, without those of other keys. */
function linesOf(source: string, key: string): [number, number] {
  const lines = source.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`${key}:`));
  if (from < 0) return [lines.length - 1, lines.length - 1];
  const next = lines.findIndex((line, index) => index > from && !/^(\s|-|$)/.test(line));
  return [from, next < 0 ? lines.length - 1 : next];
}

test('an edit changes only the lines of its key', () => {
  let made = 0;
  fc.assert(
    fc.property(matter, edit, (source, wanted) => {
      const result = edited(source, wanted);
      if (result === null || result === source) return;
      made++;
      const [from, to] = linesOf(source, wanted.key);
      const [before, after] = [source.split('\n'), result.split('\n')];
      expect(after.slice(0, from)).toEqual(before.slice(0, from));
      expect(after.slice(after.length - (before.length - to))).toEqual(before.slice(to));
      // A comment is removed only with the line of its value.
      const lone = (lines: string[]) => lines.filter((line) => /^\s*#/.test(line));
      expect(lone(after)).toEqual(lone(before));
    }),
    { numRuns: 400 },
  );
  expect(made).toBeGreaterThan(100);
});

test('after an edit, the text has the value, and all others are as before', () => {
  fc.assert(
    fc.property(matter, edit, (source, wanted) => {
      const old = parse(source) as Record<string, unknown>;
      const property = propertiesOf(source).find(({ key }) => key === wanted.key);
      const result = edited(source, wanted);
      if (result === null) {
        // Refused only where there is no field, or no such key.
        expect(property === undefined || property.kind === 'other').toBe(true);
        return;
      }
      const now = (parse(result) ?? {}) as Record<string, unknown>;
      const expected = { ...old };
      const items = property?.kind === 'list' ? property.items.map(({ text }) => text) : property && property.kind !== 'other' && property.value.text.trim() ? [property.value.text] : [];
      const inList = (list: readonly string[]) => (now[wanted.key] as unknown[] | null)?.map(String) ?? list;
      delete expected[wanted.key];
      if (wanted.do === 'rename' && wanted.key in old) expected[wanted.to.trim()] = old[wanted.key];
      const others = { ...now };
      if (wanted.do !== 'rename') delete others[wanted.key];
      expect(others).toEqual(expected);
      if (wanted.do === 'set') expect(now[wanted.key] ?? '').toBe(wanted.text);
      if (wanted.do === 'list') expect(now[wanted.key]).toEqual(wanted.items);
      if (wanted.do === 'add') expect(inList([])).toEqual([...items, wanted.text]);
      if (wanted.do === 'remove') expect(wanted.key in now).toBe(false);
    }),
    { numRuns: 400 },
  );
});

test('reading never throws, and an edit of any text leaves valid YAML or is refused', () => {
  const piece = fc.constantFrom('a', 'b', ':', ' ', '\n', '-', '[', ']', '{', '}', '"', "'", '#', '|', '>', '&a', '*a', '!', '?', ',', '\t', '---', '...', '%', '<<', '0', '認');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }).map((parts) => parts.join('')), fc.constantFrom('a', 'b', 'c'), word, (source, key, text) => {
      read(source);
      for (const wanted of [{ do: 'set', key, kind: 'text', text }, { do: 'add', key, text }, { do: 'remove', key }] as const) {
        const result = edited(source, wanted);
        if (result !== null) expect(isBroken(read(result))).toBe(false);
      }
    }),
    { numRuns: 400 },
  );
});
