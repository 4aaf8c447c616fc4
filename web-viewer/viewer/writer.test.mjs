// The tasks of a writer's day, one after the other in one window, in each language, with the keyboard wherever there is a key for
// it. Each task checks the bytes in the files.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { wordsIn } from './words.mjs';
import { accessible, commit, editor, empty, git, saved, settled, until, withViewer } from './workspace.mjs';

const ADR = `---
template:
  description: One decision
  folder: decisions
  fields:
    deciders: {kind: list, description: Who decides}
type: adr
---
# {{ title }}

## Context

{{ cursor }}

## Decision
`;
const YESTERDAY = '# Tokens\n\nA token lives for a day.\n';
const DIAGRAM = '```mermaid\nflowchart LR\n  A --> B\n```';
const FILES = {
  'templates/adr.md': ADR,
  'src/login.js': 'export const login = () => true;\n',
  'src/session.js': 'export const session = 1;\n',
  'pages/Home.md': '# Home\n\nIt begins at [[Plans/Roadmap]] and at [the goals](Plans/Goals.md#why).\n',
  'pages/Plans/Roadmap.md': '# Roadmap\n\nFirst the [goals](Goals.md), then [[Tasks]].\n',
  'pages/Plans/Goals.md': '# Goals\n\n## Why\n\nBecause of [[Home]].\n',
  'pages/Tasks.md': '# Tasks\n\n- [ ] write the plan\n- [x] read\n',
  'pages/Tokens.md': YESTERDAY,
  'pages/Login.md': '---\ntype: spec   # one of ours\ntags: [auth]\nsource_refs: [src/session.js]\n---\n# Login\n\nHow people sign in.\n',
  'pages/Prices.md': '# Prices\n\nWhat it costs:\n\nThe end.\n',
  'pages/Drawing.md': '# Drawing\n',
  'pages/Words.md': '# Words\n\nThe colour of the house is the colour of the sea.\n',
  'pages/Ways.md': '# Ways\n\nSee [[Goals]] and [[Not yet written]].\n',
  'pages/Moving.md': '# Moving\n\nSee [[Home]].\n',
  'pages/Old.md': '# Old\r\n\r\nNobody needs it.\r\n',
  'pages/Long.md': `# Long\n\n${[1, 2, 3, 4, 5, 6].map((part) => `## Part ${part}\n\n${'Words of this part. '.repeat(60).trim()}\n`).join('\n')}`,
};

function prepare(project) {
  empty(project);
  rmSync(join(project, 'src'), { recursive: true });
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  git(project, ['init', '-q']);
  commit(project, 'Explain tokens', new Date(Date.now() - 86_400_000).toISOString());
  writeFileSync(join(project, 'pages/Tokens.md'), '# Tokens\n\nA token lives for an hour.\n');
  commit(project, 'Tokens live for an hour', new Date().toISOString());
}

/** What a writer sees and does in the window. */
class Desk {
  constructor(own, page, width, words) {
    Object.assign(this, { own, page, width, words, text: editor(page), keyboard: page.keyboard, isNarrow: width < 860 });
  }

  async press(...keys) {
    for (const key of keys) await this.keyboard.press(key);
  }

  type(text) {
    return this.keyboard.type(text);
  }

  /** Types into the palette. */
  async search(words) {
    await this.press('Control+k');
    const field = this.page.getByRole('combobox', { name: this.words.palette.labelWithCommands });
    await until(() => field.evaluate((input) => input === document.activeElement), 'the palette has the focus');
    await this.type(words);
  }

  /** Opens a page with the palette, and puts the cursor at its end. */
  async open(title) {
    await this.search(title);
    await this.page.getByRole('option', { name: title }).first().waitFor();
    await this.press('Enter');
    await this.shows(title);
    await this.end();
  }

  shows(title) {
    return until(async () => (await this.text.getAttribute('aria-label')) === this.words.editor.textOf(title), async () => `“${title}” is not open, but ${await this.text.getAttribute('aria-label')}`);
  }

  /** Runs a command with the palette, which finds it by its English name in every language. */
  async command(typed, name) {
    await this.search(`>${typed}`);
    await this.page.getByRole('option', { name: this.words.commands[name].label }).first().waitFor();
    await this.press('Enter');
  }

  async end() {
    await this.text.focus();
    await this.press('Control+End');
  }

