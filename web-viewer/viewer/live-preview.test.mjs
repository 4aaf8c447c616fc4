// Live preview: what is hidden and rendered, how it opens for editing, and that no byte changes unless somebody types.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until, withViewer } from './editing.mjs';

const own = withViewer();
const here = fileURLToPath(new URL('.', import.meta.url));
const FILES = {
  'pages/Marks.md': '# A *fine* title\n\nSome **bold**, *slanted*, ~~gone~~, ==bright== and `code`.\n\nSee [the page](Other.md), [[Other|depends_on]], [[Other#Part|its part]] and [[Nobody]].\n\n> A quote.\n\n- point\n\nEnd.\n',
  'pages/Other.md': '# Other\n\nIntro.\n\n## Part\n\nText of the part.\n\n## Rest\n\nText of the rest.\n',
  'pages/Blocks.md': '---\ntitle: Blocks\ntags: [a]\n---\n# Blocks\n\nBefore.\n\n| Name | Link |\n|---|---|\n| **Ada** | [[Other]] |\n\nBetween.\n\n![A square](square.svg)\n\n![[Other#Part]]\n\n> [!warning] Mind the gap\n> Inside.\n\n---\n\n```js\nlet answer = 42;\n```\n\nAfter.\n',
  'pages/Tasks.md': '# Tasks\n\n- [ ] open\n- [x] done\n1. [ ] numbered\n\nEnd.\n',
  'pages/Composed.md': '# Composed\n\nHere **太字** and [[Other|depends_on]] end.\n\n- [ ] \n\nEnd.\n',
  'pages/Lists.md': '# Lists\n\n1. one\n2. two\n3. three\n4. nested\n\nText.\n\n```py\ndef f():\n    return 1\n```\n\nEnd.\n',
  'pages/Wrapped.md': '# Wrapped\n\nA word and another, then more.\n',
  'pages/Plain.md': 'Without a heading.\n',
  'pages/square.svg': readFileSync(join(here, '../browser/vault/pages/square.svg')),
};
let viewer;
before(async () => {
  viewer = await own.start(FILES);
});
const open = (path, settings = {}) => own.open(viewer, path, { settings: { live: true, ...settings } });
/** The text as readers see it. */
const seen = (editor) => editor.content.innerText();
const shows = (editor, wanted) => until(async () => wanted.test(await seen(editor)), async () => `${wanted} is not in: ${await seen(editor)}`);

