// The language server over a WebSocket of the viewer.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { before, test } from 'node:test';
import { withViewer } from './editing.mjs';

const own = withViewer();
let viewer;
before(async () => {
  viewer = await own.start({ 'pages/Home.md': '# Home\n\nSee [[Log]] and [[Nobody]].\n', 'pages/Log.md': '# Log\n\nBack to [[Home]].\n' });
});

test('a page of the viewer completes and follows links with it, in text that is not saved', { timeout: 60_000 }, async () => {
  const editor = await own.open(viewer, 'Home.md');
  const told = await editor.page.evaluate(async (uri) => {
    const socket = new WebSocket(`ws://${location.host}/lsp`);
    await new Promise((open, failed) => Object.assign(socket, { onopen: open, onerror: failed }));
    const waiting = new Map();
    const published = [];
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.method === 'textDocument/publishDiagnostics') published.push(message.params);
      waiting.get(message.id)?.(message.result ?? message.error);
    };
    let last = 0;
    const tell = (method, params) => socket.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
    const ask = (method, params) => new Promise((answered) => {
      waiting.set(++last, answered);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }));
    });
    const { capabilities } = await ask('initialize', { processId: null, rootUri: null, capabilities: {} });
    tell('initialized', {});
    const text = '# Home\n\n[[lo\n\n[[Log]] [[Nobody]]\n';
    tell('textDocument/didOpen', { textDocument: { uri, languageId: 'markdown', version: 1, text } });
    const at = (line, character) => ({ textDocument: { uri }, position: { line, character } });
    const completed = await ask('textDocument/completion', at(2, 4));
    const place = await ask('textDocument/definition', at(4, 3));
    const other = await ask('ubp/call', { operation: 'status', uri: 'file:///' });
    while (published.length === 0) await new Promise((wake) => setTimeout(wake, 20));
    const down = await ask('shutdown', null);
    tell('exit', null);
    await new Promise((closed) => { socket.onclose = closed; });
    return { capabilities, completed, place, other, published, down };
  }, `file://${viewer.root}/pages/Home.md`);
  assert.equal(told.capabilities.renameProvider.prepareProvider, true);
  assert.deepEqual(told.completed.items.map((item) => item.textEdit.newText), ['Log]]']);
  assert.match(told.place.uri, /pages\/Log\.md$/);
  assert.match(told.other.message, /no UBP project/, 'only the project of the viewer is served');
  assert.deepEqual(told.published[0].diagnostics.map(({ code }) => code), ['unresolved_link']);
  assert.equal(told.down, undefined);
  assert.match(viewer.read('Home.md'), /See \[\[Log\]\]/, 'nothing is written');
  await editor.close();
});

test('a connection without the token, or from another site, is refused', async () => {
  const { origin, host } = new URL(viewer.url);
  const upgrade = (headers) => new Promise((answered, failed) => {
    const sent = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==', Host: host, ...headers };
    const asked = request(`${origin}/lsp`, { headers: sent });
    asked.on('response', (response) => answered(response.statusCode));
    asked.on('upgrade', (response, socket) => {
      socket.destroy();
      answered(response.statusCode);
    });
    asked.on('error', failed);
    asked.end();
  });
  assert.equal(await upgrade({}), 401);
  assert.equal(await upgrade({ Authorization: `Bearer ${viewer.token}`, Origin: 'http://elsewhere.example' }), 403);
  assert.equal(await upgrade({ Authorization: `Bearer ${viewer.token}` }), 101);
});