  /** Puts the cursor behind the first occurrence of a text, once the page has its place: opening a page sets the cursor too. */
  async behind(text) {
    const put = () =>
      this.text.evaluate((element, wanted) => {
        const view = element.cmTile.root.view;
        const anchor = view.state.doc.toString().indexOf(wanted) + wanted.length;
        const isThere = view.hasFocus && view.state.selection.main.head === anchor;
        view.focus();
        view.dispatch({ selection: { anchor }, scrollIntoView: true });
        return isThere;
      }, text);
    await put();
    await settled(this.page);
    await until(put, `the cursor is behind ${text}`);
  }

  /** What is in the file. */
  file(path, wanted) {
    const read = () => (existsSync(this.own.page(path)) ? this.own.read(path) : null);
    const isWanted = (text) => (wanted instanceof RegExp ? text !== null && wanted.test(text) : text === wanted);
    return until(() => isWanted(read()), () => `${path} has ${JSON.stringify(read())}, not ${wanted instanceof RegExp ? wanted : JSON.stringify(wanted)}`);
  }

  /** Puts something on the clipboard, by its kinds; a picture is a colour. */
  async clip(content) {
    await this.page.evaluate(async ({ picture, ...texts }) => {
      const kinds = Object.fromEntries(Object.entries(texts).map(([kind, text]) => [kind, new Blob([text], { type: kind })]));
      if (picture) {
        const canvas = Object.assign(document.createElement('canvas'), { width: 30, height: 20 });
        const pen = canvas.getContext('2d');
        pen.fillStyle = picture;
        pen.fillRect(0, 0, 30, 20);
        kinds['image/png'] = await new Promise((made) => canvas.toBlob(made));
      }
      await navigator.clipboard.write([new ClipboardItem(kinds)]);
    }, content);
  }

  property(key) {
    return this.page.getByRole('region', { name: this.words.properties.title }).locator(`[data-key="${key}"] .value input`).last();
  }

  toast(text) {
    return this.page.locator('#ubp_toasts').getByText(text).first().waitFor();
  }

  /** Focuses a row of the sidebar, which is a drawer in a narrow window. */
  async row(name) {
    if (!(await this.page.locator('.viewport').first().isVisible())) await this.press('Control+b');
    const found = this.page.locator('.viewport').locator('a, button').filter({ hasText: name }).first();
    await this.page.getByRole('button', { name: this.words.pages.views.folders, exact: true }).click();
    await found.focus();
  }
}

