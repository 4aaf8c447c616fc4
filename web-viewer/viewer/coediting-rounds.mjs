// Random concurrent edits of one page by three browsers, another program and an agent's accepted proposals, with renames and a server that is killed. Every
// letter is unique. Fails if a letter is lost or doubled, or if windows and file differ at the end.
//
//   node viewer/coediting-rounds.mjs [ROUNDS] [SEED]      UBP_PROGRAM is the program
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { Agent } from './agent.mjs';
import { Editor, Viewer, addressOf, launch, makeProject, openForEditing, until } from './editing.mjs';
import { numbers, writeUnlessChanged } from './rounds.mjs';

const PATHS = ['Page.md', 'Moved/Page here.md'];

export async function rounds(count, seed) {
  const random = numbers(seed);
  const start = `---\ntitle: Page\n---\n# Page\n\n${Array.from({ length: 30 }, (_, line) => `Line ${line} stands here.`).join('\n\n')}\n`;
  const viewer = await Viewer.start(makeProject({ [`pages/${PATHS[0]}`]: start }));
  const browser = await launch();
  const agent = await Agent.start(viewer.root);
  const sum = { typed: 0, disk: 0, refused: 0, renamed: 0, killed: 0, conflicts: 0, proposed: 0, accepted: 0 };
  const trouble = [];
  try {
    let at = 0;
    const open = async () => {
      const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
      await openForEditing(context, { live: true });
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      page.on('pageerror', (error) => trouble.push(error.stack ?? error.message));
      await page.goto(viewer.entry(addressOf(PATHS[0])));
      const editor = new Editor(page, context, trouble);
      await editor.content.waitFor();
      return editor;
    };
    const windows = [await open(), await open(), await open()];
    for (const { page } of windows) await page.locator('.cm-guest').first().waitFor({ state: 'attached' });
    const written = [];
    /** Letters that a person discarded in a conflict, or that were never written. */
    const given = new Set();
    const sign = () => {
      const made = String.fromCodePoint(0x20000 + written.length);
      written.push(made);
      return made;
    };
    /** Puts the cursor of a window somewhere. One that nobody clicked has none. */
    const point = (editor) =>
      editor.content.evaluate((element, place) => {
        const view = element.cmTile.root.view;
        const { length } = view.state.doc;
        view.focus();
        // Not between the two halves of a character, where nobody can put a cursor.
        let at = 24 + (place % Math.max(1, length - 24));
        if (/[\udc00-\udfff]/.test(view.state.sliceDoc(at, at + 1))) at++;
        view.dispatch({ selection: { anchor: at } });
      }, random(1_000_000));
    /** Types a letter in any window. */
    const type = async () => {
      const editor = windows[random(windows.length)];
      await point(editor);
      await editor.page.keyboard.insertText(sign());
    };
    const decide = async (window) => {
      const { page } = window;
      const panel = page.getByRole('region', { name: 'Conflicts' });
      if (!(await panel.isVisible())) return;
      sum.conflicts++;
      const before = await window.text();
      await page.getByRole('button', { name: 'Keep all mine' }).click({ timeout: 2_000 }).catch(() => {});
      await until(async () => !(await panel.isVisible()), 'a choice ends the conflict').catch(() => {});
      const after = (await window.text()) + viewer.read(PATHS[at]);
      for (const one of written) if (before.includes(one) && !after.includes(one)) given.add(one);
    };
    for (let round = 0; round < count; round++) {
      const what = random(44);
      if (what < 30) {
        const editor = windows[random(windows.length)];
        const letters = Array.from({ length: 1 + random(4) }, sign);
        sum.typed += letters.length;
        await point(editor);
        for (const letter of letters) await editor.page.keyboard.insertText(letter);
      } else if (what < 37) {
        const text = viewer.read(PATHS[at]);
        const lines = text.split('\n');
        const line = 5 + random(Math.max(1, lines.length - 5));
        const made = sign();
        sum.disk++;
        lines[line] = `${lines[line] ?? ''}${made}`;
        if (!text || !writeUnlessChanged(viewer, PATHS[at], text, lines.join('\n'))) {
          sum.refused++;
          given.add(made);
        }
      } else if (what < 39) {
        // Only what has reached the file can be renamed with it.
        const to = PATHS[1 - at];
        if (await viewer.call('rename_page', { page: PATHS[at], path: to }).then(() => true, () => false)) {
          at = 1 - at;
          sum.renamed++;
          for (const { page } of windows) await page.waitForURL((url) => decodeURIComponent(url.pathname).endsWith(to.replace('.md', '.html')));
        }
      } else if (what > 39) {
        // The line that it names may change before somebody accepts it.
        const made = sign();
        sum.proposed++;
        const text = viewer.read(PATHS[at]);
        const lines = text.split('\n').slice(5).filter((line) => line && text.split(line).length === 2);
        const old = lines[random(lines.length)] ?? '';
        const id = await agent.propose('update_page', { page: PATHS[at], old, new: `${old}${made}`, reason: 'A sign.' }).catch(() => null);
        if (id !== null && random(3) === 0) await type();
        const answer = id === null ? null : await viewer.call('accept_proposal', { proposals: [id] }).catch(() => null);
        if (answer?.accepted.length) sum.accepted++;
        else given.add(made);
      } else {
        await viewer.stop('SIGKILL');
        sum.killed++;
        if (random(2)) await type();
        await viewer.run();
      }
      if (random(4) === 0) await new Promise((wake) => setTimeout(wake, random(300)));
      for (const window of windows) await decide(window);
    }
    const texts = async () => [viewer.read(PATHS[at]), ...(await Promise.all(windows.map((editor) => editor.text())))];
    await until(
      async () => {
        for (const window of windows) await decide(window);
        const all = await texts();
        return all.every((text) => text === all[0]) && (await Promise.all(windows.map((editor) => editor.status()))).every((status) => status === 'saved');
      },
      async () => `they do not become equal: ${JSON.stringify(await Promise.all(windows.map((editor) => editor.status())))} ${JSON.stringify(await texts())}`,
      60_000,
    );
    const [text] = await texts();
    for (const letter of written) {
      const found = text.split(letter).length - 1;
      assert.ok(found === 1 || (found === 0 && given.has(letter)), `letter ${written.indexOf(letter)} is there ${found} times`);
    }
    assert.deepEqual(trouble, []);
    return sum;
  } finally {
    await agent.end();
    await browser.close();
    await viewer.stop();
    rmSync(viewer.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [count = 1000, seed = Date.now()] = process.argv.slice(2).map(Number);
  const began = Date.now();
  const sum = await rounds(count, seed);
  console.log(`${count} rounds, seed ${seed}, ${Math.round((Date.now() - began) / 1000)} s: ${JSON.stringify(sum)}; no letter lost or doubled`);
}
