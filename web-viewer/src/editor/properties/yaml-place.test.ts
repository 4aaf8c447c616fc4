import { describe, expect, test } from 'vitest';
import { typeIn } from '../page-rules';
import { keysIn, placeIn } from './yaml-place';

/** The place of `|` in a text. */
function at(text: string): string | null {
  const offset = text.indexOf('|');
  const place = placeIn(text.replace('|', ''), offset);
  return place && `${place.key ?? ''}:${place.typed}:${place.form}:${offset - place.from}`;
}

describe('what is typed in YAML', () => {
  test('a key at the beginning of a line', () => {
    expect(at('sta|')).toBe(':sta:line:3');
    expect(at('type: adr\n|\ntags: [a]')).toBe('::line:0');
    expect(at('status|: open')).toBeNull();
    expect(at('  nested|')).toBeNull();
  });

  test('a value behind its key, in brackets and in a list of lines', () => {
    expect(at('status: |')).toBe('status::line:0');
    expect(at('status:|')).toBeNull();
    expect(at('status: op|')).toBe('status:op:line:2');
    expect(at('tags: [a, b|]')).toBe('tags:b:flow:1');
    expect(at('tags: [|')).toBe('tags::flow:0');
    expect(at('depends_on: [[Log|')).toBe('depends_on:[[Log:line:5');
    expect(at('tags:\n  - a\n  - b|')).toBe('tags:b:line:1');
    expect(at('a: b\n- c|')).toBeNull();
  });

  test('nothing in quotes, in comments and before other text', () => {
    for (const text of ['status: "op|"', 'status: open # no|', 'status: op|en', 'a: {b: c|', 'a: |x']) expect(at(text), text).toBeNull();
  });

  test('finds keys and the type in YAML that is not complete', () => {
    expect([...keysIn('type: adr\n- x\n  in: 1\nsta')]).toEqual(['type']);
    expect(['type: adr', 'title: x\ntype:  "a b"  # c\nsta', "docType: 'x'", 'type: adr # c'].map(typeIn)).toEqual(['adr', 'a b', 'x', 'adr']);
    expect(['mytype: adr', 'type:', 'type: # c', '  type: adr', ''].map(typeIn)).toEqual(['', '', '', '', '']);
  });
});
