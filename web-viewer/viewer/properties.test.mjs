// Properties: front matter as a form above the text.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { accessible } from '../browser/support.mjs';
import { until, withViewer } from './editing.mjs';

const own = withViewer();

const LOGIN = `---
title: Login   # shown everywhere
type: spec
tags: [auth, security]
# Where it is built
source_refs:
  - src/login.js
  - src/gone.js
depends_on: "[[Sessions]]"
created_at: 2026-01-02
done: false
estimate: 3
owners:
  team: auth   # on call
---
# Login

Text of the page.
`;
const FILES = {
  'src/login.js': 'export {};\n',
  'src/session.js': 'export {};\n',
  'pages/Login.md': LOGIN,
  'pages/Keys.md': LOGIN,
  'pages/Fields.md': LOGIN,
  'pages/Undone.md': LOGIN,
  'pages/Guarded.md': LOGIN,
  'pages/Hidden.md': LOGIN,
  'pages/Source.md': LOGIN,
  'pages/Elsewhere.md': LOGIN,
  'pages/Composed.md': LOGIN,
  'pages/Own.md': '---\nstatus: draft\n---\nText.\n',
  'pages/Windows.md': '---\r\ntitle: "Windows"\r\ntags:\r\n- one\r\n---\r\n# Windows\r\n\r\nText.\r\n',
  'pages/Broken.md': '---\ntitle: Login: the page\ntags: [a]\n---\n# Broken\n\nText.\n',
  'pages/Long.md': `---\ndescription: ${'A sentence about the page that goes on. '.repeat(8).trim()}\n---\n# Long\n`,
  'pages/Plain.md': '# Plain\n\nText.\n',
  'pages/Ended.md': '---\ntags: [a]\n---',
  'pages/Sessions.md': '---\ntags: [auth, sessions]\nsource_refs: [src/session.js]\n---\n# Sessions\n',
};
let viewer;
before(async () => {
  viewer = await own.start(FILES);
});
const open = (path, settings = {}, options = {}) => own.open(viewer, path, { settings: { live: true, ...settings }, options });
const form = (editor) => editor.page.getByRole('region', { name: 'Properties' });
const field = (editor, name) => form(editor).locator(`[data-key="${name}"] .value input`).first();
const items = (editor, key) => form(editor).locator(`[data-key="${key}"] [data-item]`).allInnerTexts();
const textIs = (editor, wanted) => until(async () => (await editor.text()) === wanted, async () => `expected ${JSON.stringify(wanted)}, got ${JSON.stringify(await editor.text())}`);
const undone = async (editor, before) => {
  await editor.press('Control+z');
  await textIs(editor, before);
};

test('a tag is added by keyboard, saved without touching other bytes, and one undo removes it', async () => {
  const editor = await open('Login.md');
  await editor.after('Text of');
  await editor.press('Control+Shift+p');
  assert.equal(await field(editor, 'title').evaluate((input) => input === document.activeElement), true);
  for (let tabs = 0; tabs < 4; tabs++) await editor.press('Tab');
  await editor.page.keyboard.type('oauth');
  await editor.press('Enter');
  const added = LOGIN.replace('security]', 'security, oauth]');
  await textIs(editor, added);
  assert.deepEqual(await items(editor, 'tags'), ['auth', 'security', 'oauth']);
  await editor.saved();
  assert.equal(viewer.read('Login.md'), added);
  await undone(editor, LOGIN);
  assert.equal(await editor.page.evaluate(() => document.activeElement.closest('[data-key]')?.dataset.key), 'tags', 'the focus stays in the form');
  await editor.press('Backspace');
  await textIs(editor, LOGIN.replace(', security]', ']'));
  await undone(editor, LOGIN);
  await editor.press('Escape');
  assert.equal(await editor.content.evaluate((element) => element === document.activeElement), true);
  await editor.press('Control+s');
  await editor.saved();
  assert.equal(viewer.read('Login.md'), LOGIN);
  await editor.close();
});

