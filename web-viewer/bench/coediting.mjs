// Measures in Chromium how long a letter takes from one window to another, how much work a key is, and the memory of the server.
//
//   UBP_PROGRAM=target/release/ubp node bench/coediting.mjs
//
// Two windows edit a page of 200 kB. The time goes from the key to the letter in the document of the other window. The work of a
// key is the time of the main thread in the 50 ms after it. Then 20 connections edit 10 such pages, two each.
import { readFileSync, rmSync } from 'node:fs';
import { Editor, Viewer, addressOf, launch, makeProject, openForEditing, until } from '../viewer/editing.mjs';

const KEYS = 150;
const at = (times, part) => times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))];
const told = (times) => `p50 ${at(times, 0.5).toFixed(1)} ms, p95 ${at(times, 0.95).toFixed(1)} ms, most ${Math.max(...times).toFixed(1)} ms of ${times.length}`;
const long = `# Long\n\nfirst line\n\n${Array.from({ length: 2_600 }, (_, line) => `Line ${line} of a page that has **many** words and a [[Page 1]] link.`).join('\n\n')}\n`;
const names = Array.from({ length: 10 }, (_, number) => `Page ${number}`);
const viewer = await Viewer.start(makeProject(Object.fromEntries(names.map((name) => [`pages/${name}.md`, long]))));
const browser = await launch();
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${viewer.process.pid}/status`, 'utf8'))[1]) / 1024;

async function open(name) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
  await openForEditing(context, { live: true });
  const page = await context.newPage();
  await page.goto(`${viewer.url}?token=${viewer.token}`);
  await page.goto(viewer.url + addressOf(`${name}.md`));
  const editor = new Editor(page, context, []);
  await editor.content.waitFor();
  return editor;
}

async function work(editor) {
  const session = await editor.context.newCDPSession(editor.page);
  await session.send('Performance.enable');
  return async () => (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
}

try {
  const alone = await open('Page 0');
  await alone.after('first');
  const type = async (editor, keys) => {
    const used = await work(editor);
    const times = [];
    for (let key = 0; key < keys; key++) {
      const before = await used();
      await editor.page.keyboard.press('x');
      await new Promise((wake) => setTimeout(wake, 50));
      times.push((await used()) - before);
    }
    return times;
  };
  console.log(`work of a key, alone: ${told(await type(alone, KEYS))}`);
  const other = await open('Page 0');
  for (const { page } of [alone, other]) await page.locator('.cm-guest').first().waitFor({ state: 'attached' });
  await alone.page.evaluate(() => {
    globalThis.keys = [];
    addEventListener('keydown', () => globalThis.keys.push(performance.timeOrigin + performance.now()), true);
  });
  await other.content.evaluate((element) => {
    const view = element.cmTile.root.view;
    globalThis.seen = [[0, view.state.doc.length]];
    new MutationObserver(() => globalThis.seen.push([performance.timeOrigin + performance.now(), view.state.doc.length])).observe(element, { subtree: true, childList: true, characterData: true });
  });
  console.log(`work of a key, together: ${told(await type(alone, KEYS))}`);
  await until(async () => (await alone.text()) === (await other.text()), 'all letters arrive');
  const [keys, seen] = [await alone.page.evaluate(() => globalThis.keys), await other.page.evaluate(() => globalThis.seen)];
  const base = seen[0][1];
  const times = keys.map((time, number) => seen.find(([, length]) => length >= base + number + 1)[0] - time);
  console.log(`from a key to the other window: ${told(times)}`);
  await other.context.close();
  const before = memory();
  await alone.page.evaluate(async (names) => {
    const open = names.flatMap((name, number) => ['a', 'b'].map((who) => ({ name, who, number })));
    globalThis.sockets = await Promise.all(
      open.map(async ({ name, who, number }) => {
        const socket = new WebSocket(`ws://${location.host}/coedit`);
        let [version, length] = [0, 0];
        const shared = new Promise((done) => {
          socket.onmessage = ({ data }) => {
            const message = JSON.parse(data);
            if (message.type === 'share') {
              ({ version } = message);
              ({ length } = message.text);
              done();
            }
            if (message.type === 'updates') version = message.version + message.updates.length;
          };
        });
        await new Promise((done) => (socket.onopen = done));
        socket.send(JSON.stringify({ type: 'join', page: `${name}.md`, client: `client${who}${number}0`, name: '' }));
        await shared;
        if (who === 'a') for (let key = 0; key < 100; key++) socket.send(JSON.stringify({ type: 'push', version, updates: Array.from({ length: 1 }, () => [length, [0, 'x']]) })), (length += 1), (version += 1);
        return socket;
      }),
    );
    await new Promise((wake) => setTimeout(wake, 3_000));
  }, names);
  console.log(`memory of the server: ${before.toFixed(0)} MB, with 20 connections on 10 pages of ${(long.length / 1000).toFixed(0)} kB ${memory().toFixed(0)} MB`);
} finally {
  await browser.close();
  await viewer.stop();
  rmSync(viewer.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
