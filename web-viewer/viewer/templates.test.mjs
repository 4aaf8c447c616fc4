// New pages from templates: the dialog offers them, asks for their fields, and the cursor lands where the template says.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { accessible, ready, until, withHistory, withViewer } from './workspace.mjs';

const ADR = `---
template:
  description: One decision
  folder: decisions
  fields:
    status: {values: [proposed, accepted], default: proposed}
    deciders: {kind: list, description: Who decides}
  headings: [Context]
type: adr
---
# {{ title }}

## Context

Because {{ cursor }}.

## Decision
`;

describe('templates', () => {
  const own = withViewer({
    prepare: (project) => {
      withHistory(project);
      mkdirSync(join(project, 'templates'));
      writeFileSync(join(project, 'templates/adr.md'), ADR);
      writeFileSync(join(project, 'templates/note.md'), '# {{ title }}\n\nA note.\n');
    },
  });

  test('are chosen with the keyboard, and typing goes to where the template says', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.keyboard.press('Alt+n');
    const dialog = page.getByRole('dialog', { name: 'New page' });
    await dialog.waitFor();
    await page.keyboard.type('Use SQLite');
    await dialog.getByLabel('Template').selectOption('adr');
    await dialog.getByText('One decision').waitFor();
    await dialog.getByLabel('deciders').waitFor();
    await accessible(page);
    await page.keyboard.press('Enter');
    assert.equal(await dialog.isVisible(), true, 'a required field is missing');
    await dialog.getByLabel('deciders').fill('Ann, Bob');
    await page.keyboard.press('Enter');
    await until(() => existsSync(own.page('decisions/Use SQLite.md')), 'the page is created in the folder of the template');
    await page.locator('.cm-content:focus').waitFor();
    await page.keyboard.type('it is small');
    await until(() => own.read('decisions/Use SQLite.md').includes('Because it is small.\n'), 'the text is where the cursor was');
    const text = own.read('decisions/Use SQLite.md');
    assert.match(text, /^status: proposed$/m);
    assert.match(text, /^deciders: \[Ann, Bob\]$/m);
    assert.match(text, /^# Use SQLite$/m);
    await done();
  });

  test('without a place for the cursor leave it below the title', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.keyboard.press('Alt+n');
    const dialog = page.getByRole('dialog', { name: 'New page' });
    await dialog.waitFor();
    await page.keyboard.type('Plain note');
    await dialog.getByLabel('Template').selectOption('note');
    await page.keyboard.press('Enter');
    await until(() => existsSync(own.page('Plain note.md')), 'the page is created');
    await page.locator('.cm-content:focus').waitFor();
    await page.keyboard.type('Yes. ');
    await until(() => own.read('Plain note.md').endsWith('# Plain note\n\nYes. A note.\n'), 'the heading is whole');
    await done();
  });

  test('on a small screen keep the button in sight, and keep the fields when the page is refused', async () => {
    const { page, done } = await own.open('Home.html', { context: { viewport: { width: 390, height: 500 } }, expectErrors: true });
    await page.locator('#ubp_desk .cm-content').waitFor();
    await page.keyboard.press('Alt+n');
    const dialog = page.getByRole('dialog', { name: 'New page' });
    await dialog.waitFor();
    await page.keyboard.type('Refused');
    await dialog.getByLabel('Template').selectOption('adr');
    const create = dialog.getByRole('button', { name: 'Create page' });
    const { y, height } = await create.boundingBox();
    assert.ok(y + height <= 500, `the button ends at ${y + height}`);
    assert.deepEqual(await dialog.getByLabel('status').getByRole('option').allTextContents(), ['proposed', 'accepted']);
    await dialog.getByLabel('status').selectOption('accepted');
    await dialog.getByLabel('deciders').fill(',');
    await create.click();
    await dialog.getByText('needs `deciders`').waitFor();
    assert.equal(await dialog.getByLabel('status').inputValue(), 'accepted');
    await dialog.getByLabel('deciders').fill('Ann');
    await create.click();
    await until(() => existsSync(own.page('decisions/Refused.md')), 'the page is created');
    assert.match(own.read('decisions/Refused.md'), /^status: accepted$/m);
    await done();
  });

  test('are chosen by the folder', async () => {
    const { page, done } = await own.open('Home.html');
    await ready(page);
    await page.keyboard.press('Alt+n');
    const dialog = page.getByRole('dialog', { name: 'New page' });
    await dialog.waitFor();
    await dialog.getByLabel('Folder').fill('decisions');
    await until(async () => (await dialog.getByLabel('Template').inputValue()) === 'adr', 'the template of the folder is chosen');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await done();
  });
});
