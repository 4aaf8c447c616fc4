// Hostile messages to the server while a page is edited together: they are refused, and change nothing.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { before, test } from 'node:test';
import { until, withViewer } from './editing.mjs';

const TEXT = '# Page\n\na \u{1f600} b\n';
const own = withViewer();
let viewer;
let editor;
before(async () => {
  viewer = await own.start({ 'pages/Home.md': '# Home\n', 'pages/Page.md': TEXT, 'secret.md': '# Secret\n', 'pages/note.txt': 'x' });
});

/** Opens sockets in the page, one after the other; each sends its messages. Returns what each was told. */
async function say(...sockets) {
  editor ??= await own.open(viewer, 'Home.md');
  return editor.page.evaluate(async (sockets) => {
    const open = [];
    const all = [];
    for (const messages of sockets) {
      const told = [];
      all.push(told);
      const socket = new WebSocket(`ws://${location.host}/coedit`);
      open.push(socket);
      socket.onmessage = ({ data }) => told.push(JSON.parse(data));
      socket.onclose = () => told.push({ type: 'closed' });
      await new Promise((done, failed) => Object.assign(socket, { onopen: done, onerror: failed }));
      const until = async (isThere) => {
        while (!told.some((one) => one.type === 'closed' || isThere(one))) await new Promise((wake) => setTimeout(wake, 10));
      };
      let probes = 0;
      for (const message of messages) {
        if (message.wait) {
          await until(({ type }) => type === message.wait);
          continue;
        }
        const long = message.repeat;
        const text = typeof message === 'string' ? message : long ? `{"type":"name","name":"${'x'.repeat(long)}"}` : JSON.stringify(message);
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
        // Answers come in order, and a name is answered with who is here.
        const probe = message.name || `probe ${++probes}`;
        if (socket.readyState === WebSocket.OPEN && !message.name) socket.send(JSON.stringify({ type: 'name', name: probe }));
        await until(({ type, members }) => type === 'here' && (message.name || members.some(({ name }) => name === probe)));
      }
    }
    for (const socket of open) socket.close();
    return all;
  }, sockets);
}

const join = (client, page = 'Page.md', more = {}) => ({ type: 'join', page, client, name: '', ...more });
const kinds = (told) => told.map(({ type, code }) => (code ? `${type} ${code}` : type));
const push = (version, ...updates) => ({ type: 'push', version, updates });

test('without the token or from another origin, there is no connection', async () => {
  const asked = (headers) =>
    new Promise((answered, failed) => {
      const asking = request(new URL('coedit', viewer.url), { headers: { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', ...headers } });
      asking.on('response', ({ statusCode }) => answered(statusCode));
      asking.on('upgrade', (_, socket) => {
        socket.destroy();
        answered(101);
      });
      asking.on('error', failed);
      asking.end();
    });
  const authorization = `Bearer ${viewer.token}`;
  assert.equal(await asked({}), 401);
  assert.equal(await asked({ authorization: 'Bearer wrong' }), 401);
  assert.equal(await asked({ authorization, origin: 'http://elsewhere.example' }), 403);
  assert.equal(await asked({ authorization, host: 'elsewhere.example' }), 403);
  assert.equal(await asked({ authorization }), 101);
});

test('what is not a message of the protocol ends the connection', async () => {
  for (const message of ['', 'x', '[]', '{}', '{"type":"join"}', '{"type":"save"}', join('short'), join('x'.repeat(65)), join('disk disk disk'), join('aaaaaaaaa', 'Page.md', { more: 1 }), '{"type":"join","page":"\\ud800","client":"aaaaaaaaaa"}']) {
    assert.deepEqual(kinds((await say([message]))[0]), ['refused invalid', 'closed'], JSON.stringify(message));
  }
  for (const message of [join('aaaaaaaaaa'), push(-1), push(0, 'x'), push(0, [-1]), push(0, [[0, 1]]), push(0, [[0, 'a\nb']]), '{"type":"push","version":0,"updates":[[[0,"\\ud800"]]]}', { type: 'cursor', version: 0, anchor: -1, head: 0 }, push(0, ...Array.from({ length: 4_001 }, () => []))]) {
    assert.deepEqual(kinds((await say([join('aaaaaaaaaa'), message]))[0]).slice(-2), ['refused invalid', 'closed'], JSON.stringify(message).slice(0, 100));
  }
});

test('only pages of the project can be joined', async () => {
  for (const page of ['', '../secret.md', '/etc/passwd', 'note.txt', '.ubp/manifest.json', '.git/x.md', 'a/../Page.md', 'x\\..\\y.md']) {
    assert.deepEqual(kinds((await say([join('aaaaaaaaaa', page)]))[0]), ['refused full', 'closed'], page);
  }
  const [one, other] = await say([join('aaaaaaaaaa', 'None.md')], [join('bbbbbbbbbb', 'None.md'), { wait: 'alone' }]);
  assert.ok(kinds(one).includes('alone') && kinds(other).includes('alone') && !kinds(other).includes('share'), JSON.stringify([one, other]));
});

test('changes that do not fit are refused, and the page stays as it is', async () => {
  const { length } = TEXT;
  const [, other] = await say(
    [join('aaaaaaaaaa')],
    [
      join('bbbbbbbbbb'),
      { wait: 'share' },
      push(1, [length]),
      push(2 ** 53, [length]),
      push(0, [length + 1]),
      push(0, [4_294_967_295, [4_294_967_295]]),
      push(0, [length, [0, 'x']], [length]),
      // Half of a character.
      push(0, [11, [1], length - 12]),
      push(0, [11, [0, 'x'], length - 11]),
      { type: 'cursor', version: 99, anchor: 4_000_000_000, head: 4_000_000_000 },
      push(0),
    ],
  );
  assert.deepEqual(kinds(other).filter((kind) => kind.startsWith('refused')), ['refused version', 'refused version', 'refused invalid', 'refused too_long', 'refused invalid', 'refused invalid', 'refused invalid']);
  assert.ok(kinds(other).includes('share'));
  assert.ok(!kinds(other).includes('updates'));
  assert.equal(viewer.read('Page.md'), TEXT);
});

test('messages and texts that are too long are refused', async () => {
  const [told] = await say([join('aaaaaaaaaa'), { repeat: 9_000_000 }]);
  assert.equal(kinds(told).at(-1), 'closed');
  const [, other] = await say([join('aaaaaaaaaa')], [join('bbbbbbbbbb'), { wait: 'share' }, push(0, [TEXT.length, [0, 'x'.repeat(4_200_000)]])]);
  assert.ok(kinds(other).includes('refused too_long'), JSON.stringify(kinds(other)));
  assert.equal(viewer.read('Page.md'), TEXT);
});

test('a name is one short line, and many windows are refused one by one', async () => {
  const [, other] = await say([join('aaaaaaaaaa', 'Page.md', { name: `  A\n\t<b>${'x'.repeat(100)}` })], [join('bbbbbbbbbb')]);
  const { members } = other.find(({ type }) => type === 'here');
  assert.equal(members[0].name, `A<b>${'x'.repeat(34)}`);
  const crowd = await say(...Array.from({ length: 34 }, (_, number) => [join(`aaaaaaaa${number}`), ...(number === 30 ? [{ wait: 'share' }] : [])]));
  assert.deepEqual(kinds(crowd[33]), ['refused full', 'closed']);
  assert.ok(kinds(crowd[30]).includes('share'));
  await until(async () => viewer.read('Page.md') === TEXT && (await viewer.call('status', {})), 'the server answers');
});