test('every field writes its own line: text, type, date, box, number, source, link', async () => {
  const editor = await open('Fields.md');
  let text = LOGIN;
  const changes = async (from, to) => {
    text = text.replace(from, to);
    await textIs(editor, text);
  };
  await field(editor, 'title').fill('Sign in: how');
  await editor.press('Enter');
  await changes('title: Login   #', 'title: "Sign in: how"   #');
  await field(editor, 'type').fill('des');
  await editor.page.getByRole('option', { name: 'design' }).click();
  await changes('type: spec', 'type: design');
  await field(editor, 'created_at').fill('2026-02-03');
  await editor.press('Enter');
  await changes('2026-01-02', '2026-02-03');
  await form(editor).getByRole('checkbox', { name: 'done' }).click();
  await changes('done: false', 'done: true');
  await field(editor, 'estimate').fill('5');
  await field(editor, 'title').click();
  await changes('estimate: 3', 'estimate: 5');
  await field(editor, 'source_refs').fill('session');
  await editor.page.getByRole('option', { name: 'src/session.js' }).waitFor();
  await editor.press('ArrowDown', 'Enter');
  await changes('  - src/gone.js\n', '  - src/gone.js\n  - src/session.js\n');
  await field(editor, 'depends_on').pressSequentially('Brok');
  await editor.press('Enter');
  await changes('depends_on: "[[Sessions]]"', 'depends_on: ["[[Sessions]]", "[[Broken]]"]');
  await editor.saved();
  assert.equal(viewer.read('Fields.md'), text);
  await editor.close();
});

test('a source that does not exist and a link to no page are marked, and a click on a link follows it', async () => {
  const editor = await open('Keys.md');
  const chip = (key, name) => form(editor).locator(`[data-key="${key}"] .chip`, { hasText: name });
  await until(async () => (await chip('source_refs', 'src/gone.js').getAttribute('data-missing')) === 'true', 'the missing file is marked');
  assert.equal(await chip('source_refs', 'src/login.js').getAttribute('data-missing'), null);
  assert.equal(await chip('depends_on', 'Sessions').getAttribute('data-missing'), null);
  await field(editor, 'depends_on').fill('Nobody wrote this');
  await editor.press('Enter');
  await until(async () => (await chip('depends_on', 'Nobody').getAttribute('data-missing')) === 'true', 'the broken link is marked');
  await chip('depends_on', 'Sessions').locator('[data-item]').click();
  await until(async () => (await editor.text()).includes('# Sessions'), 'the page is shown');
  await editor.close();
});

test('items are reached, edited and removed with the keys', async () => {
  const editor = await open('Own.md');
  await editor.page.getByRole('button', { name: 'Add property' }).click();
  await editor.page.keyboard.type('people');
  await editor.press('Enter');
  await field(editor, 'people').fill('Ada');
  await editor.press('Enter');
  await textIs(editor, '---\nstatus: draft\npeople: Ada\n---\nText.\n');
  await editor.page.getByRole('button', { name: 'people', exact: true }).click();
  await editor.page.getByRole('menuitemradio', { name: 'List' }).click();
  await textIs(editor, '---\nstatus: draft\npeople: [Ada]\n---\nText.\n');
  await field(editor, 'people').click();
  for (const name of ['Grace', 'Alan']) {
    await editor.page.keyboard.type(name);
    await editor.press('Enter');
  }
  await textIs(editor, '---\nstatus: draft\npeople: [Ada, Grace, Alan]\n---\nText.\n');
  await editor.press('ArrowLeft', 'ArrowLeft', 'Enter');
  await editor.page.keyboard.type('Barbara');
  await editor.press('Enter');
  await textIs(editor, '---\nstatus: draft\npeople: [Ada, Barbara, Alan]\n---\nText.\n');
  await until(async () => (await field(editor, 'people').evaluate((input) => input === document.activeElement)), 'the focus is in the field for the next item');
  await editor.press('ArrowLeft', 'ArrowLeft', 'Delete');
  await textIs(editor, '---\nstatus: draft\npeople: [Ada, Alan]\n---\nText.\n');
  const menu = async (key, name) => {
    await editor.page.getByRole('button', { name: key, exact: true }).click();
    await editor.page.getByRole('menuitem', { name }).click();
  };
  await menu('people', 'Rename');
  await editor.page.keyboard.type('authors');
  await editor.press('Enter');
  await textIs(editor, '---\nstatus: draft\nauthors: [Ada, Alan]\n---\nText.\n');
  await menu('status', 'Remove');
  await textIs(editor, '---\nauthors: [Ada, Alan]\n---\nText.\n');
  await editor.saved();
  assert.equal(viewer.read('Own.md'), '---\nauthors: [Ada, Alan]\n---\nText.\n');
  await editor.close();
});