test('marks are hidden except at the cursor, and links show their label', async () => {
  const editor = await open('Marks.md');
  await shows(editor, /^A fine title\n[^]*Some bold, slanted, gone, bright and code\.[^]*See the page, Other, its part and Nobody\.[^]*\nA quote\./);
  await editor.after('**bo');
  await shows(editor, /Some \*\*bold\*\*, slanted/);
  await editor.after('its pa');
  await shows(editor, /Some bold,[^]*See the page, Other, \[\[Other#Part\|its part\]\] and Nobody/);
  await editor.after('A *fi');
  await shows(editor, /^# A \*fine\* title/);
  await editor.after('End.');
  await shows(editor, /^A fine title/);
  await editor.close();
});

test('a click on a link follows it, and Back finds its source still hidden', async () => {
  const editor = await open('Marks.md');
  await editor.after('End.');
  await editor.page.locator('.cm-page-link[data-type=depends_on]').click();
  await until(async () => (await editor.text()).includes('Text of the part'), 'the page is shown');
  await editor.page.goBack();
  await until(async () => (await editor.text()).includes('A *fine* title'), 'the first page is back');
  await shows(editor, /See the page, Other, its part/);
  await editor.close();
});

test('tables, pictures, embeds, callouts, rules, code and front matter are rendered, and open at the cursor', async () => {
  const editor = await open('Blocks.md');
  const { page } = editor;
  await page.locator('.cm-live-table table td strong', { hasText: 'Ada' }).waitFor();
  await page.locator('.cm-live-table a.link[data-type=references]', { hasText: 'Other' }).waitFor();
  await page.locator('.cm-live-picture img[alt="A square"]').waitFor();
  await page.locator('.cm-embed', { hasText: 'Text of the part.' }).waitFor();
  assert.equal((await page.locator('.cm-embed').innerText()).includes('Text of the rest'), false);
  await page.getByRole('region', { name: 'Properties' }).getByRole('combobox', { name: /Add to tags/ }).waitFor();
  await shows(editor, /\nMind the gap\nInside\.[^]*js\nlet answer = 42;/);
  assert.equal(await page.locator('.cm-rule').count(), 1);
  assert.equal(/\[!warning\]|```|\|---|---/.test(await seen(editor)), false);

  await editor.after('Before.');
  await editor.press('ArrowDown', 'ArrowDown');
  await shows(editor, /\| Name \| Link \|/);
  await editor.press('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown');
  assert.equal(await page.locator('.cm-live-table').count(), 1, 'it is rendered again behind the cursor');
  await editor.press('ArrowUp', 'ArrowUp');
  await shows(editor, /\| \*\*Ada\*\* \| \[\[Other\]\] \|/);
  await editor.after('Before.');
  await page.locator('.cm-live-table td', { hasText: 'Ada' }).click({ position: { x: 60, y: 10 } });
  await shows(editor, /\| Name \| Link \|/);
  const cursor = await editor.cursor();
  assert.equal((await editor.text()).slice(cursor, cursor + 7), '**Ada**');
  await page.locator('.cm-live-picture img').click();
  await shows(editor, /!\[A square\]\(square\.svg\)/);
  await page.getByRole('button', { name: 'Edit as YAML' }).click();
  await shows(editor, /tags: \[a\]/);
  await page.getByRole('button', { name: 'Show as form' }).click();
  await editor.after('let answer');
  await shows(editor, /```js\nlet answer = 42;\n```/);
  await editor.press('Control+a');
  assert.equal(await page.locator('.cm-live-table').count(), 1, 'a block that is selected as a whole stays rendered');
  assert.equal(viewer.read('Blocks.md'), FILES['pages/Blocks.md']);
  await editor.close();
});

test('a selection by mouse opens nothing before the button is released', async () => {
  const editor = await open('Marks.md');
  const box = async (text) => {
    const found = editor.page.locator('.cm-line', { hasText: text }).first();
    return found.boundingBox();
  };
  const [from, to] = [await box('Some bold'), await box('See the page')];
  await editor.page.mouse.move(from.x + 30, from.y + 10);
  await editor.page.mouse.down();
  await editor.page.mouse.move(to.x + 60, to.y + 10, { steps: 6 });
  await sleep(100);
  assert.match(await seen(editor), /Some bold, slanted/);
  await editor.page.mouse.up();
  await shows(editor, /\*\*bold\*\*/);
  await editor.close();
});

test('a box changes one byte, and one undo takes it back', async () => {
  const editor = await open('Tasks.md');
  const boxes = editor.page.getByRole('checkbox');
  await boxes.first().waitFor();
  assert.equal(await boxes.count(), 3);
  await boxes.first().click();
  await until(async () => /- \[x\] open\n- \[x\] done/.test(await editor.text()), 'it is ticked');
  await boxes.nth(2).click();
  await until(async () => /1\. \[x\] numbered/.test(await editor.text()), 'a numbered one too');
  await editor.content.focus();
  await editor.press('Control+z');
  assert.match(await editor.text(), /- \[x\] open\n- \[x\] done\n1\. \[ \] numbered/);
  await editor.after('open');
  await editor.press('Control+Enter');
  assert.equal(await editor.text(), FILES['pages/Tasks.md']);
  await editor.saved();
  assert.equal(viewer.read('Tasks.md'), FILES['pages/Tasks.md']);
  await editor.close();
});

test('a composition in, before and behind hidden marks, and beside a box, keeps the text and what is shown', async () => {
  const editor = await open('Composed.md');
  const session = await editor.context.newCDPSession(editor.page);
  const places = [
    ['Here ', 'は'],
    ['**太', 'い'],
    ['字**', 'で'],
    ['depends_on]]', 'は'],
    ['- [ ] ', 'する'],
  ];
  let expected = await editor.text();
  for (const [behind, typed] of places) {
    await editor.after(behind);
    await sleep(50);
    const shape = () => editor.page.evaluate(() => document.querySelectorAll('.cm-content .md-mark, .cm-content .cm-task, .cm-content .cm-widgetBuffer').length);
    let first;
    for (const text of ['ｈ', ...typed.split('').map((_, index) => typed.slice(0, index + 1))]) {
      await session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
      await sleep(60);
      first ??= await shape();
      assert.equal(await shape(), first, 'nothing opens or closes during a composition');
    }
    await session.send('Input.insertText', { text: typed });
    const at = expected.indexOf(behind) + behind.length;
    expected = expected.slice(0, at) + typed + expected.slice(at);
    await until(async () => (await editor.text()) === expected, async () => `behind ${behind}: ${JSON.stringify(await editor.text())}`);
    await sleep(120);
  }
  await editor.saved();
  assert.equal(viewer.read('Composed.md'), expected);
  await editor.close();
});

test('Tab indents items to the text above and code by its own unit; Shift+Tab goes back; Escape and Tab leave', async () => {
  const editor = await open('Lists.md');
  await editor.after('nested');
  await editor.press('Tab');
  assert.match(await editor.text(), /\n3\. three\n {3}1\. nested\n/);
  await editor.press('Shift+Tab');
  assert.match(await editor.text(), /\n3\. three\n4\. nested\n/);
  await editor.after('1. one');
  await editor.press('Tab');
  assert.equal(await editor.text(), FILES['pages/Lists.md'], 'the first item has nothing to belong to');
  await editor.after('return');
  await editor.press('Home', 'Tab');
  assert.match(await editor.text(), /\n {8}return 1\n/);
  await editor.press('Shift+Tab');
  assert.equal(await editor.text(), FILES['pages/Lists.md']);
  await editor.press('Escape', 'Tab');
  assert.equal(await editor.content.evaluate((element) => element === document.activeElement), false);
  await editor.close();
});

test('a mark typed over a selection goes around it, and Ctrl+B makes it bold', async () => {
  const editor = await open('Wrapped.md');
  for (const [mark, wrapped] of [['*', '*word*'], ['_', '_word_'], ['`', '`word`'], ['[', '[word]'], ['(', '(word)'], ['"', '"word"']]) {
    await editor.select('word');
    await editor.type(mark);
    assert.ok((await editor.text()).includes(`A ${wrapped} and`), await editor.text());
    await editor.press('Control+z');
  }
  await editor.select('another');
  await editor.press('Control+b');
  assert.match(await editor.text(), /and \*\*another\*\*, then/);
  await editor.after('more');
  const side = () => editor.page.evaluate(() => document.documentElement.dataset.side ?? 'open');
  assert.equal(await side(), 'open');
  await editor.press('Control+b');
  assert.equal(await side(), 'closed', 'without a selection it is the key of the sidebar');
  await editor.close();
});

test('Alt+L shows the source, and the choice is remembered', async () => {
  const editor = await open('Marks.md');
  await shows(editor, /Some bold, slanted/);
  await editor.press('Alt+l');
  await shows(editor, /Some \*\*bold\*\*, \*slanted\*/);
  await editor.page.reload();
  await editor.content.waitFor();
  await shows(editor, /Some \*\*bold\*\*, \*slanted\*/);
  await editor.press('Alt+l');
  await shows(editor, /Some bold, slanted/);
  await editor.close();
});

test('pages open for reading until somebody edits one', async () => {
  const context = await own.context();
  const page = await context.newPage();
  await page.goto(viewer.entry('Marks.html'));
  const pressed = (name) => page.getByRole('button', { name, exact: true }).getAttribute('aria-pressed');
  await page.locator('#ubp_content article').getByText('Some bold').waitFor();
  await until(async () => (await pressed('Read')) === 'true', 'Read is chosen');
  await page.keyboard.press('Control+e');
  await page.locator('.cm-content').waitFor();
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: 'Other.html' });
    link.dataset.page = 'Other.md';
    document.body.append(link);
    link.click();
  });
  await page.locator('#ubp_content article').getByText('Text of the part.').waitFor();
  assert.equal(await pressed('Read'), 'true', 'another page opens for reading');
  await page.goBack();
  await page.locator('.cm-content', { hasText: 'Some bold' }).waitFor();
  assert.equal(await pressed('Edit'), 'true', 'the edited page stays in Edit');
  await page.reload();
  await page.locator('.cm-content', { hasText: 'Some bold' }).waitFor();
  await context.close();
});

test('a page without a heading shows its title, which is not in its text', async () => {
  const editor = await open('Plain.md');
  const title = editor.page.getByRole('heading', { level: 1, name: 'Plain' });
  await title.waitFor();
  assert.equal(await editor.text(), FILES['pages/Plain.md']);
  await title.click();
  await editor.page.getByRole('dialog').getByRole('textbox', { name: 'Title' }).waitFor();
  await editor.press('Escape');
  await editor.page.goto(`${viewer.url}Marks.html`);
  await editor.content.waitFor();
  assert.equal(await editor.page.locator('h1.title button').count(), 0);
  await editor.close();
});

/** Pages of real projects, if they are there, and pages made of everything that Markdown has. */
function pagesToKeep(count) {
  const corpora = process.env.UBP_CORPORA ?? join(here, '../../../shared/corpora');
  const real = [];
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.name.endsWith('.md')) real.push(path);
    }
  };
  if (existsSync(join(corpora, 'vaults'))) for (const vault of ['obsidian-help/en', 'silverbullet-docs', 'dendron-site', 'foam-docs']) walk(join(corpora, 'vaults', vault));
  else console.log(`no real pages in ${corpora}: the pages are generated`);
  const step = Math.max(1, Math.floor(real.length / count));
  const texts = real.filter((_, index) => index % step === 0).map((path) => readFileSync(path));
  const parts = Object.values(FILES).map(String);
  for (let number = 0; texts.length < count; number++) {
    const eol = number % 3 === 0 ? '\r\n' : '\n';
    texts.push(Buffer.from((number % 5 === 0 ? '\uFEFF' : '') + [0, 1, 2].map((part) => parts[(number * 3 + part) % parts.length]).join(number % 2 ? '\n' : '  \n').replaceAll('\n', eol)));
  }
  return texts.slice(0, count);
}