const TASKS = {
  'a new page with three links and a pasted picture': async (desk) => {
    await desk.press('Alt+n');
    await desk.page.getByRole('dialog', { name: desk.words.dialogs.newPage }).waitFor();
    await desk.type('Welcome');
    await desk.press('Enter');
    await desk.shows('Welcome');
    await desk.page.locator('.cm-content:focus').waitFor();
    await desk.type('Read ');
    for (const [typed, between] of [['Roadm', ', '], ['Goal', ' and '], ['Toke', '.']]) {
      await desk.type(`[[${typed}`);
      await desk.page.locator('.cm-candidates [role=option]').first().waitFor();
      await desk.press('Enter');
      await desk.type(between);
    }
    await desk.press('Enter', 'Enter');
    await desk.clip({ picture: 'teal' });
    await desk.press('Control+v');
    await desk.file('Welcome.md', /^---\n[^]*title: Welcome\n[^]*---\n# Welcome\n\nRead \[\[Roadmap\]\], \[\[Goals\]\] and \[\[Tokens\]\]\.\n\n!\[\[pasted [^\]]+\.png\]\]\n*$/);
    const [name] = /pasted [^\]]+\.png/.exec(desk.own.read('Welcome.md'));
    assert.deepEqual([...readFileSync(desk.own.page(`attachments/${name}`)).subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    await desk.page.locator(`.cm-content img[src$="${encodeURIComponent(name)}"]`).waitFor();
  },

  'a table from a spreadsheet, and undo back to what was copied': async (desk) => {
    await desk.open('Prices');
    await desk.behind('What it costs:');
    const cells = 'Part\tPrice | net\nDoor\t"12\n13"\nRoof\t\n';
    await desk.clip({ 'text/plain': cells, 'text/html': '<table><tr><td>Part</td><td>Price | net</td></tr></table>' });
    await desk.press('Control+v');
    const table = '| Part | Price \\| net |\n| --- | --- |\n| Door | 12<br>13 |\n| Roof |  |';
    await desk.file('Prices.md', FILES['pages/Prices.md'].replace('costs:', `costs:\n\n${table}`));
    await desk.press('Control+z');
    await desk.file('Prices.md', FILES['pages/Prices.md'].replace('costs:', `costs:${cells}`));
    await desk.press('Control+y');
    await desk.end();
    await desk.page.locator('.cm-live-table td', { hasText: 'Door' }).waitFor();
  },

  'a decision from a template': async (desk) => {
    await desk.press('Alt+n');
    const dialog = desk.page.getByRole('dialog', { name: desk.words.dialogs.newPage });
    await dialog.waitFor();
    await desk.type('Use SQLite');
    await dialog.getByLabel(desk.words.dialogs.template, { exact: false }).selectOption('adr');
    await dialog.getByLabel('deciders').fill('Ada, Grace');
    await desk.press('Enter');
    await desk.shows('Use SQLite');
    await desk.page.locator('.cm-content:focus').waitFor();
    await desk.type('It is small.');
    await desk.file('decisions/Use SQLite.md', /^---\n[^]*deciders: \[Ada, Grace\]\n[^]*---\n# Use SQLite\n\n## Context\n\nIt is small\.\n\n## Decision\n$/);
  },

  'a folder is renamed, and links follow': async (desk) => {
    await desk.row('Plans');
    await desk.press('F2');
    const dialog = desk.page.getByRole('dialog', { name: desk.words.dialogs.moveFolder });
    await dialog.waitFor();
    await desk.press('Control+a');
    await desk.type('Strategy');
    await desk.press('Enter');
    await desk.toast(desk.words.notices.movedFolder('Plans', 'Strategy', 2));
    await desk.file('Home.md', FILES['pages/Home.md'].replaceAll('Plans/', 'Strategy/'));
    const { outlinks } = await desk.own.call('get_page', { filepath: 'Strategy/Roadmap.md' });
    assert.deepEqual(outlinks.map(({ filepath }) => filepath).sort(), ['Strategy/Goals.md', 'Tasks.md']);
    assert.ok(!existsSync(desk.own.page('Plans/Goals.md')));
    if (desk.isNarrow) await desk.press('Escape');
  },

  'two pages beside each other': async (desk) => {
    await desk.open('Words');
    const beside = desk.page.locator('#ubp_second');
    await desk.press('Control+\\');
    if (desk.isNarrow) {
      // There is no room for a second one: the key does nothing, and the text keeps the focus.
      await desk.type('still here');
      await desk.file('Words.md', `${FILES['pages/Words.md']}still here`);
      assert.equal(await beside.isVisible(), false);
      await desk.press('Control+z');
      return desk.file('Words.md', FILES['pages/Words.md']);
    }
    await beside.getByRole('heading', { level: 1, name: 'Words' }).waitFor();
    await desk.open('Drawing');
    await beside.getByRole('heading', { level: 1, name: 'Words' }).waitFor();
    await desk.press('Control+\\');
    await beside.waitFor({ state: 'hidden' });
  },

  "yesterday's version is restored": async (desk) => {
    await desk.open('Tokens');
    await desk.command('history of', 'history');
    const dialog = desk.page.getByRole('dialog', { name: desk.words.history.title('Tokens') });
    await dialog.getByRole('button', { name: /Explain tokens/ }).waitFor();
    await desk.press('ArrowDown', 'Enter');
    await dialog.getByText('+A token lives for an hour.').waitFor();
    await dialog.getByRole('button', { name: desk.words.history.restore }).press('Enter');
    await desk.file('Tokens.md', YESTERDAY);
    await dialog.waitFor({ state: 'detached' });
  },

  'a task is ticked': async (desk) => {
    await desk.open('Tasks');
    await desk.behind('write the plan');
    await desk.press('Control+Enter');
    await desk.file('Tasks.md', FILES['pages/Tasks.md'].replace('- [ ]', '- [x]'));
  },

  'a property is set': async (desk) => {
    await desk.open('Login');
    await desk.press('Control+Shift+p');
    await until(() => desk.property('type').evaluate((input) => input === document.activeElement), 'the first property has the focus');
    await desk.press('Control+a');
    await desk.type('guide');
    await desk.press('Enter');
    await desk.file('Login.md', FILES['pages/Login.md'].replace('spec', 'guide'));
  },

  'a tag is added': async (desk) => {
    await desk.property('tags').focus();
    await desk.type('people');
    await desk.press('Enter');
    await desk.file('Login.md', FILES['pages/Login.md'].replace('spec', 'guide').replace('[auth]', '[auth, people]'));
  },

  'a source file is added': async (desk) => {
    await desk.property('source_refs').focus();
    await desk.type('login');
    await desk.page.getByRole('option', { name: 'src/login.js' }).waitFor();
    await desk.press('ArrowDown', 'Enter');
    await desk.file('Login.md', FILES['pages/Login.md'].replace('spec', 'guide').replace('[auth]', '[auth, people]').replace('session.js]', 'session.js, src/login.js]'));
  },

  'a diagram is drawn': async (desk) => {
    await desk.open('Drawing');
    await desk.type(`\n${DIAGRAM}\n\n`);
    await desk.page.locator('.cm-live-fence .diagram svg').waitFor();
    await desk.file('Drawing.md', `# Drawing\n\n${DIAGRAM}\n\n`);
  },

  'a callout is written': async (desk) => {
    await desk.type('> [!warning] Mind the gap\nInside.');
    // The second one is a new paragraph of the callout, the third one leaves it.
    await desk.press('Enter', 'Enter', 'Enter');
    await desk.page.locator('.cm-callout-title', { hasText: 'Mind the gap' }).waitFor();
    await desk.file('Drawing.md', `# Drawing\n\n${DIAGRAM}\n\n> [!warning] Mind the gap\n> Inside.\n\n`);
  },

  'a query shows its answer': async (desk) => {
    await desk.type('```ubp list\ntype: guide\n```\n\nEnd.');
    const answer = desk.page.locator('.cm-live-fence .query');
    await answer.getByText('Login').waitFor();
    const [list, link] = await Promise.all([answer, answer.getByText('Login')].map((found) => found.boundingBox()));
    assert.ok(link.x < list.x + 60, 'the list begins at the left');
    await desk.file('Drawing.md', `# Drawing\n\n${DIAGRAM}\n\n> [!warning] Mind the gap\n> Inside.\n\n\`\`\`ubp list\ntype: guide\n\`\`\`\n\nEnd.`);
  },

  'find and replace on the page': async (desk) => {
    await desk.open('Words');
    await desk.press('Control+f');
    await desk.page.getByRole('textbox', { name: desk.words.editor.phrases.Find, exact: true }).waitFor();
    await desk.press('Control+a');
    await desk.type('colour');
    await desk.press('Tab');
    await desk.page.getByRole('textbox', { name: desk.words.editor.phrases.Replace, exact: true }).focus();
    await desk.type('shade');
    await desk.page.getByRole('button', { name: desk.words.editor.phrases['replace all'], exact: true }).press('Enter');
    await desk.file('Words.md', FILES['pages/Words.md'].replaceAll('colour', 'shade'));
    await desk.press('Escape');
    await desk.page.getByRole('textbox', { name: desk.words.editor.phrases.Find, exact: true }).waitFor({ state: 'detached' });
    await desk.page.locator('.cm-content:focus').waitFor();
  },

  'a page is opened by half of its name': async (desk) => {
    await desk.search('roadm');
    await desk.page.getByRole('option', { name: 'Roadmap' }).first().waitFor();
    await desk.press('Enter');
    await desk.shows('Roadmap');
  },

  'a link is followed, and the way back': async (desk) => {
    await desk.open('Ways');
    await desk.behind('[[Go');
    await desk.press('Control+Enter');
    await desk.shows('Goals');
    await desk.press('Alt+ArrowLeft');
    await desk.shows('Ways');
    await desk.file('Ways.md', FILES['pages/Ways.md']);
  },

  'a wanted page is created from its broken link': async (desk) => {
    await desk.open('Ways');
    await desk.behind('[[Not yet');
    await desk.press('Control+Enter');
    await desk.shows('Not yet written');
    await desk.end();
    await desk.type('Now it is.');
    await desk.file('Not yet written.md', /^---\n[^]*title: Not yet written\n[^]*---\n# Not yet written\n\nNow it is\.$/);
    await desk.file('Ways.md', FILES['pages/Ways.md']);
  },

  'a page is moved by the menu of its row': async (desk) => {
    await desk.row('Moving');
    await desk.press('Shift+F10');
    await desk.page.getByRole('menu').waitFor();
    // Letters go to items of the menu that begin with them.
    if (desk.words.menu.move.startsWith('M')) await desk.press('m');
    else await desk.page.getByRole('menuitem', { name: desk.words.menu.move }).focus();
    await desk.press('Enter');
    const field = desk.page.getByRole('dialog', { name: desk.words.dialogs.renameOrMove }).getByLabel(desk.words.dialogs.folder);
    await until(() => field.evaluate((input) => input === document.activeElement), 'the folder has the focus');
    await desk.type('Strategy');
    await desk.page.getByText(desk.words.dialogs.newPath.split(' {')[0]).waitFor();
    await desk.press('Enter');
    await desk.toast(desk.words.notices.movedPage('Moving', 'Strategy', 0).replace(/[.。]$/, ''));
    await desk.file('Strategy/Moving.md', FILES['pages/Moving.md']);
    if (desk.isNarrow) await desk.press('Escape');
  },

  'a page is deleted, and restored with undo': async (desk) => {
    await desk.open('Old');
    await desk.command('delete', 'delete');
    const dialog = desk.page.getByRole('dialog', { name: desk.words.dialogs.deleteTitle('Old') });
    await dialog.getByRole('button', { name: desk.words.dialogs.deletePage }).press('Enter');
    await desk.toast(desk.words.dialogs.deleted('Old'));
    assert.ok(!existsSync(desk.own.page('Old.md')));
    await desk.press('Alt+u');
    await desk.file('Old.md', FILES['pages/Old.md']);
  },

  'the link to a page is copied and pasted': async (desk) => {
    await desk.open('Goals');
    await desk.command('copy link', 'copyLink');
    await desk.open('Tokens');
    await desk.type('\nThey serve our ');
    await desk.press('Control+v');
    await desk.type('.');
    await desk.file('Tokens.md', `${YESTERDAY}\nThey serve our [[Strategy/Goals]].`);
  },

  'a part of a long page is reached, and another folded': async (desk) => {
    await desk.open('Long');
    if (desk.isNarrow) await desk.page.getByRole('button', { name: desk.words.shell.about }).press('Enter');
    await desk.page.locator('.outline').getByRole('link', { name: 'Part 4' }).press('Enter');
    const heading = desk.page.locator('.cm-line', { hasText: 'Part 4' });
    await until(() => heading.evaluate((line) => line.getBoundingClientRect().top >= 0 && line.getBoundingClientRect().top < innerHeight / 2), 'the part is in view');
    await desk.behind('## Part 4');
    await desk.press('Control+Shift+[');
    await desk.page.locator('.cm-folded').waitFor();
    await desk.press('Control+Shift+]');
    await desk.page.locator('.cm-folded').waitFor({ state: 'detached' });
    await desk.file('Long.md', FILES['pages/Long.md']);
  },

  'the theme is changed, and back': async (desk) => {
    const ink = () => desk.page.evaluate(() => getComputedStyle(document.body).color);
    const first = await ink();
    await desk.press('Alt+Shift+t');
    await until(async () => (await ink()) !== first, 'the other theme');
    await desk.press('Alt+Shift+t');
    await until(async () => (await ink()) === first, 'the first theme');
  },
};

/** Each width, theme and language occurs; `tests/run --soak` tries all combinations. */
const USUAL = [[1440, 'light', 'en-GB'], [800, 'dark', 'en-GB'], [390, 'light', 'en-GB'], [1440, 'dark', 'ja-JP'], [390, 'light', 'ja-JP']];
const ALL = [1440, 800, 390].flatMap((width) => ['light', 'dark'].flatMap((theme) => ['en-GB', 'ja-JP'].map((locale) => [width, theme, locale])));
const DAYS = process.env.UBP_SOAK ? ALL : USUAL;

for (const [width, colorScheme, locale] of DAYS) {
  describe(`a writer's day at ${width} pixels, ${colorScheme}, ${locale}`, () => {
    const own = withViewer({ prepare });
    const trouble = [];
    let desk;
    let done;
    before(async () => {
      const opened = await own.open('Home.html', { context: { colorScheme, locale, viewport: { width, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] }, settings: { live: true }, expectErrors: true });
      done = opened.done;
      opened.page.on('pageerror', ({ stack }) => trouble.push(stack));
      desk = new Desk(own, opened.page, width, await wordsIn(locale.slice(0, 2)));
      desk.page.setDefaultTimeout(6_000);
      await desk.text.waitFor();
    });

    for (const [name, task] of Object.entries(TASKS)) test(name, () => task(desk));

    test('nothing else has changed, and every page that was used is accessible', async () => {
      await saved(desk.page);
      for (const path of ['Strategy/Goals.md', 'Long.md', 'Old.md']) await desk.file(path, FILES[`pages/${path.replace('Strategy', 'Plans')}`]);
      assert.deepEqual(readdirSync(join(own.project, 'pages'), { recursive: true }).filter((path) => path.endsWith('.md')).length, Object.keys(FILES).filter((path) => path.startsWith('pages/')).length + 3);
      for (const title of ['Welcome', 'Drawing', 'Login']) {
        await desk.open(title);
        await settled(desk.page);
        if (process.env.UBP_SHOTS) await desk.page.screenshot({ path: `${process.env.UBP_SHOTS}/writer ${title} ${width} ${locale}.png` });
        await accessible(desk.page, title);
      }
      assert.equal(await desk.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'nothing has to be scrolled sideways');
      assert.deepEqual(trouble, [], 'the page reported errors');
    });

    after(() => done?.());
  });
}
