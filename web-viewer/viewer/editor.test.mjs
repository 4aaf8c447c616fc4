// Editing: links and their candidates, previews, formatting, tables, images, front matter, input methods.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { until, withViewer } from './editing.mjs';

const own = withViewer();
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const FILES = {
  'pages/Start.md': '---\ntitle: Start\ntags: [a]\n---\n# Start\n\nSee [[Users|depends_on]], [[Nobody]] and [[Users#Nothing]].\n\nEnd.\n',
  'pages/Candidates.md': '# Candidates\n\nEnd.\n',
  'pages/Hasty.md': '# Hasty\n\nEnd.\n',
  'pages/Behind.md': '# Behind\n\nEnd.\n',
  'pages/Clicked.md': '# Clicked\n\nEnd.\n',
  'pages/Queued.md': '# Queued\n\nEnd.\n',
  'pages/Unmatched.md': '# Unmatched\n\nEnd.\n',
  'pages/Pasted.md': '# Pasted\n\nEnd.\n',
  'pages/Parts.md': '# Parts\n\nEnd.\n',
  'pages/Composed.md': '# Composed\n\nEnd.\n',
  'pages/Wide.md': '# Wide\n\nEnd.\n\nText `in code` here.\n',
  'pages/Users.md': `---\naliases: [データベース]\n---\n# Users\n\n## Fields\n\n${'Every user has a name. '.repeat(30)}\n`,
  'pages/auth/Login.md': '# Login Feature\n\nWho signs in.\n\n## Flow\n\nText.\n',
  'pages/Table.md': '# Table\n\n| a | b |\n|---|---|\n| c | d |\n\nAfter.\n',
  'pages/Indented.md': '# Indented\n\nText.\n',
  'pages/Lists.md': '# Lists\n\n- one\n- two\n\n| a | b |\n|---|---|\n| c | d |\n',
  'pages/Cells.md': '# Cells\n\nBefore after.\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| c | d |\n',
  'pages/Picture.md': '# Picture\n\n![A dot](dot.png)\n\nText.\n',
  'pages/dot.png': PNG,
  'pages/Blocks.md': '# Blocks\n\n- Tokens live an hour ^lifetime\n- 2 ^ 3\n\n| a |\n|---|\n\n^the-table\n\nEnd.\n',
  'pages/Hits.md': '# Hits\n\none two one\n\nONE\n',
  'pages/Latin.md': Buffer.from('# Latin\n\ncaf\xe9\n', 'latin1'),
  'pages/Code.md': '# Code\n\n```rust\nfn main() { let answer = 42; }\n```\n',
};
let viewer;
before(async () => {
  viewer = await own.start(FILES);
});
const open = (path, options) => own.open(viewer, path, options);

test('links have the colour and underline of their type, and a wavy underline if they are broken', async () => {
  const editor = await open('Start.md');
  const style = (text) => editor.page.locator('.cm-page-link, .cm-missing', { hasText: text }).last().evaluate((element) => {
    const { textDecorationLine, textDecorationStyle, textDecorationColor, color } = getComputedStyle(element);
    return { line: textDecorationLine, style: textDecorationStyle, ink: textDecorationColor, color, type: element.dataset.type ?? null };
  });
  await until(async () => (await style('Users|depends_on')).type === 'depends_on', 'the engine resolved the link');
  assert.equal((await style('Users|depends_on')).style, 'solid');
  const [nobody, nothing] = [await style('Nobody'), await style('#Nothing')];
  assert.deepEqual([nobody.line, nobody.style, nothing.style], ['underline', 'wavy', 'wavy']);
  assert.match(nobody.ink, /rgb\(179, 38, 30\)/);
  await editor.close();
});

test('links to a page are no longer broken once it is created', async () => {
  const editor = await open('Start.md');
  const nobody = editor.page.locator('.cm-missing', { hasText: 'Nobody' });
  await nobody.waitFor();
  viewer.write('Nobody.md', '# Nobody\n');
  await nobody.waitFor({ state: 'detached' });
  await editor.close();
});

