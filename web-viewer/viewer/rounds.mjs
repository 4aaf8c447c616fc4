// Random concurrent edits of one page from a browser, the disk and an agent. Every typed letter is unique, so that a loss is
// noticed. Fails if a letter that the editor accepted is not in the file at the end.
//
//   node viewer/rounds.mjs [ROUNDS] [SEED]      UBP_PROGRAM is the program
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Editor, Viewer, addressOf, launch, makeProject, openForEditing, until } from './editing.mjs';

/** A random number generator with a seed. */
export function numbers(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Another editor that compares before it writes, under the lock of UBP's writers. File systems have no atomic compare-and-swap,
 * so without the lock either side could overwrite what the other one has just written.
 */
export function writeUnlessChanged(viewer, path, seen, text) {
  const [page, lock] = [join(viewer.root, 'pages', path), join(viewer.root, '.ubp/write.lock')];
  writeFileSync(`${page}.seen`, seen);
  writeFileSync(`${page}.tmp`, text);
  const script = 'cmp -s "$1.seen" "$1" && mv "$1.tmp" "$1"';
  return spawnSync('flock', [lock, 'sh', '-c', script, 'sh', page]).status === 0;
}

/** Records what the editor read and wrote, to find out whether the editor or another writer lost a letter. */
function noteSaves(page) {
  const texts = new Map();
  const accepted = [];
  page.on('response', async (response) => {
    const operation = /api\/(read_page|save_page)$/.exec(response.url())?.[1];
    if (!operation || !response.ok()) return;
    const [asked, answer] = [response.request().postDataJSON(), await response.json().catch(() => null)];
    if (!answer) return;
    const text = answer.text ?? asked.text;
    texts.set(answer.content_hash, text);
    if (operation === 'save_page') accepted.push({ from: asked.expected_hash, text: asked.text });
  });
  return {
    about(letter) {
      const guilty = accepted.find(({ from, text }) => texts.get(from)?.includes(letter) && !text.includes(letter));
      if (guilty) return `${letter}: the editor removed it from a text that contained it`;
      const known = [...texts.values()].some((text) => text.includes(letter));
      return `${letter}: ${known ? 'the editor received it and did not remove it' : 'the editor never received it: it was overwritten between comparing and renaming'}`;
    },
  };
}

export async function rounds(count, seed) {
  const random = numbers(seed);
  const start = `---\ntitle: Page\n---\n# Page\n\n${Array.from({ length: 30 }, (_, line) => `Line ${line} stands here.`).join('\n\n')}\n`;
  const viewer = await Viewer.start(makeProject({ 'pages/Page.md': start }));
  const browser = await launch();
  const sum = { typed: 0, disk: 0, agent: 0, refused: 0, conflicts: 0 };
  try {
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
    await openForEditing(context, { live: true });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(viewer.entry(addressOf('Page.md')));
    const editor = new Editor(page, context, []);
    await editor.content.waitFor();
    const saves = noteSaves(page);
    const written = { typed: [], disk: [], agent: [] };
    /** Letters discarded in a conflict. */
    const given = new Set();
    let number = 0;
    const sign = (by) => {
      const made = String.fromCodePoint(0x20000 + number++);
      written[by].push(made);
      sum[by]++;
      return made;
    };
    const lost = (signs, text) => signs.filter((one) => !text.includes(one) && !given.has(one));
    const decide = async () => {
      const panel = page.getByRole('region', { name: 'Conflicts' });
      if (!(await panel.isVisible())) return;
      sum.conflicts++;
      const before = (await editor.text()) + viewer.read('Page.md');
      const button = page.getByRole('button', { name: random(2) ? 'Keep all mine' : 'Keep all from disk' });
      await button.click({ timeout: 2_000 }).catch(() => {});
      await until(async () => !(await panel.isVisible()), 'a choice ends the conflict').catch(() => {});
      const after = await editor.text();
      for (const one of [...written.typed, ...written.disk, ...written.agent]) if (before.includes(one) && !after.includes(one)) given.add(one);
    };
    for (let round = 0; round < count; round++) {
      const who = random(6);
      if (who < 3) {
        const letters = Array.from({ length: 1 + random(4) }, () => sign('typed'));
        await editor.content.evaluate((element, place) => {
          const view = element.cmTile.root.view;
          const { length } = view.state.doc;
          view.focus();
          view.dispatch({ selection: { anchor: 24 + (place % Math.max(1, length - 24)) } });
        }, random(1_000_000));
        for (const letter of letters) await page.keyboard.insertText(letter);
      } else if (who < 5) {
        const text = viewer.read('Page.md');
        const lines = text.split('\n');
        const line = 5 + random(Math.max(1, lines.length - 5));
        const made = sign('disk');
        lines[line] = `${lines[line] ?? ''}${made}`;
        if (!writeUnlessChanged(viewer, 'Page.md', text, lines.join('\n'))) given.add(made);
      } else {
        const made = sign('agent');
        const { content_hash: hash } = await viewer.call('read_page', { page: 'Page.md' });
        try {
          await viewer.tool('ubp_update_page', { page: 'Page.md', mode: 'append', content: `${made}\n`, expected_hash: hash });
        } catch (error) {
          // The page changed in between, and the agent gets a conflict.
          sum.refused++;
          given.add(made);
          if (!/changed|conflict|many|minute/i.test(error.message)) throw error;
        }
      }
      if (random(3) === 0) await new Promise((wake) => setTimeout(wake, random(500)));
      await decide();
      const seen = (await editor.text()) + viewer.read('Page.md');
      const gone = lost(written.typed, seen);
      assert.deepEqual(gone, [], `round ${round}: lost letters\n${gone.map((one) => saves.about(one)).join('\n')}`);
    }
    await until(
      async () => {
        await decide();
        return (await editor.status()) === 'saved' && (await editor.text()) === viewer.read('Page.md');
      },
      async () => `it does not come to rest: ${await editor.status()}`,
      60_000,
    );
    const text = viewer.read('Page.md');
    for (const by of ['typed', 'disk', 'agent']) {
      const gone = lost(written[by], text);
      assert.deepEqual(gone, [], `${by}: lost\n${gone.map((one) => saves.about(one)).join('\n')}`);
    }
    return sum;
  } finally {
    await browser.close();
    await viewer.stop();
    rmSync(viewer.root, { recursive: true, force: true });
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [count = 500, seed = Date.now()] = process.argv.slice(2).map(Number);
  const began = Date.now();
  const sum = await rounds(count, seed);
  console.log(`${count} rounds, seed ${seed}, ${Math.round((Date.now() - began) / 1000)} s: ${JSON.stringify(sum)}; no letter lost`);
}