test('a nested map is read-only, and its YAML is one click away', async () => {
  const editor = await open('Guarded.md');
  const owners = form(editor).locator('[data-key="owners"]');
  assert.equal(await owners.locator('input').count(), 0);
  assert.match(await owners.locator('code').innerText(), /^team: auth/);
  assert.equal((await editor.content.innerText()).includes('team: auth'), false, 'the text of front matter is hidden');
  await owners.getByRole('button', { name: /YAML/ }).click();
  await until(async () => (await editor.content.innerText()).includes('team: auth'), 'the YAML is shown');
  assert.equal((await editor.text()).slice(0, await editor.cursor()).endsWith('owners:'), true);
  await form(editor).getByRole('button', { name: 'Show as form' }).click();
  await owners.waitFor();
  assert.equal((await editor.content.innerText()).includes('team: auth'), false);
  await editor.close();
});

test('nothing that is typed, deleted or selected in the text reaches the hidden front matter', async () => {
  for (const live of [true, false]) {
    const editor = await open(live ? 'Hidden.md' : 'Source.md', { live });
    await form(editor).waitFor();
    await editor.after('# Login');
    await editor.press('Control+Home', 'Backspace', 'Backspace', 'Control+Backspace', 'ArrowLeft', 'ArrowLeft');
    assert.equal(await editor.text(), LOGIN);
    await editor.page.keyboard.type('x');
    assert.equal(await editor.text(), LOGIN.replace('# Login', 'x# Login'));
    await editor.press('Control+a');
    await editor.page.keyboard.type('new');
    await textIs(editor, LOGIN.replace(/# Login[^]*/, 'new'));
    await editor.press('Control+a', 'Delete');
    await textIs(editor, LOGIN.replace(/# Login[^]*/, ''));
    await editor.page.keyboard.type('again');
    await textIs(editor, LOGIN.replace(/# Login[^]*/, 'again'));
    await editor.press('Home', 'ArrowUp');
    await until(() => editor.page.evaluate(() => document.activeElement.closest('.properties') !== null), 'the cursor goes up into the form');
    await editor.close();
  }
});

test('text can be written below front matter that ends the page', async () => {
  const editor = await open('Ended.md');
  await form(editor).waitFor();
  await editor.content.click();
  await editor.page.keyboard.type('Text');
  await textIs(editor, '---\ntags: [a]\n---\nText');
  await editor.close();
});

test('broken YAML is shown at its line with its message, and beside “Saved”', async () => {
  const editor = await open('Broken.md');
  const { page } = editor;
  await page.locator('.cm-yaml-broken', { hasText: 'title: Login: the page' }).waitFor();
  assert.match(await page.locator('.cm-yaml-message').innerText(), /quotes/);
  assert.match(await form(editor).innerText(), /not valid YAML[^]*Line 2/);
  await editor.after('tags: [a]');
  await editor.press('Backspace');
  await editor.saved();
  await page.locator('#ubp_status').getByRole('button', { name: 'Properties broken in line 2' }).waitFor();
  await editor.page.keyboard.type(']');
  await editor.select('Login: the page');
  await editor.page.keyboard.insertText('"Login: the page"');
  await page.locator('.cm-yaml-broken').waitFor({ state: 'detached' });
  await page.locator('#ubp_status').getByRole('button', { name: /broken/ }).waitFor({ state: 'detached' });
  assert.equal((await editor.content.innerText()).includes('tags: [a]'), true, 'the YAML stays while somebody types in it');
  await form(editor).getByRole('button', { name: 'Show as form' }).click();
  assert.equal(await field(editor, 'title').inputValue(), 'Login: the page');
  await editor.close();
});

test('a page with Windows line endings keeps them, also in a new line', async () => {
  const editor = await open('Windows.md');
  await field(editor, 'tags').fill('two');
  await editor.press('Enter');
  await field(editor, 'title').fill('Doors');
  await editor.press('Enter');
  await editor.saved();
  await until(() => viewer.read('Windows.md') === '---\r\ntitle: "Doors"\r\ntags:\r\n- one\r\n- two\r\n---\r\n# Windows\r\n\r\nText.\r\n', () => JSON.stringify(viewer.read('Windows.md')));
  await editor.close();
});

test('a page without front matter gets a block with its first value, and undo removes it', async () => {
  const editor = await open('Plain.md');
  const { page } = editor;
  assert.equal(await form(editor).count(), 0);
  await page.getByRole('button', { name: 'Page actions' }).click();
  await page.getByRole('menuitem', { name: 'Add properties' }).click();
  await page.getByRole('combobox', { name: 'Name of the new property' }).waitFor();
  await until(() => page.evaluate(() => document.activeElement.matches('[role=combobox]')), 'the field has the focus');
  await editor.press('Escape');
  await form(editor).waitFor({ state: 'detached' });
  await editor.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('>add prop');
  await page.getByRole('option', { name: /Add properties/ }).click();
  await until(() => page.evaluate(() => document.activeElement.getAttribute('aria-label') === 'Name of the new property'), 'the field has the focus');
  await page.keyboard.type('tags');
  await editor.press('Enter');
  await field(editor, 'tags').waitFor();
  assert.equal(await editor.text(), FILES['pages/Plain.md'], 'nothing is written without a value');
  await until(() => field(editor, 'tags').evaluate((input) => input === document.activeElement), 'its field has the focus');
  await page.keyboard.type('new');
  await editor.press('Enter');
  await textIs(editor, '---\ntags: [new]\n---\n# Plain\n\nText.\n');
  await undone(editor, FILES['pages/Plain.md']);
  await editor.close();
});

test('a change from elsewhere updates the form and keeps what is being typed', async () => {
  const editor = await open('Elsewhere.md');
  await field(editor, 'title').click();
  await editor.press('End');
  await editor.page.keyboard.type(' page');
  viewer.write('Elsewhere.md', LOGIN.replace('type: spec', 'type: guide').replace('title: Login', 'title: Logon').replace('estimate: 3', 'estimate: 8'));
  await until(async () => (await field(editor, 'type').inputValue()) === 'guide', 'the form shows the new type');
  assert.equal(await field(editor, 'estimate').inputValue(), '8');
  assert.equal(await field(editor, 'title').inputValue(), 'Login page');
  assert.equal(await field(editor, 'title').evaluate((input) => input === document.activeElement), true);
  viewer.write('Elsewhere.md', LOGIN.replace(/title: .*\n/, '').replace('type: spec', 'type: api'));
  await until(async () => (await field(editor, 'type').inputValue()) === 'api', 'the form follows again');
  assert.equal(await field(editor, 'title').inputValue(), 'Login page', 'also if its line is gone');
  assert.equal(await field(editor, 'title').evaluate((input) => input === document.activeElement), true);
  await editor.page.keyboard.type(' again');
  await editor.press('Control+s');
  const saved = LOGIN.replace(/title: .*\n/, '').replace('type: spec', 'type: api').replace('on call\n', 'on call\ntitle: Login page again\n');
  await until(() => viewer.read('Elsewhere.md') === saved, () => viewer.read('Elsewhere.md'));
  await editor.close();
});

test('a composition in a field is never cut short, and Enter in it adds nothing', async () => {
  const editor = await open('Composed.md');
  const session = await editor.context.newCDPSession(editor.page);
  await field(editor, 'tags').click();
  for (const text of ['n', 'に', 'にん', 'にんし', '認証']) {
    await session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    await sleep(60);
    assert.equal(await editor.text(), LOGIN);
  }
  // As browsers send it while an input method has the key.
  await editor.page.evaluate(() => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, isComposing: true, bubbles: true, cancelable: true })));
  await sleep(60);
  assert.equal(await editor.text(), LOGIN);
  assert.equal(await field(editor, 'tags').inputValue(), '認証');
  await session.send('Input.insertText', { text: '認証' });
  await editor.press('Enter');
  await textIs(editor, LOGIN.replace('security]', 'security, 認証]'));
  await editor.close();
});

test('what is typed in a field is saved when another page is opened', async () => {
  const editor = await open('Undone.md');
  await field(editor, 'title').fill('Left behind');
  await editor.page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: 'Sessions.html' });
    link.dataset.page = 'Sessions.md';
    document.body.append(link);
    link.click();
  });
  await until(async () => (await editor.text()).includes('# Sessions'), 'the other page is shown');
  await until(() => viewer.read('Undone.md') === LOGIN.replace('title: Login', 'title: Left behind'), () => viewer.read('Undone.md'));
  await editor.close();
});

