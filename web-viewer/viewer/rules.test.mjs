// Completion from the template of a page's type: keys and values in the form and in YAML, missing headings, types of links.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { accessible, editor, ready, saved, settled, until, withHistory, withViewer } from './workspace.mjs';

const ADR = `---
template:
  fields:
    note: {required: false, description: Anything else}
    status: {values: [proposed, accepted, accepted later]}
    deciders: {kind: list}
  headings: [Context, Decision]
  links:
    extends: [adr]
    implements: []
type: adr
---
# {{ title }}
`;

describe('completion from the template of a type', () => {
  const own = withViewer({
    prepare: (project) => {
      withHistory(project);
      mkdirSync(join(project, 'templates'));
      writeFileSync(join(project, 'templates/adr.md'), ADR);
    },
  });
  const candidates = (page) => page.locator('.cm-candidates [role=option]');
  const labels = (page) => candidates(page).locator('.cm-completionLabel').allTextContents();

  async function offers(page, ...expected) {
    const isSo = async () => (await labels(page)).slice(0, expected.length).join() === expected.join();
    await until(isSo, async () => `offered: ${await labels(page)}, not ${expected}`);
  }

  async function none(page) {
    await until(async () => (await candidates(page).count()) === 0, async () => `offered: ${await labels(page)}`);
  }

  async function opened(name, text, settings = {}) {
    own.write(`${name}.md`, text);
    const { page, done } = await own.open(`${name}.html`, { settings });
    await ready(page);
    await editor(page).waitFor();
    return { page, done };
  }

  test('the form offers the keys of the template first, and the allowed values', async () => {
    const { page, done } = await opened('Form', '---\ntype: adr\n---\n# Form\n');
    await page.getByRole('button', { name: 'Add property' }).click();
    const names = () => page.locator('.properties [role=option]').evaluateAll((all) => all.map((option) => option.textContent.trim().replace(/\s+/g, ' ')));
    await until(async () => /^status ?required$/.test((await names())[0] ?? ''), async () => `offered: ${await names()}`);
    const first = (await names()).map((name) => name.replace(/ ?(required|Anything else|link)$/, ''));
    assert.deepEqual(first.slice(0, 5), ['status', 'deciders', 'note', 'extends', 'implements']);
    await accessible(page, 'the keys of a template');
    await page.keyboard.type('status');
    await page.keyboard.press('Enter');
    const status = page.locator('.properties').getByRole('combobox', { name: 'status' });
    await status.waitFor();
    await until(() => status.evaluate((field) => field === document.activeElement), 'the field has the focus');
    await page.keyboard.type('acc');
    await until(async () => (await names())[0] === 'accepted', async () => `offered: ${await names()}`);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until(() => own.read('Form.md').includes('status: accepted\n'), 'the value is written');
    await done();
  });

  test('YAML offers keys and values, and leaves alone what is complete', async () => {
    const { page, done } = await opened('Yaml', '---\ntype: adr\n---\n# Yaml\n');
    await page.getByRole('button', { name: 'Edit as YAML' }).click();
    await page.locator('.cm-content:focus').waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('de');
    await offers(page, 'deciders', 'depends_on');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('st');
    await offers(page, 'status');
    await page.keyboard.press('Enter');
    await offers(page, 'proposed', 'accepted');
    await page.keyboard.type('prop');
    await offers(page, 'proposed');
    await page.keyboard.press('Enter');
    await none(page);
    await until(() => own.read('Yaml.md') === '---\ntype: adr\nstatus: proposed\n---\n# Yaml\n', 'key and value are written');
    // Enter after a complete value begins a line, although a longer value begins like it.
    await page.keyboard.press('Control+Backspace');
    await page.keyboard.type('accepted');
    await none(page);
    await page.keyboard.press('Enter');
    await page.keyboard.type('own: [');
    await until(() => own.read('Yaml.md').includes('status: accepted\nown: ['), 'the line is new');
    await done();
  });

  test('headings that are missing, and link types of the template first', async () => {
    const { page, done } = await opened('Text', '---\ntype: adr\n---\n# Text\n\n## Context\n\nWhy.\n\n');
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('## ');
    await offers(page, 'Decision');
    await accessible(page, 'missing headings');
    assert.equal(await candidates(page).count(), 1, 'the page has the other one');
    await page.keyboard.press('Enter');
    await none(page);
    await page.keyboard.press('Enter');
    await page.keyboard.type('## ');
    await page.keyboard.type('Other');
    await none(page);
    await page.keyboard.press('Enter');
    await page.keyboard.type('See [[Home|');
    await offers(page, 'extends', 'implements');
    await page.keyboard.type('ext');
    await offers(page, 'extends');
    await page.keyboard.press('Enter');
    await saved(page);
    await until(() => own.read('Text.md').endsWith('\n## Decision\n## Other\nSee [[Home|extends]]'), () => own.read('Text.md'));
    await done();
  });

  test('pages of other types get the usual candidates', async () => {
    const { page, done } = await opened('Plain', '---\ntype: guide\n---\n# Plain\n\n');
    await editor(page).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('## ');
    await settled(page);
    assert.deepEqual(await labels(page), [], 'no heading is missing');
    await page.keyboard.type('Con [[Home|');
    await until(async () => (await labels(page)).includes('depends_on'), async () => `offered: ${await labels(page)}`);
    assert.notEqual((await labels(page))[0], 'extends', 'the template of another type changes nothing');
    await done();
  });
});