test('two brackets offer pages; arrows, Enter, Tab and Escape work', async () => {
  const editor = await open('Candidates.md');
  await editor.after('End.');
  await editor.type(' [[use');
  const list = editor.page.getByRole('listbox');
  await until(async () => /^Users/.test(await editor.candidates.first().textContent()), 'the best match is first');
  assert.equal(await editor.content.getAttribute('aria-controls'), await list.getAttribute('id'));
  assert.ok(await editor.content.getAttribute('aria-activedescendant'));
  await editor.press('Enter');
  await editor.type(' and [[log');
  await until(async () => /^Login/.test(await editor.candidates.first().textContent()), 'the best match is first');
  await editor.press('Tab');
  await until(async () => /End\. \[\[Users\]\] and \[\[Login( Feature)?\]\]\n/.test(await editor.text()), 'Tab takes it');
  await editor.type(' [[fi');
  await list.waitFor();
  await editor.press('Escape');
  await list.waitFor({ state: 'detached' });
  await editor.type('x]] after');
  assert.match(await editor.text(), /\[\[fix\]\] after\n/);
  await editor.close();
});

test('Enter and Tab wait for the candidates', async () => {
  const editor = await open('Hasty.md');
  await editor.page.route('**/api/complete', async (route) => {
    await new Promise((wake) => setTimeout(wake, 300));
    await route.continue();
  });
  await editor.after('End.');
  await editor.type(' [[use');
  await editor.press('Enter');
  await until(async () => /End\. \[\[Users\]\]\n/.test(await editor.text()), async () => `Enter takes the first: ${await editor.text()}`);
  await editor.type(' [[log');
  await editor.press('Tab');
  await until(async () => /\[\[Users\]\] \[\[Login( Feature)?\]\]\n/.test(await editor.text()), async () => `so does Tab: ${await editor.text()}`);
  await editor.type(' [[use');
  await editor.press('Enter');
  await editor.type('#fi');
  await editor.press('Tab');
  await editor.type(', so');
  await editor.press('Enter');
  await editor.type('on.');
  const whole = /\]\] \[\[Users#Fields\]\], so\non\.\n/;
  await until(async () => whole.test(await editor.text()), async () => `who types on is waited for: ${await editor.text()}`);
  await editor.type(' [[use');
  await editor.press('Enter');
  await editor.type('rs');
  await editor.press('ArrowLeft');
  await editor.type('*');
  await until(async () => /on\. \[\[user\*s\]\]\n/.test(await editor.text()), async () => `another key ends the waiting: ${await editor.text()}`);
  await editor.close();
});

