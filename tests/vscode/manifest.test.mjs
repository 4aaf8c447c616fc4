// What the manifest of the extension promises: every command exists, every text is there in both languages, and nothing is
// offered that would write or start programs in a workspace that is not trusted.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const extension = join(dirname(fileURLToPath(import.meta.url)), '../../npm/vscode');
const text = (path) => readFileSync(join(extension, path), 'utf8');
const json = (path) => JSON.parse(text(path));
const manifest = json('package.json');
const { contributes } = manifest;
const sources = readdirSync(join(extension, 'src'), { recursive: true }).filter((name) => name.endsWith('.ts')).map((name) => text(join('src', name)));
const source = sources.join('\n');
const found = (text, pattern) => [...text.matchAll(pattern)].map(([, first]) => first);

test('every command of the manifest is registered, and the other way round', () => {
  const registered = found(source, /^\s*command\('(\w+)'/gm).map((name) => `ubp.${name}`).sort();
  // A lens of the server calls this one.
  const declared = [...contributes.commands.map(({ command }) => command), 'ubp.showReferences'].sort();
  assert.deepEqual(registered, declared);
});

test('menus, the walkthrough and the menu of the status bar name commands that exist', () => {
  const known = new Set([...contributes.commands.map(({ command }) => command), ...contributes.views.ubp.map(({ id }) => `${id}.focus`)]);
  for (const [menu, items] of Object.entries(contributes.menus)) {
    for (const { command } of items) assert(known.has(command), `${menu}: ${command}`);
  }
  for (const name of found(/const MENU = \[([^\]]+)\]/.exec(source)[1], /'(\w+)'/g)) assert(known.has(`ubp.${name}`), name);
  for (const nls of [json('package.nls.json'), json('package.nls.ja.json')]) {
    for (const [key, value] of Object.entries(nls)) for (const command of found(value, /\(command:([\w.]+)\)/g)) assert(known.has(command), `${key}: ${command}`);
  }
  for (const event of contributes.walkthroughs.flatMap(({ steps }) => steps).flatMap(({ completionEvents }) => completionEvents)) {
    if (event.startsWith('onCommand:')) assert(known.has(event.slice(10)), event);
  }
});

test('every key of the manifest has a text in English and in Japanese, and no text is unused', () => {
  const used = found(JSON.stringify(manifest), /"%([\w.]+)%"/g).sort();
  for (const name of ['package.nls.json', 'package.nls.ja.json']) {
    const texts = json(name);
    assert.deepEqual(Object.keys(texts).sort(), used, name);
    for (const [key, value] of Object.entries(texts)) assert(value.trim() !== '', `${name}: ${key}`);
  }
  const japanese = json('package.nls.ja.json');
  const same = ['displayName'];
  for (const [key, value] of Object.entries(japanese)) assert(same.includes(key) || /[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u.test(value), key);
});

test('every sentence of the sources is translated', () => {
  const said = new Set(found(source, /\bt\(\s*'((?:[^'\\]|\\.)*)'/g));
  const japanese = json('l10n/bundle.l10n.ja.json');
  assert.deepEqual(Object.keys(japanese).sort(), [...said].sort());
  const holes = (sentence) => found(sentence, /(\{\d\})/g).sort();
  for (const [english, translated] of Object.entries(japanese)) assert.deepEqual(holes(translated), holes(english), english);
  // Otherwise the pattern above would miss one.
  assert.equal(found(source, /(l10n\.t\(\s*[^'\s])/g).length, 0);
});

test('files that the manifest names exist, in Japanese too', () => {
  const files = [manifest.icon, contributes.viewsContainers.activitybar[0].icon];
  for (const { steps } of contributes.walkthroughs) for (const { media } of steps) files.push(media.markdown, media.markdown.replace(/\.md$/, '.nls.ja.md'));
  for (const file of files) assert(existsSync(join(extension, file)), file);
});

test('settings that the sources read exist, with the default that they use', () => {
  const settings = contributes.configuration.properties;
  const reads = [...source.matchAll(/(?:getConfiguration\('ubp'\)|settings)\.get\('([\w.]+)', ([^)]+)\)/g)];
  assert(reads.length >= 6, String(reads.length));
  for (const [, name, value] of reads) {
    const known = settings[`ubp.${name}`];
    assert(known, name);
    assert.equal(known.default, value === 'true' ? true : value === 'false' ? false : value.slice(1, -1), name);
  }
  for (const [name, { description, markdownDescription }] of Object.entries(settings)) assert(description ?? markdownDescription, name);
});

test('a workspace that is not trusted reads only, and cannot choose the program', () => {
  const { untrustedWorkspaces, virtualWorkspaces } = manifest.capabilities;
  assert.equal(untrustedWorkspaces.supported, 'limited');
  assert(untrustedWorkspaces.restrictedConfigurations.includes('ubp.path'));
  assert.equal(virtualWorkspaces, false);
  const writes = ['newPage', 'stillAccurate', 'acceptProposal', 'rejectProposal'];
  for (const name of writes) {
    assert.equal(contributes.commands.find(({ command }) => command === `ubp.${name}`).enablement, '!ubp.readOnly', name);
  }
  for (const items of Object.values(contributes.menus)) {
    for (const { command, when } of items) {
      if (['ubp.openRead', 'ubp.openGraph', 'ubp.openLocalGraph', 'ubp.openInBrowser', 'ubp.init'].includes(command)) assert.match(when, /isWorkspaceTrusted/, command);
    }
  }
});

test('only interfaces are used that every editor has', () => {
  assert.equal(manifest.enabledApiProposals, undefined);
  assert.equal(`^${json('node_modules/@types/vscode/package.json').version}`, manifest.engines.vscode);
  assert.equal(manifest.version, JSON.parse(readFileSync(join(extension, '../ubp/package.json'), 'utf8')).version);
});