test('opening, switching and saving changes no byte of 200 pages', { timeout: 900_000 }, async () => {
  const texts = pagesToKeep(200);
  const name = (index) => `Kept ${index}.md`;
  const many = await own.start(Object.fromEntries(texts.map((text, index) => [`pages/${name(index)}`, text])));
  await until(async () => (await many.call('list_pages', { limit: 1_000 })).pages.length >= texts.length, 'they are indexed', 120_000);
  const editor = await own.open(many, name(0), { settings: { live: true } });
  for (let index = 0; index < texts.length; index++) {
    await editor.page.evaluate((path) => {
      const link = Object.assign(document.createElement('a'), { href: path });
      link.dataset.page = path;
      document.body.append(link);
      link.click();
      link.remove();
    }, name(index));
    const wanted = texts[index].toString('utf8').replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
    await until(async () => (await editor.text().catch(() => '')) === wanted, `${name(index)} is shown`, 20_000);
    await editor.press('Alt+l', 'Alt+l', 'Control+s', 'Control+e', 'Control+e', 'Control+End', 'Control+Home', 'Control+s');
  }
  await editor.idle();
  await editor.saved();
  for (const [index, text] of texts.entries()) assert.ok(readFileSync(join(many.root, 'pages', name(index))).equals(text), `${name(index)} changed`);
  await editor.close();
});
