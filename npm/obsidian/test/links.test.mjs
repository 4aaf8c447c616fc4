// Typed links: in reading view, in the editor, and while they are typed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settled, withApp } from './support.mjs';
import { small } from './vault.mjs';

const app = withApp();
const badges = (page, inside) => page.locator(`${inside} .ubp-type`).allTextContents();

for (const isMobile of [false, true]) {
  describe(isMobile ? 'on mobile' : 'on desktop', () => {
    test('reading view shows the name of the page and the type as a badge', async () => {
      const { page, problems, close } = await app.start({ files: small, isMobile });
      await page.evaluate(() => window.host.open('Login.md', 'preview'));
      await page.waitForSelector('.markdown-preview-view .ubp-type');
      const links = await page.locator('.markdown-preview-view a.internal-link').evaluateAll((all) => all.map((link) => [link.textContent, link.dataset.ubpType ?? null, link.dataset.href]));
      assert.deepEqual(links, [
        ['User database', 'depends_on', 'User database'],
        ['the sessions', 'depends_on', 'Sessions'],
        ['Sessions', null, 'Sessions'],
        ['the store', null, 'Sessions'],
        // A Markdown link has no type.
        ['depends_on', null, 'Sessions.md'],
      ]);
      assert.deepEqual(await badges(page, '.markdown-preview-view'), ['depends_on', 'depends_on']);
      assert.deepEqual(problems, []);
      await close();
    });
  });
}

test('live preview shows the page before the type, unless the cursor is in the link', async () => {
  const { page, problems, close } = await app.start({ files: small });
  await page.evaluate(() => window.host.open('Login.md', 'live'));
  // The link in code is code.
  await page.waitForFunction(() => document.querySelectorAll('.cm-content .ubp-type').length === 2);
  assert.deepEqual(await badges(page, '.cm-content'), ['depends_on', 'depends_on']);
  assert.deepEqual(await page.locator('.cm-content .ubp-page-name').allTextContents(), ['User database']);
  // The pipe between type and words is hidden.
  assert.match(await page.locator('.cm-content').textContent(), /see User databasedepends_on and depends_onthe sessions\./);
  await page.locator('.ubp-page-name').click();
  assert.deepEqual(await page.evaluate(() => window.host.app.workspace.followed), ['User database']);
  await page.evaluate(() => window.host.view.editor.setCursor({ line: 5, ch: 74 }));
  await page.waitForFunction(() => document.querySelectorAll('.ubp-page-name').length === 0);
  assert.deepEqual(await badges(page, '.cm-content'), ['depends_on', 'depends_on']);
  // Source mode only marks the type.
  await page.evaluate(() => window.host.open('Login.md', 'source'));
  await page.waitForSelector('.cm-content .ubp-type');
  assert.equal(await page.locator('.ubp-page-name').count(), 0);
  assert.match(await page.locator('.cm-content').textContent(), /\[\[User database\|depends_on\]\].*depends_on\|the sessions/);
  assert.deepEqual(problems, []);
  await close();
});

test('types are completed after the pipe, those of the project too, and only there', async () => {
  const manifest = { version: '1.0.0', schema_version: 1, embedding_model: { name: 'all-MiniLM-L6-v2', version: '1.0', dimensions: 384 }, pages_dir: '.', created_at: '2026-01-01T00:00:00Z', frontmatter: 'preserved', links: { types: ['decides'] } };
  const { page, close } = await app.start({ files: [...small, { path: '.ubp/manifest.json', text: JSON.stringify(manifest) }] });
  assert.deepEqual(await page.evaluate(() => window.host.plugin.engine.state), { is: 'ready' });
  await page.evaluate(() => window.host.open('Login.md', 'live'));
  const offered = () => page.locator('.suggestion-item').allTextContents();
  await page.evaluate(() => window.host.type('\n\n[[Sessions'));
  assert.deepEqual(await offered(), []);
  await page.evaluate(() => window.host.type('|'));
  assert.deepEqual(await offered(), ['depends_on', 'implements', 'extends', 'references', 'conflicts_with', 'decides']);
  await page.evaluate(() => window.host.type('de'));
  assert.deepEqual(await offered(), ['depends_on', 'decides']);
  await page.locator('.suggestion-item').first().click();
  await page.evaluate(() => window.host.type('!'));
  assert.match(await page.evaluate(() => window.host.view.editor.getValue()), /\n\[\[Sessions\|depends_on\]\]!$/);
  // Brackets that are there already stay as they are; so does the text of an embed.
  await page.evaluate(() => {
    const { editor } = window.host.view;
    const line = editor.getCursor().line;
    editor.replaceRange('\n[[Sessions|]] ![[Sessions|', { line, ch: editor.getCursor().ch });
    editor.setCursor({ line: line + 1, ch: 11 });
  });
  await page.evaluate(() => window.host.type('ext'));
  await page.locator('.suggestion-item').first().click();
  const line = () => page.evaluate(() => window.host.view.editor.getValue().split('\n').at(-1));
  assert.equal(await line(), '[[Sessions|extends]] ![[Sessions|');
  await page.evaluate(() => window.host.view.editor.setCursor(window.host.view.editor.getValue().length));
  await page.evaluate(() => window.host.type('d'));
  assert.deepEqual(await offered(), []);
  await close();
});

test('a new note makes its links known, and a setting hides all types', async () => {
  const { page, close } = await app.start({ files: small });
  await page.evaluate(async () => {
    await window.host.app.vault.create('New.md', '# New\n\n[[Login|implements]]\n');
    await window.host.open('New.md', 'preview');
  });
  await settled(page);
  await page.waitForSelector('.markdown-preview-view .ubp-type');
  await page.evaluate(() => window.host.plugin.change({ showTypes: false }));
  await page.waitForFunction(() => !document.querySelector('.ubp-type'));
  assert.equal(await page.locator('a.internal-link').textContent(), 'implements');
  assert.deepEqual(await page.evaluate(() => window.host.data), { showTypes: false, completeTypes: true, meaning: 'desktop' });
  await close();
});
