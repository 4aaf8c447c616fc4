// Attachments: pictures and files that are pasted or dropped on the text.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { until, withViewer } from './editing.mjs';

const own = withViewer();
const TEXT = '# Page\n\nBefore the picture. After the picture.\n';
const NAMES = ['Pasted', 'Dropped', 'Twice', 'Refused', 'Undone', 'Chosen', 'Taken back', 'Slow', 'Selected', 'Office', 'Several', 'Left', 'Width'];
let viewer;
before(async () => {
  viewer = await own.start(Object.fromEntries(NAMES.map((name) => [`pages/${name}.md`, TEXT])));
});
const open = (path, settings = {}) => own.open(viewer, path, { settings: { live: true, ...settings } });
const stored = (name) => join(viewer.root, 'pages/attachments', name);
const names = () => (existsSync(stored('')) ? readdirSync(stored('')).sort() : []);
const textIs = (editor, wanted) => until(async () => (await editor.text()) === wanted, async () => `expected ${JSON.stringify(wanted)}, got ${JSON.stringify(await editor.text())}`);
const withLink = (link) => TEXT.replace('picture.', `picture.${link}`);
const notice = (editor) => editor.page.locator('.cm-editor-notice p');
const toast = (editor, text) => editor.page.getByText(text, { exact: true });

/**
 * Sends files to the text as the browser does when they are pasted or dropped. A file has a name and either `text` or the colour
 * of a picture, 300 by 200 pixels.
 */
function send(editor, how, files, { types = {}, at = null } = {}) {
  return editor.content.evaluate(
    async (element, { how, files, types, at }) => {
      const data = new DataTransfer();
      for (const { name, text, colour, megabytes } of files) {
        let content = text ?? new Uint8Array((megabytes ?? 0) * 1024 * 1024);
        if (colour) {
          const canvas = Object.assign(document.createElement('canvas'), { width: 300, height: 200 });
          const pen = canvas.getContext('2d');
          pen.fillStyle = colour;
          pen.fillRect(0, 0, 300, 200);
          content = await new Promise((made) => canvas.toBlob(made));
        }
        data.items.add(new File([content], name, { type: colour ? 'image/png' : '' }));
      }
      for (const [type, text] of Object.entries(types)) data.setData(type, text);
      const options = { bubbles: true, cancelable: true };
      let event = new ClipboardEvent('paste', { clipboardData: data, ...options });
      if (how === 'drop') {
        const view = element.cmTile.root.view;
        const { left, top } = view.coordsAtPos(view.state.doc.toString().indexOf(at) + at.length);
        event = new DragEvent('drop', { dataTransfer: data, clientX: left, clientY: top + 2, ...options });
      }
      element.dispatchEvent(event);
      return event.defaultPrevented;
    },
    { how, files, types, at },
  );
}
const paste = (editor, files, options) => send(editor, 'paste', files, options);

/** Waits with the next upload until the returned function is called. */
async function held(editor) {
  let release;
  const until = new Promise((resolve) => (release = resolve));
  await editor.page.route('**/api/add_attachment', async (route) => {
    await until;
    await route.continue();
  });
  return release;
}