test('a folded form names its keys, stays folded, and is unfolded by its shortcut', async () => {
  const editor = await open('Sessions.md');
  await form(editor).getByRole('button', { name: /^Properties/, expanded: true }).click();
  await form(editor).getByRole('button', { name: /tags, source_refs/, expanded: false }).waitFor();
  await editor.page.reload();
  await form(editor).getByRole('button', { name: /tags, source_refs/, expanded: false }).waitFor();
  await editor.press('Control+Shift+p');
  await until(() => field(editor, 'tags').evaluate((input) => input === document.activeElement), 'the first field has the focus');
  assert.equal(await editor.text(), FILES['pages/Sessions.md']);
  await editor.close();
});

test('reading shows no form', async () => {
  const editor = await open('Sessions.md');
  await form(editor).waitFor();
  await editor.press('Control+e');
  await editor.page.locator('#ubp_content article').getByText('Sessions').first().waitFor();
  assert.equal(await form(editor).isVisible(), false);
  await editor.close();
});

for (const [width, height] of [[1440, 900], [800, 900], [390, 844]]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`the form is accessible and fits at ${width} pixels, ${colorScheme}`, async () => {
      const editor = await open('Keys.md', {}, { viewport: { width, height }, colorScheme });
      const { page } = editor;
      await form(editor).waitFor();
      await editor.idle();
      await accessible(page, 'the form');
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      await page.getByRole('button', { name: 'estimate', exact: true }).click();
      await page.getByRole('menu').waitFor();
      await accessible(page, 'the menu of a property');
      await editor.press('Escape');
      await field(editor, 'tags').click();
      await page.getByRole('option').first().waitFor();
      await accessible(page, 'choices');
      await page.goto(`${viewer.url}Windows.html`);
      await form(editor).getByRole('button', { name: 'Edit as YAML' }).click();
      await page.getByRole('button', { name: 'Show as form' }).waitFor();
      await accessible(page, 'YAML');
      await editor.close();
    });
  }
}

test('a long text is shown whole, over lines, and is one line while it is edited', async () => {
  for (const width of [1440, 390]) {
    const editor = await open('Long.md', {}, { viewport: { width, height: 800 } });
    const whole = form(editor).locator('[data-key="description"] .whole');
    await whole.waitFor();
    const sizes = await whole.evaluate((element) => ({ height: element.offsetHeight, isWhole: element.scrollWidth <= element.clientWidth && element.scrollHeight <= element.clientHeight }));
    assert.ok(sizes.height > 50 && sizes.isWhole, JSON.stringify(sizes));
    await accessible(editor.page, `a long property at ${width} pixels`);
    await field(editor, 'description').click();
    assert.equal(await whole.isVisible(), false);
    assert.ok((await field(editor, 'description').boundingBox()).height < 40);
    await editor.page.keyboard.press('End');
    await editor.page.keyboard.type(' More.');
    await editor.press('Enter', 'Escape');
    await until(async () => /on\. More\.$/.test(await whole.textContent()), 'what was typed is shown');
    await undone(editor, FILES['pages/Long.md']);
    await editor.saved();
    await editor.close();
  }
});
