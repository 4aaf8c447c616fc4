// Creating, renaming, deleting and undoing; suggestions; the start screen of an empty project.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { editor, empty, ready, until, withViewer } from './workspace.mjs';

describe('pages', () => {
  const own = withViewer();

  test('are created in a folder, with the keyboard only', async () => {
    const { page, done } = await own.open('Guides/Reading.html');
    await ready(page);
    await page.keyboard.press('Alt+n');
    await page.getByRole('dialog', { name: 'New page' }).waitFor();
    await page.keyboard.type('Writing well');
    await page.keyboard.press('Enter');
    await until(() => existsSync(own.page('Guides/Writing well.md')), 'the folder of the open page is suggested');
    await until(async () => /Writing well/.test(await editor(page).textContent()), 'it is open for editing');
    await page.keyboard.type('x');
    await until(async () => /x/.test(await editor(page).textContent()), 'it has the focus');
    await done();
  });

  test('are renamed: the consequences are shown first, applied, and undone', async () => {
    const { page, done } = await own.open('Guides/Formatting.html', { expectErrors: true });
    await ready(page);
    await editor(page).waitFor();
    const before = own.read('Home.md');
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog', { name: 'Rename or move' });
    await dialog.getByRole('textbox', { name: 'Title' }).fill('Shaping text');
    await dialog.getByText(/Links on \d+ other pages will be updated/).waitFor();
    await dialog.getByText('+- [[Shaping text]] shows what a page can hold.').waitFor();
    assert.equal(own.read('Home.md'), before, 'nothing is changed yet');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    assert.match(own.read('Home.md'), /\[\[Shaping text\]\] shows/);
    await until(async () => page.url().includes('Shaping%20text.html'), 'the address is updated');
    await page.locator('#ubp_side').getByRole('link', { name: 'Shaping text' }).first().waitFor();
    await page.keyboard.press('Alt+u');
    await until(() => existsSync(own.page('Guides/Formatting.md')), 'the file is back');
    assert.equal(own.read('Home.md'), before);
    await until(async () => page.url().includes('Formatting.html'), 'the address changed');
    await done();
  });

  test('are moved during editing: saving continues at the new path', async () => {
    const { page, done } = await own.open('Alone.html', { expectErrors: true });
    await ready(page);
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n\nBefore the move.');
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog', { name: 'Rename or move' });
    await dialog.getByLabel('Folder').fill('Guides');
    await dialog.getByText('Guides/Alone.md').first().waitFor();
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.waitFor({ state: 'detached' });
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' After the move.');
    await until(() => /Before the move\. After the move\./.test(own.read('Guides/Alone.md')), 'nothing is lost');
    assert.equal(existsSync(own.page('Alone.md')), false, 'the old file is gone');
    await done();
  });

  test('are deleted after showing the links, and restored by a key', async () => {
    const { page, done } = await own.open('Guides/Reading.html', { expectErrors: true });
    await ready(page);
    await page.getByRole('button', { name: 'Page actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Delete/ });
    await dialog.getByText(/pages? links? to it/).waitFor();
    await dialog.getByRole('button', { name: 'Delete page' }).click();
    await dialog.waitFor({ state: 'detached' });
    await until(() => !existsSync(own.page('Guides/Reading.md')), 'the file is gone');
    assert.doesNotMatch(own.read('Home.md'), /\[\[Reading\]\]/);
    await until(async () => !page.url().includes('Reading.html'), 'another page is shown');
    await page.getByText('is deleted.').waitFor();
    await page.keyboard.press('Alt+u');
    await until(() => existsSync(own.page('Guides/Reading.md')), 'it is back');
    await until(() => /\[\[Reading\]\]/.test(own.read('Home.md')), 'with the links to it');
    await until(async () => page.url().includes('Reading.html'), 'and shown');
    await done();
  });

  test('that are missing can be created from links to them', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.locator('#ubp_rail').getByRole('button', { name: 'A page that nobody wrote' }).click();
    const dialog = page.getByRole('dialog', { name: 'New page' });
    assert.equal(await dialog.getByRole('textbox', { name: 'Name' }).inputValue(), 'A page that nobody wrote');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await done();
  });

  test('that are restored do not take away from where one has gone in the meantime', async () => {
    own.write('Brief.md', '# Brief\n');
    const { page, done } = await own.open('Brief.html', { expectErrors: true });
    await editor(page).waitFor();
    await page.getByRole('button', { name: 'Page actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog', { name: /^Delete/ }).getByRole('button', { name: 'Delete page' }).click();
    await page.getByText('is deleted.').waitFor();
    let answer;
    await page.route('**/api/undo', async (route) => {
      const response = await route.fetch();
      await new Promise((send) => (answer = send));
      await route.fulfill({ response });
    });
    await page.keyboard.press('Alt+u');
    await until(() => answer !== undefined, 'it is restored');
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Formatting' }).click();
    await until(async () => page.url().endsWith('/Formatting.html'), 'another page is opened');
    answer();
    await page.getByText('Undone').first().waitFor();
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Brief' }).waitFor();
    assert.match(page.url(), /\/Formatting\.html$/);
    await done();
  });

  test('with the name of another page need confirmation, which shows the affected links', async () => {
    own.write('Guides/Twin.md', '# Twin\n');
    own.write('To twin.md', '# To twin\n\nSee [[Twin]].\n');
    const { page, done } = await own.open('Home.html', { expectErrors: true });
    await ready(page);
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'To twin' }).waitFor();
    await page.keyboard.press('Alt+n');
    const dialog = page.getByRole('dialog', { name: 'New page' });
    await dialog.waitFor();
    await page.keyboard.type('Twin');
    await dialog.getByText('A page named “Twin” already exists').waitFor();
    await dialog.getByRole('link', { name: 'Guides/Twin.md' }).waitFor();
    await dialog.getByText('Twin on To twin, line 3').waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByText('Create another page with this name?').waitFor();
    assert.equal(existsSync(own.page('Twin.md')), false, 'nothing is changed yet');
    await dialog.getByLabel('Folder').fill('Guides/Deep');
    await dialog.getByRole('button', { name: 'Create page' }).waitFor();
    await dialog.getByText('Existing links will not change.').waitFor();
    await dialog.getByLabel('Folder').fill('');
    await dialog.getByText('Twin on To twin, line 3').waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Create anyway' }).click();
    await until(() => existsSync(own.page('Twin.md')), 'it is created');
    await done();
  });

  test('with the name of another page need confirmation, however fast one types, and no letter is lost', async () => {
    own.write('Guides/Fast.md', '# Fast\n');
    const { page, done } = await own.open('Home.html', { expectErrors: true });
    await ready(page);
    await page.locator('#ubp_side .viewport').getByRole('link', { name: 'Fast' }).waitFor();
    await page.keyboard.press('Alt+n');
    const dialog = page.getByRole('dialog', { name: 'New page' });
    await dialog.waitFor();
    // On a busy machine the answer may come before Enter does.
    let isEntered = false;
    await page.route('**/api/create_page', async (route) => {
      if (route.request().postDataJSON().dry_run) await until(() => isEntered, 'Enter is pressed');
      await route.continue();
    });
    await page.keyboard.insertText('Fast');
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('Typed ');
    isEntered = true;
    await dialog.getByText('Create another page with this name?').waitFor();
    await page.keyboard.insertText('on.');
    assert.equal(existsSync(own.page('Fast.md')), false);
    assert.equal(await dialog.getByRole('textbox', { name: 'Text' }).inputValue(), 'Typed on.');
    await dialog.getByRole('button', { name: 'Create anyway' }).click();
    await until(() => existsSync(own.page('Fast.md')) && own.read('Fast.md').endsWith('# Fast\n\nTyped on.'), 'the typed text is in it');
    await done();
  });

  test('cannot have a name of dots only', async () => {
    const { page, done } = await own.open('Home.html', { expectErrors: true });
    await ready(page);
    await page.keyboard.press('Alt+n');
    const dialog = page.getByRole('dialog', { name: 'New page' });
    await dialog.waitFor();
    await page.keyboard.type('..');
    await page.keyboard.press('Enter');
    await dialog.getByText("a page cannot be called '..'").waitFor();
    assert.equal(existsSync(own.page('untitled.md')), false);
    await done();
  });

  test('an invalid name is reported at the field', async () => {
    const { page, done } = await own.open('Home.html', { expectErrors: true });
    await ready(page);
    await page.keyboard.press('Alt+n');
    const dialog = page.getByRole('dialog', { name: 'New page' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Home');
    await dialog.getByLabel('Folder').fill('../outside');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    assert.equal(await dialog.getByRole('textbox', { name: 'Name' }).inputValue(), 'Home');
    await done();
  });
});

const ABOUT_LOGIN = {
  Login: 'The user database holds passwords, and the token service gives keys. Both are asked for at every login.',
  'User Database': 'Users and passwords of all people, for login and for the token service.',
  'Token Service': '[[Login]] and the [[User Database]] make tokens; keys are given at login.',
  Audit: 'Every [[Login]] is noted in the [[User Database]] by the [[Token Service]].',
  ...Object.fromEntries(['Sign Up', 'Recovery', 'Lockout', 'Roles', 'Export'].map((name) => [name, `${name} asks the [[User Database]] for passwords of people and the [[Token Service]] for keys, as [[Login]] does.`])),
};

describe('links', () => {
  const own = withViewer({
    prepare: (project) => {
      empty(project);
      for (const [name, text] of Object.entries(ABOUT_LOGIN)) writeFileSync(join(project, 'pages', `${name}.md`), `# ${name}\n\n${text}\n`);
    },
  });

  test('to a page are shown with their context, and open the linking page', async () => {
    const { page, done } = await own.open('Login.html');
    await ready(page);
    await page.locator('#ubp_rail').getByText(/Every Login is noted/).waitFor();
    await page.locator('#ubp_rail .backlinks').getByRole('link', { name: 'Audit' }).click();
    await until(async () => page.url().includes('Audit.html'), 'the linking page is open');
    await done();
  });

  test('that are missing are suggested; one is dismissed, one accepted in the text, and undone', async () => {
    const { page, done } = await own.open('Login.html');
    await ready(page);
    const rail = page.locator('#ubp_rail');
    await rail.getByRole('button', { name: 'Do not suggest Token Service' }).click();
    await rail.getByRole('button', { name: 'Do not suggest Token Service' }).waitFor({ state: 'detached' });
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Typed just now.');
    await rail.getByRole('button', { name: 'Link to User Database' }).click();
    await until(() => /The \[\[User Database\|user database\]\] holds/.test(own.read('Login.md')), 'the link is inserted at the mention');
    assert.match(own.read('Login.md'), /Typed just now\./, 'the earlier edits are kept');
    await editor(page).locator('.cm-page-link', { hasText: 'user database' }).waitFor();
    await page.keyboard.press('Alt+u');
    await until(() => !/\[\[User Database/.test(own.read('Login.md')), 'undone');
    assert.equal((await own.call('suggest_links', { page: 'Login' })).suggestions.some(({ target }) => target.title === 'Token Service'), false, 'dismissed for good');
    await done();
  });
});

describe('mentions', () => {
  const prepare = (project) => {
    empty(project);
    writeFileSync(join(project, 'pages', 'rate-limits.md'), '# Throttling\n\nCallers are slowed down.\n');
    writeFileSync(join(project, 'pages', 'api.md'), '# API\n\nEvery key has rate-limits.\n');
  };
  const own = withViewer({ prepare });

  test('without a link are listed on both pages and can be linked from either', async () => {
    const { page, done } = await own.open('api.html');
    await ready(page);
    const mentions = page.getByRole('region', { name: /^Unlinked mentions/ });
    await mentions.getByRole('link', { name: 'Throttling' }).waitFor();
    assert.match(await mentions.textContent(), /Every key has rate-limits\./);
    await page.goto(`${own.root}rate-limits.html`);
    await ready(page);
    const elsewhere = page.getByRole('region', { name: /^Unlinked mentions on other pages/ });
    await elsewhere.getByRole('button', { name: 'Link from API', exact: true }).click();
    await until(() => /Every key has \[\[rate-limits\]\]\./.test(own.read('api.md')), 'the link is written on the other page');
    await elsewhere.waitFor({ state: 'detached' });
    await done();
  });
});

describe('an empty project', () => {
  const own = withViewer({ prepare: empty });

  test('shows its state and how to start; the first page needs only a name', async () => {
    const { page, done } = await own.open('');
    await page.getByRole('heading', { level: 1, name: 'Write your first page' }).waitFor();
    await page.getByText('0 pages', { exact: false }).first().waitFor();
    await page.getByText('source_refs:').waitFor();
    await page.getByRole('button', { name: 'Create your first page' }).click();
    await page.getByRole('dialog', { name: 'New page' }).waitFor();
    await page.keyboard.type('Home');
    await page.keyboard.press('Enter');
    await until(() => existsSync(own.page('Home.md')), 'it is there');
    await until(async () => /Home/.test(await editor(page).textContent()), 'and open');
    await done();
  });
});
