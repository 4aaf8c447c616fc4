// How long a key takes in long pages, and how long candidates take in large projects, in Chromium.
//
//   UBP_PROGRAM=target/release/ubp node bench/typing.mjs [--pages 10000]
//
// A key's time is from its event until the text, its colours and their layout are done: what is left of a frame of 16 ms is
// the browser's to paint.
import { parseArgs } from 'node:util';
import { rmSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { Editor, FLAGS, Viewer, addressOf, makeProject, until } from '../viewer/editing.mjs';

const { values } = parseArgs({ options: { pages: { type: 'string', default: '1000' }, keys: { type: 'string', default: '300' } } });
const at = (times, part) => times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))];
const told = (times) => `p50 ${at(times, 0.5).toFixed(1)} ms, p95 ${at(times, 0.95).toFixed(1)} ms, most ${Math.max(...times).toFixed(1)} ms of ${times.length}`;

/** Milliseconds of processor that the page's main thread took so far: says something on a busy machine, too. */
async function processorTime(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  return metrics.find(({ name }) => name === 'ThreadTime').value * 1000;
}

function longText(bytes) {
  const parts = [];
  for (let size = 0, line = 0; size < bytes; line++) {
    const part =
      line % 15 === 0
        ? `## Part ${line}\n`
        : line % 11 === 0
          ? `\`\`\`ts\nexport const value${line} = compute({ line: ${line} });\n\`\`\`\n`
          : `Line ${line} says something of [[Page ${line % 900}|depends_on]], with **weight** and \`code\`, at some length, 日本語も。\n`;
    parts.push(part);
    size += Buffer.byteLength(part) + 1;
  }
  return parts.join('\n');
}

const files = Object.fromEntries(Array.from({ length: Number(values.pages) }, (_, page) => [`pages/${page % 40}/Page ${page}.md`, `# Page ${page}\n\nSee [[Page ${(page * 7) % 900}]].\n`]));
for (const [name, bytes] of Object.entries({ Small: 10_000, Long: 200_000, Huge: 1_000_000 })) files[`pages/${name}.md`] = `# ${name}\n\nHere: \n\n${longText(bytes)}`;
const viewer = await Viewer.start(makeProject(files));
const browser = await chromium.launch({ executablePath: process.env.UBP_CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(`${viewer.url}?token=${viewer.token}`);
  for (const name of ['Small', 'Long', 'Huge']) {
    const began = Date.now();
    await page.goto(viewer.url + addressOf(`${name}.md`));
    const editor = new Editor(page, context, []);
    await editor.content.waitFor();
    const opened = Date.now() - began;
    await editor.after('Here: ');
    await page.evaluate(() => {
      globalThis.keyTimes = [];
      const content = document.querySelector('.cm-content');
      const channel = new MessageChannel();
      let began = 0;
      channel.port1.onmessage = () => {
        content.offsetHeight;
        globalThis.keyTimes.push(performance.now() - began);
      };
      addEventListener('keydown', () => (began = performance.now()), true);
      addEventListener('input', () => channel.port2.postMessage(0));
    });
    const before = await processorTime(page);
    for (let key = 0; key < Number(values.keys); key++) {
      await page.keyboard.press(key % 7 === 6 ? 'Space' : 'abcdefg'[key % 7]);
      await new Promise((wake) => setTimeout(wake, 20));
    }
    const each = ((await processorTime(page)) - before) / Number(values.keys);
    console.log(`${name}: ${each.toFixed(1)} ms of the page's processor time per key, saves included`);
    console.log(`${name}: keys ${told(await page.evaluate(() => globalThis.keyTimes))}; opened in ${opened} ms`);
    const saves = [];
    for (let save = 0; save < 20; save++) {
      await page.keyboard.type('x');
      const before = Date.now();
      await page.keyboard.press('Control+s');
      await until(async () => (await editor.status()) === 'saved', 'it is saved', 60_000);
      saves.push(Date.now() - before);
    }
    console.log(`${name}: saves ${told(saves)} (the test's own look at it included)`);
  }
  await page.goto(viewer.url + addressOf('Small.md'));
  const editor = new Editor(page, context, []);
  await editor.content.waitFor();
  const times = [];
  for (let round = 0; round < 30; round++) {
    await editor.after('Here: ');
    await page.keyboard.type('[[');
    await until(() => editor.candidates.count(), 'candidates are shown');
    times.push(
      await page.evaluate(
        (typed) =>
          new Promise((done) => {
            const list = () => document.querySelector('.cm-candidates')?.textContent;
            const before = list();
            const began = performance.now();
            new MutationObserver((_, observer) => {
              if (list() === before) return;
              observer.disconnect();
              done(performance.now() - began);
            }).observe(document.body, { subtree: true, childList: true, characterData: true });
            document.execCommand('insertText', false, typed);
          }),
        String(round % 9) + 'g',
      ),
    );
    await page.keyboard.press('Escape');
    for (let back = 0; back < 2; back++) await page.keyboard.press('Control+z');
  }
  console.log(`candidates at ${values.pages} pages: ${told(times)}`);
} finally {
  await browser.close();
  await viewer.stop();
  rmSync(viewer.root, { recursive: true, force: true });
}
