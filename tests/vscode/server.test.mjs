// The language server as the extension uses it: what it asks for, and the answers that its views show.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Editor } from './language-client.mjs';
import { LOGIN, PAGES, project } from './project.mjs';

const program = process.env.UBP_UNDER_TEST;
if (!program) throw new Error('UBP_UNDER_TEST is not set: the path of the program to test');

let folder;
let editor;
const page = (name) => join(folder, 'pages', name);

before(async () => {
  folder = project(program);
  editor = await Editor.on(program, folder);
});
after(async () => {
  editor.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('the server can do what the extension relies on', () => {
  const { capabilities } = editor;
  for (const name of ['completionProvider', 'hoverProvider', 'definitionProvider', 'referencesProvider', 'renameProvider', 'codeLensProvider', 'codeActionProvider', 'documentSymbolProvider', 'workspaceSymbolProvider']) assert(capabilities[name], name);
  const { willRename } = capabilities.workspace.fileOperations;
  const kinds = willRename.filters.map(({ pattern }) => pattern.matches);
  assert(kinds.includes('folder') || kinds.includes(undefined), JSON.stringify(willRename));
  // The client registers these as commands of the editor, so the extension has others.
  const { contributes } = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../npm/vscode/package.json'), 'utf8'));
  const own = new Set([...contributes.commands.map(({ command }) => command), 'ubp.showReferences']);
  for (const command of capabilities.executeCommandProvider.commands) assert(!own.has(command), command);
  assert(capabilities.executeCommandProvider.commands.includes('ubp.review'));
});

test('links are completed while people type', async () => {
  const path = page('guide/start.md');
  await editor.open(path);
  await editor.type(path, `${readFileSync(path, 'utf8')}\nSee [[log`);
  const answer = await editor.request('textDocument/completion', editor.at(path, 'See [[log'));
  const items = Array.isArray(answer) ? answer : answer.items;
  assert(items.some(({ label }) => /login/i.test(label)), JSON.stringify(items.map(({ label }) => label)));
  await editor.type(path, readFileSync(path, 'utf8'));
});

test('hover shows the page behind a link', async () => {
  const path = page('guide/start.md');
  const hover = await editor.request('textDocument/hover', editor.at(path, '[[auth/log'));
  const text = typeof hover.contents === 'string' ? hover.contents : hover.contents.value;
  assert.match(text, /password/);
});

test('in code, hover on a symbol says which page describes it', async () => {
  const path = join(folder, LOGIN);
  await editor.open(path, 'typescript');
  const hover = await editor.request('textDocument/hover', editor.at(path, 'function log'));
  const text = typeof hover.contents === 'string' ? hover.contents : hover.contents.value;
  assert.match(text, /[Ll]ogin/);
  const lenses = await editor.request('textDocument/codeLens', { textDocument: { uri: editor.uri(path) } });
  assert(lenses.length > 0);
  for (const { command } of lenses) if (command) assert(['ubp.showReferences', 'ubp.review', ''].includes(command.command), command.command);
});

test('a broken link is a diagnostic of its line, as it is typed', async () => {
  const path = page('guide/start.md');
  const text = readFileSync(path, 'utf8');
  await editor.type(path, `${text}\nA link to [[no such page]].\n`);
  const line = text.split('\n').length;
  const broken = await editor.until(async () => (await editor.diagnostics(path)).find(({ range }) => range.start.line === line), 'diagnostic');
  assert(broken.message.includes('no such page'), broken.message);
  assert(broken.code, JSON.stringify(broken));
  await editor.type(path, text);
  await editor.until(async () => !(await editor.diagnostics(path)).some(({ message }) => message.includes('no such page')), 'repaired text');
});

test('a folder that is renamed takes every link to its pages along', async () => {
  const pages = PAGES.filter((name) => name.startsWith('auth/'));
  const edit = await editor.rename(page('auth'), page('access'));
  assert(edit, 'no edit');
  await editor.call('index_refresh', {}, editor.uri(folder));
  const { counts } = await editor.call('doctor', { kind: 'unresolved_link' }, editor.uri(folder));
  assert.equal(counts.unresolved_link ?? 0, 0, JSON.stringify(counts));
  for (const name of pages) {
    const { backlinks } = await editor.call('get_page', { filepath: name.replace('auth/', 'access/') }, editor.uri(folder));
    assert(backlinks.length > 0, name);
  }
  assert(!readFileSync(page('guide/start.md'), 'utf8').includes('auth/'), readFileSync(page('guide/start.md'), 'utf8'));
  await editor.rename(page('access'), page('auth'));
});

test('views get their answers, and are told about changes', async () => {
  const at = editor.uri(folder);
  await editor.call('index_refresh', {}, at);
  const { outlinks, backlinks } = await editor.call('get_page', { filepath: 'auth/login.md', answers: false }, at);
  assert.equal(outlinks.find(({ filepath }) => filepath === 'auth/sessions.md').link_type, 'depends_on');
  assert(backlinks.some(({ filepath, lines }) => filepath === 'guide/start.md' && lines.length > 0));
  const { results } = await editor.call('search', { query: 'password', limit: 5 }, at);
  assert.equal(results[0].filepath, 'auth/login.md');
  assert.equal((await editor.call('status', {}, at)).page_count, PAGES.length);
  const { url } = await editor.call('render_page', { filepath: 'auth/login.md' }, at);
  assert.equal(url, 'auth/login.html');
  editor.changes.length = 0;
  writeFileSync(page('auth/new.md'), '# New\n');
  await editor.until(() => editor.changes.some(({ what }) => what === 'pages'), 'ubp/changed');
  rmSync(page('auth/new.md'));
});

test('a page whose code changed is reviewed', async () => {
  const at = editor.uri(folder);
  const code = join(folder, LOGIN);
  await editor.call('review_page', { pages: ['auth/login.md'], still_accurate: true }, at);
  writeFileSync(code, readFileSync(code, 'utf8').replace('password.length > 0', 'password.length > 11'));
  const stale = await editor.until(async () => (await editor.call('check_staleness', {}, at)).pages.find(({ filepath }) => filepath === 'auth/login.md'), 'stale page');
  assert(stale.stale_refs.length > 0);
  const { changes } = await editor.call('source_diff', { page: 'auth/login.md' }, at);
  assert.match(changes[0].diff, /^\+.*> 11/m);
  assert.match(changes[0].diff, /^-.*> 0/m);
  const { reviewed } = await editor.call('review_page', { pages: ['auth/login.md'], still_accurate: true }, at);
  assert.equal(reviewed[0].filepath, 'auth/login.md');
  assert.deepEqual((await editor.call('check_staleness', {}, at)).pages, []);
});

test('an error of an operation has a sentence for people', async () => {
  await assert.rejects(editor.call('get_page', { page: 'nowhere' }, editor.uri(folder)), /nowhere/);
  await assert.rejects(editor.call('no_such_operation', {}, editor.uri(folder)), /no_such_operation/);
});

test('in a workspace that is not trusted nothing is written', async () => {
  const other = project(program);
  const reader = await Editor.on(program, other, { readOnly: true });
  try {
    const at = reader.uri(other);
    assert.equal((await reader.call('list_pages', {}, at)).total, PAGES.length);
    await assert.rejects(reader.call('create_page', { title: 'Written' }, at));
    await assert.rejects(reader.call('review_page', { pages: ['auth/login.md'], still_accurate: true }, at));
    assert(!existsSync(join(other, 'pages/written.md')));
    assert.equal(await reader.close(), 0);
  } finally {
    reader.kill();
    rmSync(other, { recursive: true, force: true, maxRetries: 5 });
  }
});

test('the server ends when the editor says so', async () => {
  assert.equal(await editor.close(), 0);
});
