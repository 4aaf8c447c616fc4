import { describe, expect, it } from 'vitest';
import { plain } from './plain';

/** The text with highlighted parts in brackets. */
function shown(text: string, ...marked: string[]): string {
  const ranges = marked.map((part): [number, number] => [text.indexOf(part), text.indexOf(part) + part.length]);
  const told = plain(text, ranges);
  return told.ranges.reduceRight((done, [start, end]) => `${done.slice(0, start)}⟨${done.slice(start, end)}⟩${done.slice(end)}`, told.text);
}

describe('a snippet without markup', () => {
  it.each([
    ['a **bold** and *soft* word', 'a bold and soft word'],
    ['see [[Home]], [[Auth/Login#Flow|depends_on]] and ![[pic.png]]', 'see Home, Flow and pic.png'],
    ['by [[Obsidian Sync/Introduction|Obsidian Sync]], ![[pic.png|200]] and [[A#B|depends_on|that]]', 'by Obsidian Sync, pic.png and that'],
    ['…Sync|Obsidian Sync]] is one, [[Other page|ano…', '…Obsidian Sync is one, ano…'],
    ['…guide](docs/guide.md) and [another](docs/ot…', '…guide and another…'],
    ['…no link at all…', '…no link at all…'],
    ['read [the guide](docs/guide.md "Guide") first', 'read the guide first'],
    ['# Title\n- one\n- [x] two\n1. three\n> said', 'Title\none\ntwo\nthree\nsaid'],
    ['call `run()` and ~~not~~ ==this==', 'call run() and not this'],
    ['2 * 3 and snake_case and __init__ name', '2 * 3 and snake_case and init name'],
    ['an open [[link and a `tick', 'an open [[link and a tick'],
    ['**認証**の流れ', '認証の流れ'],
    ['<details><summary>More</summary> press <kbd>Ctrl</kbd><br/><img src="a.png" alt=""> now', 'More press Ctrl now'],
    ['a Vec<String>, the element `<kbd>`, 1 <b and c> 2', 'a Vec<String>, the element <kbd>, 1 <b and c> 2'],
    ['', ''],
  ])('%s', (text, expected) => expect(plain(text, []).text).toBe(expected));

  it('keeps the highlighted ranges', () => {
    expect(shown('a **bold** word in [[My Page|extends]]', 'bold', 'My Page')).toBe('a ⟨bold⟩ word in ⟨My Page⟩');
    expect(shown('**both** signs', '**both**')).toBe('⟨both⟩ signs');
    expect(shown('[[Page|depends_on]]', 'depends_on')).toBe('Page');
  });

  it('removes only markup characters, whatever the text', () => {
    const parts = ['[[', ']]', '|', '#', '**', '_', '`', '](', ')', 'a', 'é', '語', '\n', '- ', '🙂', ' '];
    let seed = 7;
    const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648);
    for (let round = 0; round < 2000; round++) {
      const text = Array.from({ length: next() % 14 }, () => parts[next() % parts.length]).join('');
      const told = plain(text, [[0, text.length]]);
      let at = 0;
      for (const letter of told.text) {
        at = text.indexOf(letter, at) + letter.length;
        expect(at).toBeGreaterThanOrEqual(letter.length);
      }
      expect(told.ranges.length).toBe(told.text ? 1 : 0);
    }
  });
});