test('a pasted picture is stored, linked and shown', async () => {
  const editor = await open('Pasted.md');
  await editor.after('Before the picture.');
  await paste(editor, [{ name: 'image.png', colour: 'teal' }]);
  await until(async () => /!\[\[pasted \d{4}-\d\d-\d\d \d\d\.\d\d\.png\]\]/.test(await editor.text()), () => 'no link was inserted');
  const [, name] = /!\[\[(.+?)\]\]/.exec(await editor.text());
  assert.deepEqual([...readFileSync(stored(name)).subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  assert.equal(await editor.text(), withLink(`![[${name}]]`), 'only the link was inserted, at the cursor');
  assert.equal(await editor.cursor(), (await editor.text()).indexOf(']]') + 2, 'the cursor is behind the link');
  const image = editor.page.locator(`.cm-content img[src$="${encodeURIComponent(name)}"]`);
  await until(() => image.evaluate((element) => element.naturalWidth === 300), () => 'the picture is not shown below its link');
  await editor.press('Control+Home');
  await until(() => image.evaluate((element) => element.naturalWidth === 300), () => 'the picture is not shown in place of its link');
  await editor.saved();
  assert.equal(viewer.read('Pasted.md'), withLink(`![[${name}]]`));
  await editor.close();
});

test('a dropped file is linked where it was dropped, with its own name', async () => {
  const editor = await open('Dropped.md');
  const isTaken = await send(editor, 'drop', [{ name: 'Offer #2.pdf', text: '%PDF-1.7' }], { at: 'Before the' });
  assert.ok(isTaken, 'the browser does not open the file');
  await textIs(editor, TEXT.replace('Before the', 'Before the[[Offer -2.pdf]]'));
  assert.equal(readFileSync(stored('Offer -2.pdf'), 'utf8'), '%PDF-1.7');
  await editor.close();
});

test('the same picture is stored once, and another one with its name gets a number', async () => {
  const editor = await open('Twice.md');
  const before = names().length;
  await editor.after('Before the picture.');
  await paste(editor, [{ name: 'shot.png', colour: 'orange' }]);
  await textIs(editor, withLink('![[shot.png]]'));
  await paste(editor, [{ name: 'again.png', colour: 'orange' }]);
  await textIs(editor, withLink('![[shot.png]]![[shot.png]]'));
  await toast(editor, 'Already there, and linked: attachments/shot.png.').waitFor();
  await paste(editor, [{ name: 'shot.png', colour: 'red' }]);
  await textIs(editor, withLink('![[shot.png]]![[shot.png]]![[shot 2.png]]'));
  assert.equal(names().length, before + 2);
  await editor.close();
});

test('a file that cannot be attached leaves the text as it was, and the reason is shown', async () => {
  const editor = await open('Refused.md');
  const before = names();
  await editor.after('Before the picture.');
  for (const [file, reason] of [
    [{ name: 'setup.exe', text: 'MZ' }, /^'setup\.exe' is not of a kind that can be attached: pictures, .*\.$/],
    [{ name: 'Notes.md', text: '# Notes' }, /create a page instead\.$/],
    [{ name: 'film.mp4', megabytes: 21 }, /^'film\.mp4' is too large: an attachment may have at most 20 MB\.$/],
    [{ name: 'empty.png', text: '' }, /^'empty\.png' is empty\.$/],
  ]) {
    await paste(editor, [file]);
    await until(async () => reason.test(await notice(editor).innerText().catch(() => '')), async () => `${reason}: ${await notice(editor).innerText()}`);
    assert.equal(await editor.text(), TEXT);
    assert.equal(await editor.page.locator('.cm-adding').count(), 0, 'no placeholder is left');
  }
  await editor.page.route('**/api/add_attachment', (route) => route.abort());
  await paste(editor, [{ name: 'late.png', colour: 'navy' }]);
  await until(async () => /^'late\.png' was not added\. The server is not responding\.$/.test(await notice(editor).innerText()), () => 'no reason is shown');
  assert.equal(await editor.text(), TEXT);
  assert.deepEqual(names(), before);
  await editor.close();
});

test('20 MB, the largest attachment, arrive', async () => {
  const editor = await open('Refused.md');
  await paste(editor, [{ name: 'large.zip', megabytes: 20 }]);
  await until(async () => (await editor.text()).includes('[[large.zip]]'), () => 'no link was inserted');
  assert.equal(readFileSync(stored('large.zip')).length, 20 * 1024 * 1024);
  await editor.close();
});

test('undo in the text removes the link alone, and redo brings it back', async () => {
  const editor = await open('Undone.md');
  await editor.after('Before the picture.');
  await editor.type(' Typed.');
  await paste(editor, [{ name: 'undone.png', colour: 'purple' }]);
  const linked = TEXT.replace('picture.', 'picture. Typed.![[undone.png]]');
  await textIs(editor, linked);
  await editor.press('Control+z');
  await textIs(editor, TEXT.replace('picture.', 'picture. Typed.'));
  assert.ok(names().includes('undone.png'));
  await editor.press('Control+y');
  await textIs(editor, linked);
  await editor.close();
});

test('undo of the stored file removes file and link', async () => {
  const editor = await open('Taken back.md');
  await editor.after('Before the picture.');
  await paste(editor, [{ name: 'taken back.png', colour: 'olive' }]);
  await textIs(editor, withLink('![[taken back.png]]'));
  await editor.page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await textIs(editor, TEXT);
  await until(() => !names().includes('taken back.png'), () => 'the file is still there');
  await editor.saved();
  assert.equal(viewer.read('Taken back.md'), TEXT);
  await editor.close();
});

test('typing goes on while a file is stored', async () => {
  const editor = await open('Slow.md');
  await editor.after('Before the picture.');
  const release = await held(editor);
  await paste(editor, [{ name: 'slow.png', colour: 'gray' }]);
  await editor.page.locator('.cm-adding', { hasText: 'Adding slow.png…' }).waitFor();
  await editor.type(' More.');
  await editor.saved();
  assert.equal(viewer.read('Slow.md'), TEXT.replace('picture.', 'picture. More.'), 'the file has no trace of the placeholder');
  release();
  await textIs(editor, TEXT.replace('picture.', 'picture.![[slow.png]] More.'));
  assert.equal(await editor.cursor(), (await editor.text()).indexOf('More.') + 5, 'the cursor stays behind what was typed');
  await editor.close();
});

test('the link gets into the page that the file was pasted into, also after the user went to another one', async () => {
  const editor = await open('Left.md');
  await editor.after('Before the picture.');
  const release = await held(editor);
  await paste(editor, [{ name: 'left.png', colour: 'pink' }]);
  await editor.page.locator('.cm-adding').waitFor();
  await editor.page.locator('#ubp_side .viewport a', { hasText: 'Width' }).or(editor.page.locator('a[href$="Width.html"]')).first().click();
  await until(async () => editor.page.url().endsWith('Width.html'), () => 'the other page was not opened');
  release();
  await until(() => viewer.read('Left.md') === withLink('![[left.png]]'), () => `not saved: ${viewer.read('Left.md')}`);
  await editor.close();
});

test('a selection is replaced, unless the file is refused', async () => {
  const editor = await open('Selected.md');
  await editor.select('the picture');
  await paste(editor, [{ name: 'no.exe', text: 'MZ' }]);
  await notice(editor).waitFor();
  assert.equal(await editor.text(), TEXT);
  await paste(editor, [{ name: 'selected.png', colour: 'brown' }]);
  await textIs(editor, TEXT.replace('the picture', '![[selected.png]]'));
  await editor.close();
});

test('several files get one link each, and one undo removes them', async () => {
  const editor = await open('Several.md');
  await editor.after('Before the picture.');
  await paste(editor, [{ name: 'one.csv', text: 'a,b' }, { name: 'two.exe', text: 'MZ' }, { name: 'three.svg', text: '<svg xmlns="http://www.w3.org/2000/svg"/>' }]);
  await textIs(editor, withLink('[[attachments/one.csv]]\n![[three.svg]]'));
  assert.match(await notice(editor).innerText(), /^'two\.exe' is not of a kind/);
  await editor.press('Control+z');
  await textIs(editor, TEXT);
  await editor.press('Control+y');
  await editor.page.getByRole('button', { name: 'Undo', exact: true }).last().click();
  await textIs(editor, TEXT);
  assert.deepEqual(names().filter((name) => /^(one|two|three)\./.test(name)), []);
  await editor.close();
});

test('files can be chosen with the keyboard alone', async () => {
  const editor = await open('Chosen.md');
  await editor.after('Before the picture.');
  const opened = editor.page.waitForEvent('filechooser');
  await editor.press('Control+k');
  await editor.page.getByRole('combobox', { name: /^Search pages/ }).fill('>attach');
  await editor.page.getByRole('option', { name: 'Attach files…' }).waitFor();
  await editor.press('Enter');
  await (await opened).setFiles({ name: 'chosen.zip', mimeType: 'application/zip', buffer: Buffer.from('PK') });
  await textIs(editor, withLink('[[chosen.zip]]'));
  await editor.close();
});

test('text with a picture of it, as spreadsheets copy it, is pasted as text', async () => {
  const editor = await open('Office.md');
  const before = names();
  await editor.after('Before the picture.');
  await paste(editor, [{ name: 'image.png', colour: 'lime' }], { types: { 'text/plain': ' A1', 'text/html': '<table><td>A1</table>' } });
  await until(async () => (await editor.text()).includes('picture. A1'), async () => await editor.text());
  assert.deepEqual(names(), before);
  await editor.close();
});

test('the width of a picture applies in live preview and in Read', async () => {
  mkdirSync(stored(''), { recursive: true });
  writeFileSync(stored('wide.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="300"><rect width="600" height="300"/></svg>');
  viewer.write('Width.md', '# Width\n\n![[wide.svg|200]]\n\nText.\n');
  const editor = await open('Width.md');
  await editor.after('Text.');
  const width = (within) => editor.page.locator(`${within} img[src$="wide.svg"]`).first().evaluate((image) => image.getBoundingClientRect().width);
  await until(async () => (await width('.cm-content')) === 200, async () => `${await width('.cm-content')} pixels in live preview`);
  await editor.press('Control+e');
  await until(async () => (await width('article')) === 200, async () => `${await width('article')} pixels in Read`);
  await editor.close();
});