test('# and | wait behind Enter and Tab, and accept nothing themselves', async () => {
  const editor = await open('Behind.md');
  // The list is there long before the queue of keys is looked at again.
  await editor.page.evaluate(() => {
    const wait = window.setTimeout;
    window.setTimeout = (work, time, ...rest) => wait(work, time === 10 ? 3000 : time, ...rest);
  });
  await editor.page.route('**/api/complete', async (route) => {
    await new Promise((wake) => setTimeout(wake, 150));
    await route.continue();
  });
  await editor.after('End.');
  await editor.type(' [[use');
  await editor.press('Enter');
  await until(async () => (await editor.candidates.count()) > 0, 'the list is shown');
  await editor.type('#fi');
  await editor.press('Tab');
  await editor.type('|conf');
  await editor.press('Tab');
  await editor.type('.');
  const whole = /End\. \[\[Users#Fields\|conflicts_with\]\]\.\n$/;
  await until(async () => whole.test(await editor.text()), async () => `the link is as typed: ${await editor.text()}`);
  await editor.close();
});

test('a click on a candidate waits for the list of what was typed', async () => {
  const editor = await open('Clicked.md');
  let held = null;
  await editor.page.route('**/api/complete', async (route) => {
    held?.push(route);
    if (!held) await route.continue();
  });
  const load = async () => {
    for (const route of held) await route.continue();
    held = null;
  };
  await editor.after('End.');
  await editor.type(' [[l');
  const lists = editor.candidates.filter({ hasText: 'Lists' });
  const login = editor.candidates.filter({ hasText: 'Login' });
  await lists.waitFor();
  held = [];
  await editor.type('i');
  await until(() => held.length > 0, 'candidates are loading');
  await lists.click();
  await editor.type('.');
  await load();
  const whole = /End\. \[\[Lists\]\]\.\n$/;
  await until(async () => whole.test(await editor.text()), async () => `the page that was clicked: ${await editor.text()}`);
  await editor.type(' [[l');
  await login.waitFor();
  held = [];
  await editor.type('ist');
  await until(() => held.length > 0, 'candidates are loading again');
  await login.click();
  await load();
  await login.waitFor({ state: 'detached' });
  assert.match(await editor.text(), /\. \[\[list\]\]\n$/, 'a page that no longer matches is not taken');
  await lists.click();
  await until(async () => /\. \[\[Lists\]\]\n$/.test(await editor.text()), async () => `the list can be clicked again: ${await editor.text()}`);
  await editor.close();
});

test('keys typed while candidates load are kept, whenever the list appears', async () => {
  const editor = await open('Queued.md');
  // The list is there long before the queue of keys is looked at again.
  await editor.page.evaluate(() => {
    const wait = window.setTimeout;
    window.setTimeout = (work, time, ...rest) => wait(work, time === 10 ? 3000 : time, ...rest);
  });
  await editor.page.route('**/api/complete', async (route) => {
    await new Promise((wake) => setTimeout(wake, 150));
    await route.continue();
  });
  const shown = () => until(async () => (await editor.candidates.count()) > 0, 'the list is shown');
  await editor.after('End.');
  await editor.type(' [[use');
  await editor.press('Enter');
  await editor.type('.');
  await shown();
  await editor.press('Enter', 'Enter');
  const lines = /End\. \[\[Users\]\]\.\n\n/;
  await until(async () => lines.test(await editor.text()), async () => `no newline is lost: ${JSON.stringify(await editor.text())}`);
  await editor.type('- [[use');
  await editor.press('Enter');
  await editor.type('.');
  await shown();
  await editor.press('Enter');
  await editor.type('next');
  const items = /- \[\[Users\]\]\.\n- next/;
  await until(async () => items.test(await editor.text()), async () => `a list goes on: ${JSON.stringify(await editor.text())}`);
  await editor.type(' [[use');
  await editor.press('Enter');
  await editor.type('.');
  await shown();
  await editor.press('Control+s');
  const whole = /- next \[\[Users\]\]\./;
  await until(async () => whole.test(await editor.text()), async () => `a key that ends the waiting takes the candidate: ${JSON.stringify(await editor.text())}`);
  await editor.close();
});

test('a paste waits for candidates like a key', async () => {
  const editor = await open('Pasted.md');
  await editor.page.route('**/api/complete', async (route) => {
    await new Promise((wake) => setTimeout(wake, 400));
    await route.continue();
  });
  await editor.after('End.');
  await editor.type(' [[use');
  await editor.press('Enter');
  await editor.type(' and ');
  await editor.content.evaluate((content) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'what was copied');
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    // As after a real paste.
    clipboardData.clearData();
  });
  await editor.type('!');
  const wanted = /End\. \[\[Users\]\] and what was copied!\n/;
  await until(async () => wanted.test(await editor.text()), async () => `all is there in order: ${JSON.stringify(await editor.text())}`);
  await editor.close();
});

