// The guidelines of Obsidian, as far as a program can check them: in the built plugin, its sources and its manifest.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { mainScript, manifest, plugin } from './support.mjs';

const sources = readdirSync(join(plugin, 'src'), { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => [name, readFileSync(join(plugin, 'src', name), 'utf8')]);

/** What plugins must not do, each with a text that the pattern finds. */
const FORBIDDEN = {
  'code from strings': [/\beval\s*\(|\bnew Function\b|[^\w`]Function\s*\(/, 'new Function("x")'],
  'HTML from strings': [/\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write\b/, 'a.innerHTML = b'],
  'the network': [/\bfetch\s*\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\brequestUrl\b|\bajax(Promise)?\b/, 'await fetch (url)'],
  'downloading code': [/importScripts|\bimport\s*\(/, 'import("x")'],
};
const NODE = /require\(["'`](?!obsidian["'`]|@codemirror\/)([^"'`]+)/g;

test('the built plugin and its thread contain nothing that is forbidden', () => {
  const script = mainScript();
  for (const [what, [pattern, example]] of Object.entries(FORBIDDEN)) {
    assert.match(example, pattern);
    const found = pattern.exec(script);
    assert.equal(found && script.slice(found.index - 60, found.index + 80), null, what);
  }
  // Only desktops have this module, and only freshness uses it.
  assert.deepEqual([...script.matchAll(NODE)].map(([, name]) => name), ['child_process']);
  assert.match(script, /module\.exports = UnifiedBlueprint/);
});

test('sources use the API as the guidelines ask', () => {
  const rules = {
    'views are not detached': /detachLeavesOfType/,
    'no global app': /\bwindow\.app\b|(?<![.\w#])app\.(vault|workspace)/,
    'no default hotkeys': /hotkeys:/,
    'headings of settings are settings': /createEl\(['"]h[1-6]/,
    'no styles in scripts': /\.style\.|cssText|setAttribute\(['"]style/,
    'notes are changed with process': /vault\.(modify|adapter\.write)|adapter\.(write|process|remove|rename)/,
    'no own casts of files': /as TFile|as TFolder/,
    'no logs': /console\.(log|debug|info)/,
  };
  const known = new Set(['accepting.ts', 'engine.ts', 'vault-files.ts', 'views/note-view.ts']);
  for (const [rule, pattern] of Object.entries(rules)) {
    for (const [name, text] of sources) {
      if (rule === 'no global app' && known.has(name)) continue;
      assert.equal(pattern.exec(text)?.[0], undefined, `${rule}: ${name}`);
    }
  }
  assert.ok(sources.length > 15);
});

test('words are in sentence case', () => {
  const english = sources.find(([name]) => name === join('words', 'en.ts'))[1];
  const texts = [...english.matchAll(/: (?:\([^)]*\) => )?['`]([^'`]+)['`]/g)].map(([, text]) => text);
  assert.ok(texts.length > 60, `only ${texts.length} texts`);
  const titled = texts.filter((text) => /^[A-Z][a-z]+( [A-Z][a-z]+)+/.test(text));
  assert.deepEqual(titled, []);
});

test('the manifest is complete, and versions name the version', () => {
  const versions = JSON.parse(readFileSync(join(plugin, 'versions.json'), 'utf8'));
  const cargo = readFileSync(join(plugin, '../../Cargo.toml'), 'utf8');
  assert.match(manifest.id, /^[a-z][a-z-]*$/);
  assert.ok(!/obsidian|plugin/i.test(manifest.id + manifest.name + manifest.description));
  assert.ok(manifest.description.length <= 250 && manifest.description.endsWith('.'));
  assert.equal(manifest.isDesktopOnly, false);
  assert.equal(manifest.version, /\[workspace\.package\]\s*version = "([^"]+)"/.exec(cargo)[1]);
  assert.equal(versions[manifest.version], manifest.minAppVersion);
});

test('Obsidian installs three files, and they are small enough for phones', () => {
  assert.deepEqual(readdirSync(join(plugin, 'dist')).sort(), ['main.js', 'manifest.json', 'styles.css']);
  const bytes = statSync(join(plugin, 'dist/main.js')).size;
  assert.ok(bytes < 2_600_000, `main.js has ${bytes} bytes`);
});
