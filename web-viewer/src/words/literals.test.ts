import { describe, expect, it } from 'vitest';
import { literalsIn } from './literals';

const sources = import.meta.glob<string>('../**/*.{svelte,ts}', { query: '?raw', import: 'default', eager: true });

/** Files with words that are not for people: names of languages, of syntax nodes, of elements, and documents and style sheets as text. */
const OTHER_WORDS = new Set(['code/languages.ts', 'diagrams/svg.ts', 'editor/look.ts', 'editor/coediting/look.ts', 'editor/live/look.ts', 'editor/wikilinks.ts', 'editor/marks-of-text.ts', 'offline/notice.ts', 'parts/Icon.svelte', 'words/literals.ts']);
/** Names of products, and texts that are written into files or queries. */
const NAMES = new Set(['Unified Blueprint', 'VS Code', 'VSCodium', 'Cursor', 'Zed', 'JetBrains IDEs', 'TextMate', 'vscode://file/', 'H']);

/** The path of a file in `src`; here, those of this folder begin with `./`. */
const pathOf = (name: string) => name.replace(/^\.\//, 'words/').replace(/^\.\.\//, '');

const read = Object.entries(sources)
  .map(([name, source]) => ({ path: pathOf(name), source }))
  .filter(({ path }) => !/\.test\.ts$|\/testing\.ts$/.test(path) && !/^words\/(en|ja)\//.test(path) && !OTHER_WORDS.has(path))
  .map(({ path, source }) => ({ path, ...literalsIn(path, source) }));

describe('words', () => {
  it('are all in a message catalogue', () => {
    const missing = read.flatMap(({ path, found }) => found.filter(({ text }) => !NAMES.has(text)).map(({ line, text }) => `${path}:${line}: ${text}`));
    expect(read.length).toBeGreaterThan(200);
    expect(missing).toEqual([]);
  });

  it('are read when they are shown, because the language may change', () => {
    expect(read.flatMap(({ path, kept }) => kept.map(({ line, text }) => `${path}:${line}: ${text}`))).toEqual([]);
  });
});

describe('a word that is in no catalogue is found', () => {
  const inComponent = (source: string) => literalsIn('A.svelte', source).found.map(({ text }) => text);
  const inScript = (source: string) => literalsIn('a.ts', source).found.map(({ text }) => text);

  it.each([
    ['<p>done</p>', 'done'],
    ['<button aria-label="close"></button>', 'close'],
    ['<input placeholder={isNew ? `add to ${name}` : ""} />', 'add to'],
    ['<Sheet label="Problem" />', 'Problem'],
    ['<p>{count} {count === 1 ? "Page" : "Pages"}</p>', 'Page'],
    ['<script lang="ts">const NAMES = { a: "Sort by" };</script>', 'Sort by'],
    ['{#snippet more()}<b>or</b>{/snippet}', 'or'],
  ])('%s', (source, text) => expect(inComponent(source)).toContain(text));

  it.each([
    ['toasts.tell(`${count} moved`)', 'moved'],
    ['layout.announce(isOpen ? "open" : "closed")', 'open'],
    ['throw new ClientError("gone", "deleted")', 'deleted'],
    ['element.textContent = "link"', 'link'],
    ['element.setAttribute("aria-label", "done")', 'done'],
    ['const items = [{ label: "rename", run }]', 'rename'],
    ['const text = `Moved ${page} to ${folder}`', 'Moved to'],
    ['const failed = () => "An error occurred"', 'An error occurred'],
  ])('%s', (source, text) => expect(inScript(source)).toContain(text));

  it('with its line', () => expect(literalsIn('a.ts', 'const a = 1;\nconst b = "Two words";').found).toEqual([{ line: 2, text: 'Two words' }]));

  it.each(['element.className = "Big one"', 'main.querySelector("a b, c d")', 'if (kind === "Two words") run()', 'throw new Error("Bad state of things")', 'const keys = ["Mod+Shift+K", "Escape"]', 'import a from "./Some File"', 'element.setAttribute("role", "note")'])('but no other text: %s', (source) => expect(inScript(source)).toEqual([]));
});

describe('a message that is kept is found', () => {
  const kept = (path: string, source: string) => literalsIn(path, source).kept.length;

  it('in a module and in a component', () => {
    expect(kept('a.ts', 'const LABELS = { a: words.graph.none };')).toBe(1);
    expect(kept('A.svelte', '<script lang="ts">const LABELS = [words.graph.none];</script>')).toBe(1);
  });

  it('but not where it is read each time', () => {
    expect(kept('a.ts', 'const label = () => words.graph.none; class A { get b() { return words.graph.none; } }')).toBe(0);
    expect(kept('A.svelte', '<script lang="ts">const label = $derived(words.graph.none); const all = $derived.by(() => words.graph.all);</script><p>{words.graph.none}</p>')).toBe(0);
  });
});
