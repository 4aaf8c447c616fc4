// Many proposals at once: filtered, accepted and rejected together.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from './editing.mjs';
import { FILES, HOME, LIMIT, agentOf, begin } from './proposing.mjs';

describe('many proposals', () => {
  /** Two edits and two additions of one agent, and one of another. */
  async function several(options) {
    const all = await begin({ options });
    const other = await agentOf(all.viewer, { name: 'other agent', version: '3' });
    const made = [
      await all.agent.propose('update_page', LIMIT),
      await all.agent.propose('create_page', { title: 'One', folder: 'notes', content: 'One.' }),
      await all.agent.propose('create_page', { title: 'Two', folder: 'notes/deep', content: 'Two.' }),
      await all.agent.propose('update_page', { page: 'Log', old: 'First entry.', new: 'The first entry.' }),
      await other.propose('update_page', { page: 'Sign in', content: 'Added.', mode: 'append' }),
    ];
    await all.counted(5);
    await all.review();
    await until(async () => (await all.rows.count()) === 5, 'all are listed');
    const shows = (...titles) => until(async () => (await all.rows.allTextContents()).sort().join() === titles.sort().join(), async () => `expected ${titles}, the list has ${await all.rows.allTextContents()}`);
    const acceptAdditions = async () => {
      const { page, counted } = all;
      await page.getByRole('checkbox', { name: 'Only additions' }).check();
      await shows('Create notes/One.md', 'Create notes/deep/Two.md', 'Edit Sign in');
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByRole('button', { name: 'Accept 3' }).click();
      await page.getByText('Accepted 3 proposals.').waitFor();
      await counted(2);
    };
    return { ...all, other, made, shows, acceptAdditions };
  }

  test('are filtered by agent, by folder and by what they do', async () => {
    const { page, shows, done } = await several();
    const agent = page.getByRole('combobox', { name: 'Agent' });
    assert.deepEqual(await agent.locator('option').allTextContents(), ['All agents', 'other agent', 'scribe']);
    await agent.selectOption('other agent');
    await shows('Edit Sign in');
    await agent.selectOption('All agents');
    const folder = page.getByRole('combobox', { name: 'Folder' });
    assert.deepEqual(await folder.locator('option').allTextContents(), ['All folders', 'guides', 'notes', 'notes/deep']);
    await folder.selectOption('notes');
    await shows('Create notes/One.md', 'Create notes/deep/Two.md', 'Edit Log');
    await page.getByRole('checkbox', { name: 'Only additions' }).check();
    await shows('Create notes/One.md', 'Create notes/deep/Two.md');
    await folder.selectOption('All folders');
    await shows('Create notes/One.md', 'Create notes/deep/Two.md', 'Edit Sign in');
    await page.getByRole('checkbox', { name: 'Only additions' }).uncheck();
    await shows('Create notes/One.md', 'Create notes/deep/Two.md', 'Edit Sign in', 'Edit Log', 'Edit Home');
    await done();
  });

  test('are accepted together, with one undo, and rejected together', async () => {
    const { viewer, agent, other, page, rows, shows, counted, done, acceptAdditions } = await several();
    await acceptAdditions();
    assert.match(viewer.read('notes/One.md'), /One\./);
    assert.match(viewer.read('notes/deep/Two.md'), /Two\./);
    assert.match(viewer.read('guides/Sign in.md'), /Added\./);
    await page.keyboard.press('Alt+u');
    await until(() => viewer.read('notes/One.md') + viewer.read('notes/deep/Two.md') === '' && viewer.read('guides/Sign in.md') === FILES['pages/guides/Sign in.md'], 'all are undone');
    await page.getByRole('checkbox', { name: 'Only additions' }).uncheck();
    await shows('Edit Log', 'Edit Home');
    // By keyboard: both, then rejected with a comment.
    await page.locator('#ubp_stage [data-row="0"]').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Reject 2…' }).waitFor();
    await page.keyboard.press('r');
    await page.getByRole('textbox', { name: 'Comment for the agent (optional)' }).fill('Not now.');
    await page.getByRole('button', { name: 'Reject 2 proposals' }).click();
    await page.getByText('Rejected 2 proposals.').waitFor();
    await counted(0);
    assert.equal(await rows.count(), 0);
    const comments = async (agent) => (await agent.call('list_proposals', {})).proposals.map(({ state, decision }) => `${state} ${decision.comment}`).sort();
    assert.deepEqual(await comments(agent), ['accepted null', 'accepted null', 'rejected Not now.', 'rejected Not now.']);
    assert.deepEqual(await comments(other), ['accepted null']);
    await done();
  });

  test('are accepted oldest first, because later ones may build on earlier ones', async () => {
    const { made, page, counted, done } = await several();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    const asked = page.waitForRequest((request) => request.url().endsWith('/api/accept_proposal'));
    await page.getByRole('button', { name: 'Accept 5' }).click();
    assert.deepEqual((await asked).postDataJSON().proposals, made);
    await counted(0);
    await done();
  });

  test('stay accepted if one of them cannot be undone', async () => {
    const { viewer, page, shows, counted, done, acceptAdditions } = await several();
    await acceptAdditions();
    const accepted = ['notes/deep/Two.md', 'guides/Sign in.md'].map((path) => viewer.read(path));
    // The first one, which is undone last, cannot be.
    viewer.write('notes/One.md', '# One\n\nSomebody wrote on.\n');
    let undone = 0;
    page.on('response', (response) => response.url().endsWith('/api/undo') && undone++);
    await page.keyboard.press('Alt+u');
    await page.getByRole('alert').filter({ hasText: 'notes/One.md' }).waitFor();
    assert.equal(undone, 5, 'two are undone, one cannot be, and the two are made again');
    assert.deepEqual(['notes/deep/Two.md', 'guides/Sign in.md'].map((path) => viewer.read(path)), accepted);
    assert.equal(viewer.read('notes/One.md'), '# One\n\nSomebody wrote on.\n');
    await done();
  });

  test('are not decided while they are hidden: in a narrow window, keys are about the one that is shown', async () => {
    const { viewer, page, rows, detail, counted, done } = await several({ viewport: { width: 390, height: 844 } });
    for (const what of ['Edit Home', 'Edit Log']) await page.getByRole('checkbox', { name: `Select: ${what}` }).check();
    await page.getByRole('button', { name: 'Accept 2' }).waitFor();
    await rows.filter({ hasText: 'Create notes/One.md' }).click();
    await detail.getByRole('heading', { level: 1, name: 'Create notes/One.md' }).waitFor();
    await page.keyboard.press('r');
    await detail.getByRole('textbox', { name: 'Comment for the agent (optional)' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await page.getByText('Accepted: Create notes/One.md.').waitFor();
    await counted(4);
    assert.match(viewer.read('notes/One.md'), /One\./);
    assert.deepEqual([viewer.read('Home.md'), viewer.read('notes/Log.md')], [HOME, FILES['pages/notes/Log.md']]);
    await page.getByRole('button', { name: 'Accept 2' }).waitFor();
    await done();
  });

  test('are all shown again after a list that failed, without its error', async () => {
    const { page, shows, done } = await several();
    await page.route('**/api/list_proposals', (route) => (route.request().postData()?.includes('decided') ? route.fulfill({ status: 500, json: { code: 'io', message: 'the disk is on fire', hint: null } }) : route.continue()));
    await page.getByRole('button', { name: 'Decided' }).click();
    const failure = page.locator('#ubp_stage').getByRole('alert').filter({ hasText: 'the disk is on fire' });
    await failure.waitFor();
    await page.getByRole('button', { name: 'Waiting' }).click();
    await failure.waitFor({ state: 'detached' });
    await shows('Create notes/One.md', 'Create notes/deep/Two.md', 'Edit Sign in', 'Edit Log', 'Edit Home');
    await page.getByRole('checkbox', { name: 'Select: Edit Home' }).check();
    await page.getByRole('button', { name: 'Reject 1…' }).click();
    const comment = page.getByRole('textbox', { name: 'Comment for the agent (optional)' });
    await comment.waitFor();
    await page.getByRole('checkbox', { name: 'Select: Edit Home' }).uncheck();
    await page.getByRole('checkbox', { name: 'Select: Edit Log' }).check();
    await page.getByRole('button', { name: 'Reject 1…' }).waitFor();
    assert.equal(await comment.count(), 0, 'nobody asked to reject this one');
    await done();
  });

  test('that cannot be accepted are left, and the others are accepted', async () => {
    const { viewer, page, rows, counted, done } = await several();
    viewer.write('notes/Log.md', '# Log\n\nAnother first entry.\n');
    await page.locator('#ubp_stage .row', { hasText: 'Edit Log' }).getByText('Conflict').waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Accept 5' }).click();
    await page.getByText('Accepted 4 proposals.').waitFor();
    await page.getByText(/^1 proposal could not be accepted: .*Log\.md/).waitFor();
    await counted(1);
    assert.deepEqual(await rows.allTextContents(), ['Edit Log']);
    assert.equal(viewer.read('notes/Log.md'), '# Log\n\nAnother first entry.\n');
    await done();
  });
});