test('Enter begins a line if no candidate comes', async () => {
  const editor = await open('Unmatched.md');
  await editor.page.route('**/api/complete', async (route) => {
    await new Promise((wake) => setTimeout(wake, 200));
    await route.abort();
  });
  await editor.after('End.');
  await editor.type(' [[use');
  await editor.press('Enter');
  await editor.type('more');
  await until(async () => /\[\[use\nmore\]\]/.test(await editor.text()), async () => JSON.stringify(await editor.text()));
  await editor.close();
});

test('at most 8 candidates; a missing page can be created', async () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`pages/Many ${index}.md`, `# Many ${index}\n`]));
  const crowded = await own.start({ ...many, 'pages/Start.md': '# Start\n\nEnd.\n' });
  const editor = await own.open(crowded, 'Start.md');
  await editor.after('End.');
  await editor.type(' [[Many');
  await until(async () => (await editor.candidates.count()) === 8, 'eight are offered');
  await editor.type(' quite new');
  const create = editor.page.getByRole('option', { name: 'Create new: Many quite new' });
  await create.waitFor();
  while ((await create.getAttribute('aria-selected')) !== 'true') await editor.press('ArrowDown');
  await editor.press('Enter');
  assert.match(await editor.text(), /End\. \[\[Many quite new\]\]/);
  await until(() => crowded.read('Many quite new.md'), 'the page is created');
  await editor.close();
});

test('after the page, # offers its headings and | offers link types', async () => {
  const editor = await open('Parts.md');
  await editor.after('End.');
  await editor.type(' [[users');
  await until(async () => /^Users/.test(await editor.candidates.first().textContent()), 'the best match is first');
  await editor.press('Enter');
  await editor.type('#');
  const heading = editor.page.getByRole('option', { name: /^Fields/ });
  await until(async () => (await heading.count()) === 1, async () => `its heading is offered: ${await editor.text()}`);
  await editor.type('fi');
  await until(async () => (await editor.candidates.count()) === 1, 'only one heading has this name');
  await editor.press('Enter');
  await editor.type('|');
  await editor.page.getByRole('option', { name: /^implements/ }).waitFor();
  await editor.type('conf');
  await until(async () => (await editor.candidates.count()) === 1, 'only one type has this name');
  await editor.press('Tab');
  await editor.type('.');
  const wanted = /End\. \[\[Users#Fields\|conflicts_with\]\]\.\n/;
  await until(async () => wanted.test(await editor.text()), async () => `the whole link is there: ${await editor.text()}`);
  await editor.close();
});

test('during a Japanese composition between brackets, nothing is committed, closed or reordered', async () => {
  const editor = await open('Composed.md');
  await editor.page.clock.install();
  await editor.after('End.');
  await editor.type(' [[');
  const session = await editor.context.newCDPSession(editor.page);
  const compose = (text) => session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  const before = viewer.read('Composed.md');
  for (const text of ['ｄ', 'で', 'でｔ', 'でー', 'でーた', 'でーたべ', 'でーたべーす']) {
    await compose(text);
    await new Promise((wake) => setTimeout(wake, 90));
  }
  assert.match(await editor.text(), /End\. \[\[でーたべーす\]\]\n/);
  // During a composition, Enter belongs to the input method.
  await editor.page.evaluate(() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, isComposing: true, bubbles: true, cancelable: true })));
  assert.match(await editor.text(), /End\. \[\[でーたべーす\]\]\n/);
  // Wait until everything that is delayed until a pause in typing has run.
  await editor.page.clock.runFor(5_000);
  await editor.idle();
  assert.equal(viewer.read('Composed.md').includes('でーた'), false, 'an unfinished composition is not saved');
  assert.ok(before.length > 0);
  await session.send('Input.insertText', { text: 'データベース' });
  await until(async () => /\[\[データベース\]\]/.test(await editor.text()), 'it is committed once');
  await editor.page.getByRole('option', { name: /データベース/ }).waitFor();
  await editor.press('Enter');
  assert.match(await editor.text(), /End\. \[\[データベース\]\]\n/);
  await editor.saved();
  assert.match(viewer.read('Composed.md'), /End\. \[\[データベース\]\]\n/);
  await editor.close();
});

test('full-width brackets start a link, typed or composed, and not in code', async () => {
  const editor = await open('Wide.md');
  const { page } = editor;
  const session = await editor.context.newCDPSession(page);
  await editor.after('End.');
  await editor.type(' ［［');
  await until(async () => /End\. \[\[\]\]\n/.test(await editor.text()), 'they become a link');
  await page.keyboard.insertText('データ');
  await page.getByRole('option', { name: /データベース/ }).waitFor();
  await editor.press('Enter');
  await until(async () => /End\. \[\[データベース\]\]\n/.test(await editor.text()), 'the page is linked');
  await editor.type(' and ');
  for (const text of ['［', '［［']) await session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  assert.match(await editor.text(), / and ［［\n/, 'a composition is left alone');
  await session.send('Input.insertText', { text: '［［' });
  await until(async () => / and \[\[\]\]\n/.test(await editor.text()), 'they become a link when it ends');
  await editor.press('Escape');
  await editor.press('Control+z');
  await until(async () => / and ［［\n/.test(await editor.text()), 'one undo brings them back');
  await editor.after('in code');
  await editor.type(' ［［');
  await editor.saved();
  assert.match(viewer.read('Wide.md'), /in code ［［`/);
  await editor.close();
});

test('a link shows a preview after 300 ms, and on a key', async () => {
  const editor = await open('Start.md');
  await editor.page.locator('.cm-page-link[data-type=depends_on]').first().hover();
  const card = editor.page.locator('.cm-preview');
  await card.waitFor();
  const text = await card.locator('.cm-preview-text').textContent();
  assert.ok(text.length <= 201 && text.endsWith('…'), text);
  await editor.page.mouse.move(5, 5);
  await card.waitFor({ state: 'detached' });
  await editor.after('[[Us');
  await editor.press('Control+Shift+Enter');
  await card.waitFor();
  await editor.press('Escape');
  await card.waitFor({ state: 'detached' });
  await editor.close();
});

test('Ctrl+click and Ctrl+Enter follow a link', async () => {
  const editor = await open('Start.md');
  await editor.page.locator('.cm-page-link[data-type=depends_on]').first().click({ modifiers: ['Control'] });
  await until(async () => (await editor.text()).includes('Every user'), 'the page is shown');
  assert.match(editor.page.url(), /Users\.html/);
  await editor.page.goto(`${viewer.url}Start.html`);
  await editor.content.waitFor();
  await editor.after('[[Us');
  await editor.press('Control+Enter');
  await until(async () => (await editor.text()).includes('Every user'), 'the page is shown by key');
  await editor.close();
});

test('selected text can be formatted with the toolbar, by shortcut, and by keyboard in the toolbar', async () => {
  const editor = await open('auth/Login.md');
  await editor.select('signs');
  const bar = editor.page.getByRole('toolbar', { name: 'Format selection' });
  await bar.getByRole('button', { name: 'Bold' }).click();
  assert.match(await editor.text(), /Who \*\*signs\*\* in/);
  await editor.press('Control+Shift+b');
  assert.match(await editor.text(), /Who signs in/);
  await editor.press('Control+i');
  assert.match(await editor.text(), /Who \*signs\* in/);
  await editor.press('Control+i', 'Alt+F10');
  await editor.press('ArrowRight', 'ArrowRight', 'Enter');
  assert.match(await editor.text(), /Who `signs` in/);
  await editor.press('Control+z');
  await editor.select('Text.');
  await bar.getByRole('button', { name: 'Heading' }).click();
  assert.match(await editor.text(), /## Text\./);
  await editor.press('Control+z');
  await editor.select('Text');
  await bar.getByRole('button', { name: 'Link' }).click();
  assert.match(await editor.text(), /\[\[Text\]\]\./);
  await editor.press('Escape', 'Control+z');
  await editor.close();
});

test('Tab moves through the cells of a table and adds a row at its end; elsewhere it leaves the editor', async () => {
  const editor = await open('Table.md');
  await editor.after('| a');
  await editor.press('Tab');
  const table = async () => (await editor.text()).split('\n\n')[1];
  await editor.type('B');
  await until(async () => (await table()).startsWith('| a | B |'), async () => `Tab selects the next cell: ${await table()}`);
  await editor.press('Tab', 'Tab');
  await editor.press('Tab');
  await until(async () => (await table()).split('\n').length === 4, async () => `Tab in the last cell adds a row: ${await table()}`);
  await editor.type('e');
  await until(async () => (await table()) === '| a | B |\n|---|---|\n| c | d |\n| e |  |', async () => `the row has its first cell: ${await table()}`);
  await editor.after('After.');
  await editor.press('Tab');
  assert.equal(await editor.content.evaluate((element) => element === document.activeElement), false);
  await editor.close();
});

test('Enter continues lists, Tab indents them, and undo works step by step', async () => {
  const editor = await open('Indented.md');
  await editor.after('Text.');
  await editor.press('Enter');
  await editor.type('- one');
  await editor.press('Enter');
  await editor.type('two');
  await editor.press('Tab');
  assert.match(await editor.text(), /Text\.\n- one\n {2}- two\n/);
  for (let step = 0; step < 10; step++) await editor.press('Control+z');
  assert.match(await editor.text(), /Text\.\n$/);
  await editor.close();
});

test('Tab that waits for candidates in vain indents an item and moves through a table, as without waiting', async () => {
  const editor = await open('Lists.md');
  // Headings are asked for, and none fits.
  await editor.page.route('**/api/render_page', async (route) => {
    await new Promise((wake) => setTimeout(wake, 300));
    await route.continue();
  });
  await editor.after('- two');
  await editor.type(' [[#zz');
  await editor.press('Tab');
  await editor.type('!');
  await until(async () => /^- one\n {2}- two \[\[#zz!\]\]$/m.test(await editor.text()), async () => `the item is indented, then typing goes on: ${await editor.text()}`);
  await editor.after('| a');
  await editor.type(' [[#zz');
  await editor.press('Tab');
  await editor.type('B');
  await until(async () => /^\| a \[\[#zz\]\] \| B \|$/m.test(await editor.text()), async () => `the next cell is selected, then replaced: ${await editor.text()}`);
  await editor.close();
});

test('images are shown below their line, and code is highlighted', async () => {
  const editor = await open('Picture.md');
  const picture = editor.page.getByRole('img', { name: 'A dot' });
  await picture.waitFor();
  await until(() => picture.evaluate((image) => image.complete && image.naturalWidth === 1), 'it is loaded');
  await editor.page.goto(`${viewer.url}Code.html`);
  await editor.page.locator('#ubp_desk .md-keyword', { hasText: 'let' }).waitFor();
  await editor.close();
});

test('find and replace', async () => {
  const editor = await open('Code.md');
  await editor.content.focus();
  await editor.press('Control+f');
  const find = editor.page.getByRole('textbox', { name: 'Find' });
  await find.fill('answer');
  await editor.page.getByRole('textbox', { name: 'Replace' }).fill('reply');
  await editor.page.getByRole('button', { name: 'Replace all', exact: true }).click();
  assert.match(await editor.text(), /let reply = 42/);
  await find.focus();
  await editor.press('Escape');
  await find.waitFor({ state: 'detached' });
  await editor.close();
});

test('copied cells become a table between paragraphs, and stay as they are in code and in a table', async () => {
  const cells = 'x\ty\n1\t2\n';
  const paste = (editor) =>
    editor.content.evaluate((element, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, cells);
  const editor = await open('Cells.md');
  for (const [behind, wanted] of [
    ['code', FILES['pages/Cells.md'].replace('code', `code${cells}`)],
    ['| c', FILES['pages/Cells.md'].replace('| c', `| c${cells}`)],
    ['Before ', FILES['pages/Cells.md'].replace('Before ', 'Before \n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n')],
  ]) {
    await editor.after(behind);
    await paste(editor);
    assert.equal(await editor.text(), wanted);
    await until(async () => {
      await editor.press('Control+z');
      return (await editor.text()) === FILES['pages/Cells.md'];
    }, 'undone');
  }
  await editor.close();
});

test('a megabyte opens, scrolls and is edited', async () => {
  const long = Array.from({ length: 16_000 }, (_, line) => (line % 20 === 0 ? `## Part ${line}` : `Line ${line} says something about [[Users]] and **more** of it, at some length.`)).join('\n\n');
  viewer.write('Long.md', `# Long\n\n${long}\n`);
  assert.ok(long.length > 900_000);
  await until(async () => (await viewer.call('list_pages', {})).pages.some(({ filepath }) => filepath === 'Long.md'), 'it is indexed', 30_000);
  const editor = await open('Long.md');
  await editor.after('Line 15999 says');
  await editor.type(' [[use');
  await editor.candidates.first().waitFor();
  await editor.press('Enter');
  await editor.saved();
  assert.match(viewer.read('Long.md'), /Line 15999 says \[\[Users\]\] something/);
  await editor.close();
});

test('`#^` offers the named blocks of a page, by name and by text', async () => {
  const editor = await open('Candidates.md');
  await editor.after('# Candidates');
  await editor.type('\n\n[[Blocks#^');
  const offered = async () => (await editor.candidates.allTextContents()).join('\n');
  await until(async () => /^\^lifetime.*Tokens live an hour\n\^the-table[^\n]*$/.test(await offered()), async () => `two blocks: ${await offered()}`);
  await editor.type('hour');
  await until(async () => (await editor.candidates.count()) === 1, 'one has this word');
  await editor.press('Enter');
  assert.match(await editor.text(), /\[\[Blocks#\^lifetime\]\]/);
  await editor.close();
});

test('the find panel says which match is selected of how many, and no toolbar covers it', async () => {
  const editor = await open('Hits.md');
  await editor.after('# Hits');
  await editor.press('Control+f');
  const count = editor.page.locator('.cm-find-count');
  await editor.type('one');
  await until(async () => (await count.textContent()) === '3 results', async () => `3 results, not ${await count.textContent()}`);
  await editor.press('Enter', 'Enter');
  await until(async () => (await count.textContent()) === '2 of 3', async () => `2 of 3, not ${await count.textContent()}`);
  assert.equal(await editor.page.locator('.cm-format-bar').count(), 0);
  await editor.type('x');
  await until(async () => (await count.textContent()) === 'No results', 'nothing is found');
  await editor.press('Escape');
  await editor.press('Control+f');
  await count.waitFor();
  await editor.close();
});

test('the save status is whole in a narrow window, whatever is beside it', async () => {
  const editor = await open('Hits.md', { options: { viewport: { width: 390, height: 800 } } });
  await editor.saved();
  const status = editor.page.locator('[data-save]');
  await editor.page.setViewportSize({ width: 150, height: 800 });
  assert.ok(await status.evaluate((element) => element.scrollWidth <= element.clientWidth && element.getBoundingClientRect().right <= innerWidth));
  await editor.close();
});

test('typing into a page that cannot be saved says why nothing happens', async () => {
  const editor = await open('Latin.md');
  await until(async () => (await editor.status()) === 'read-only', 'it is read-only');
  await editor.after('# Latin');
  await editor.type('x');
  await editor.page.locator('.cm-editor-notice', { hasText: 'UTF-8' }).waitFor();
  assert.doesNotMatch(await editor.text(), /Latinx/);
  await editor.close();
});
