// Proposals of agents: an agent process beside the viewer proposes, a person reviews in the browser, and the agent hears of it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { accessible, settled } from '../browser/support.mjs';
import { Agent } from './agent.mjs';
import { until, withViewer } from './editing.mjs';
import { wordsIn } from './words.mjs';

const agents = [];
// Before their projects are removed.
after(() => Promise.all(agents.map((agent) => agent.end())));
const own = withViewer();

const HOME = '---\ntags: [start]\n---\n\n# Home\n\nThe limit is 5 attempts per hour, see [[Sign in]].\n\nBetween them.\n\nSessions end after a day.\n';
const FILES = {
  'pages/Home.md': HOME,
  'pages/guides/Sign in.md': '# Sign in\n\nBack to [[Home]].\n',
  'pages/notes/Log.md': '# Log\n\nFirst entry.\n',
};
const LIMIT = { page: 'Home', old: 'The limit is 5 attempts per hour, see [[Sign in]].', new: 'The limit is 10 attempts per day, see [[Log]].', reason: 'The code allows ten attempts.' };
const SESSIONS = { page: 'Home', old: 'Sessions end after a day.', new: 'Sessions end after an hour.' };

async function agentOf(viewer, client) {
  const agent = await Agent.start(viewer.root, client);
  agents.push(agent);
  return agent;
}

/** A viewer on a project, an agent beside it, and the browser on a page. */
async function begin({ options, files = FILES, path = 'Home.md' } = {}) {
  const viewer = await own.start(files);
  const agent = await agentOf(viewer);
  const editor = await own.open(viewer, path, options ? { options } : {});
  const { page } = editor;
  const badge = page.locator('#ubp_status .queue');
  return {
    viewer,
    agent,
    editor,
    page,
    badge,
    stage: page.locator('#ubp_stage'),
    rows: page.locator('#ubp_stage [data-row] .title'),
    detail: page.locator('#ubp_stage .detail'),
    /** Waits until this many proposals are counted in the status bar. */
    counted: (count) => (count === 0 ? badge.waitFor({ state: 'detached' }) : until(async () => (await badge.textContent({ timeout: 15_000 })).trim() === `${count} proposal${count === 1 ? '' : 's'}`, `the badge counts ${count}`, 15_000)),
    review: async () => {
      await page.keyboard.press('Alt+Shift+p');
      await page.getByRole('heading', { level: 1, name: 'Proposals' }).waitFor();
    },
    done: async () => {
      assert.deepEqual(editor.trouble, [], 'the page reported errors');
      await editor.context.close();
      for (const beside of agents.filter(({ project }) => project === viewer.root)) await beside.end();
      await own.end(viewer);
    },
  };
}

const ubp = (viewer, ...args) => execFileSync(resolve(process.env.UBP_PROGRAM), ['-C', viewer.root, 'proposals', ...args], { encoding: 'utf8', stdio: 'pipe' });
const stateOf = async (agent, proposal) => (await agent.call('get_proposal', { proposal })).state;

describe('a proposal', () => {
  test('is counted, shown with what the agent had read, accepted with the keyboard, and undone', async () => {
    const { viewer, agent, page, badge, detail, counted, done } = await begin();
    assert.equal(await badge.count(), 0);
    await agent.call('get_page', { page: 'Log' });
    const id = await agent.propose('update_page', LIMIT);
    await counted(1);
    const banner = page.getByRole('region', { name: 'Proposals' });
    await banner.getByText('A proposal of an agent changes this page.').waitFor();
    await banner.getByRole('button', { name: 'Review' }).click();
    await detail.getByRole('heading', { name: 'Edit Home' }).waitFor();
    await detail.getByText('scribe 1.2').waitFor();
    await detail.getByText('The code allows ten attempts.').waitFor();
    assert.deepEqual(await detail.locator('del').allTextContents(), ['removed: 5', 'removed: hour', 'removed: Sign in']);
    assert.deepEqual(await detail.locator('ins').allTextContents(), ['added: 10', 'added: day', 'added: Log']);
    assert.match(await detail.locator('.changed').innerText(), /The limit is [^]* attempts per/);
    assert.equal(await detail.locator('dl div', { hasText: 'New links' }).locator('code').innerText(), 'Log');
    assert.equal(await detail.locator('dl div', { hasText: 'Links that go' }).locator('code').innerText(), 'Sign in');
    await detail.locator('dl').getByRole('link', { name: 'Sign in' }).waitFor();
    await detail.getByRole('button', { name: 'Text', exact: true }).click();
    assert.match(await detail.getByRole('region', { name: 'Proposed text of Home.md' }).innerText(), /# Home\n\nThe limit is 10 attempts per day, see \[\[Log\]\]\.\n\nBetween/);
    assert.match(await detail.locator('.read').innerText(), /notes\/Log\.md/);

    await page.keyboard.press('a');
    await until(() => viewer.read('Home.md').includes('The limit is 10 attempts per day, see [[Log]].'), 'the page is written');
    await page.getByText('Accepted: Edit Home.').waitFor();
    await counted(0);
    await page.getByText('No proposals wait for review').waitFor();
    assert.equal(await stateOf(agent, id), 'accepted');
    await page.keyboard.press('Alt+u');
    await until(() => viewer.read('Home.md').includes('The limit is 5 attempts per hour'), 'the change is undone');
    await page.getByRole('button', { name: 'Decided' }).click();
    await detail.locator('.state', { hasText: 'Accepted' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#ubp_desk .cm-content').waitFor();
    await done();
  });

  test('shows the code that its page describes before and after, and what is affected', async () => {
    const described = '---\nsource_refs: [src/login.js, src/old.js]\n---\n\n# Sign in\n\nBack to [[Home]].\n';
    const files = { ...FILES, 'pages/guides/Sign in.md': described, 'src/login.js': '// login\n', 'src/old.js': '// old\n', 'src/new.js': '// new\n', 'pages/Start.md': '# Start\n\nIt builds on [[Home|depends_on]].\n' };
    const { page, agent, review, detail, counted, done } = await begin({ files });
    await agent.propose('update_page', { page: 'Sign in', old: 'src/old.js', new: 'src/new.js' });
    await counted(1);
    await review();
    const code = detail.locator('dl > div', { hasText: 'Describes' });
    await until(async () => (await code.locator('code').allTextContents()).sort().join() === 'src/login.js,src/new.js,src/old.js', async () => `the code is ${await code.locator('code').allTextContents()}`);
    assert.equal(await code.locator('.added code').innerText(), 'src/new.js');
    assert.equal(await code.locator('.removed code').innerText(), 'src/old.js');
    await detail.locator('dl').getByRole('link', { name: 'Home' }).first().waitFor();
    await accessible(page, 'a proposal with code');
    await code.getByRole('link', { name: 'src/login.js' }).click();
    await page.locator('#ubp_stage .code', { hasText: '// login' }).waitFor();
    await done();
  });

  test('leads to the pages that the agent had read', async () => {
    const { agent, page, review, detail, counted, done } = await begin();
    await agent.call('get_page', { page: 'Log' });
    await agent.propose('update_page', LIMIT);
    await counted(1);
    await review();
    await detail.locator('li').getByRole('link', { name: 'notes/Log.md' }).click();
    await page.locator('#ubp_head .title', { hasText: 'Log' }).waitFor();
    await page.goBack();
    await detail.getByRole('heading', { name: 'Edit Home' }).waitFor();
    await done();
  });

  test('is accepted by hunks, with the keyboard alone', async () => {
    const { viewer, agent, page, review, rows, detail, counted, done } = await begin();
    await agent.propose('update_page', LIMIT);
    const id = await agent.propose('update_page', { ...SESSIONS, reason: 'Both.' });
    await counted(1);
    await review();
    await rows.first().waitFor();
    await detail.locator('[data-hunk="2"]').waitFor();
    await page.keyboard.press('j');
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-row') === '0'), 'the list has the focus');
    await page.keyboard.press('Enter');
    const focused = (hunk) => until(() => page.evaluate((hunk) => document.activeElement?.getAttribute('data-hunk') === hunk, hunk), `hunk ${hunk} has the focus`);
    await focused('1');
    await page.keyboard.press('j');
    await focused('2');
    await page.keyboard.press('ArrowUp');
    await focused('1');
    await page.keyboard.press('Space');
    assert.equal(await detail.getByRole('checkbox', { name: /Hunk 1/ }).isChecked(), false);
    await detail.getByRole('button', { name: 'Accept 1 hunk' }).waitFor();
    await page.keyboard.press('a');
    await until(() => viewer.read('Home.md') === HOME.replace(SESSIONS.old, SESSIONS.new), 'only the second hunk is written');
    assert.equal(await stateOf(agent, id), 'partly_accepted');
    await page.getByRole('button', { name: 'Decided' }).click();
    await detail.locator('.state', { hasText: 'Partly accepted' }).waitFor();
    await detail.locator('[data-hunk="1"]').getByText('dropped').waitFor();
    assert.equal(await detail.locator('[data-hunk="2"]').getByText('dropped').count(), 0);
    await done();
  });

  test('is rejected with a comment, which the agent hears', async () => {
    const { viewer, agent, page, review, detail, counted, done } = await begin();
    const id = await agent.propose('update_page', LIMIT);
    await counted(1);
    await review();
    await detail.locator('[data-hunk="1"]').waitFor();
    await page.keyboard.press('r');
    const comment = page.getByRole('textbox', { name: 'Comment for the agent (optional)' });
    await comment.waitFor();
    await page.keyboard.press('Escape');
    await comment.waitFor({ state: 'detached' });
    assert.equal(await stateOf(agent, id), 'pending', 'Escape decides nothing');
    await page.keyboard.press('r');
    // Letters that are keys elsewhere.
    await page.keyboard.type('a rather odd idea: the limit is 5.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Rejected: Edit Home.').waitFor();
    await counted(0);
    assert.equal(viewer.read('Home.md'), HOME);
    const heard = await agent.call('list_proposals', {});
    // Both ways to take it back.
    await page.keyboard.press('Alt+u');
    await counted(1);
    assert.equal(await stateOf(agent, id), 'pending');
    await detail.locator('[data-hunk="1"]').waitFor();
    await detail.getByText('a rather odd idea: the limit is 5.').waitFor();
    await page.keyboard.press('r');
    await comment.waitFor();
    await page.keyboard.press('Control+Enter');
    await counted(0);
    await page.getByRole('button', { name: 'Decided' }).click();
    await detail.getByRole('button', { name: 'Reopen' }).click();
    await counted(1);
    await page.getByText('Waits again: Edit Home.').first().waitFor();
    assert.deepEqual(heard.proposals.map(({ state, decision }) => [state, decision.comment]), [['rejected', 'a rather odd idea: the limit is 5.']]);
    await done();
  });

  test('is edited before it is accepted, and the agent hears of it', async () => {
    const { viewer, agent, page, review, detail, counted, done } = await begin({ path: 'notes/Log.md' });
    const id = await agent.propose('update_page', LIMIT);
    await counted(1);
    await review();
    await detail.getByRole('button', { name: 'Edit', exact: true }).click();
    const field = detail.getByLabel('Text of Home.md');
    const line = (await field.evaluate((area) => area.value.slice(0, area.selectionStart))).split('\n').length;
    assert.match((await field.inputValue()).split('\n').slice(line - 1).join('\n'), /^[^\n]*10 attempts/, 'the cursor is at the change');
    await accessible(page, 'editing a proposal');
    // Letters are typed, not commands. Escape keeps them, as does another view; Cancel forgets them.
    await page.keyboard.type('ar');
    for (const _ of ['the form', 'the proposal', 'the view']) await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Proposals' }).waitFor({ state: 'detached' });
    await review();
    await detail.getByRole('button', { name: 'Edit', exact: true }).click();
    assert.match(await field.inputValue(), /ar[^\n]*10 attempts/);
    await detail.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(viewer.read('Home.md'), HOME);
    await detail.getByRole('button', { name: 'Edit', exact: true }).click();
    assert.doesNotMatch(await field.inputValue(), /ar[^\n]*10 attempts/);
    await field.fill((await field.inputValue()).replace('10 attempts per day', '10 attempts per day and account'));
    await page.keyboard.press('Control+Enter');
    await page.getByText('Accepted: Edit Home.').waitFor();
    await counted(0);
    assert.match(viewer.read('Home.md'), /10 attempts per day and account, see/);
    const { proposals } = await agent.call('list_proposals', {});
    assert.deepEqual([proposals[0].proposal, proposals[0].state, proposals[0].decision.edited], [id, 'accepted', ['Home.md']]);
    await page.getByRole('button', { name: 'Decided' }).click();
    await detail.getByText('The text was edited before it was accepted.').waitFor();
    await page.keyboard.press('Alt+u');
    await until(() => viewer.read('Home.md') === HOME, 'the change is undone');
    await done();
  });

  test('that is decided elsewhere while it is edited keeps the text in sight', async () => {
    const { viewer, agent, page, review, detail, counted, done } = await begin({ path: 'notes/Log.md' });
    const id = await agent.propose('update_page', LIMIT);
    await counted(1);
    await review();
    await detail.getByRole('button', { name: 'Edit', exact: true }).click();
    await detail.getByLabel('Text of Home.md').fill('# My own words\n');
    ubp(viewer, 'reject', id);
    await until(async () => (await detail.getByLabel('The text that you edited').inputValue()) === '# My own words\n', 'the text is shown', 15_000);
    await accessible(page, 'an edited text that was not accepted');
    await done();
  });

  test('keeps what is being typed on its page', async () => {
    const { viewer, agent, editor, page, review, detail, counted, done } = await begin();
    await agent.propose('update_page', LIMIT);
    await counted(1);
    await editor.after('Sessions end after a day');
    await page.keyboard.type(' or two');
    await review();
    await detail.getByText('These edits stay').waitFor();
    await page.keyboard.press('a');
    await until(() => /10 attempts[^]*Sessions end after a day or two\./.test(viewer.read('Home.md')), 'both are in the file');
    await page.keyboard.press('Escape');
    await until(async () => /10 attempts[^]*Sessions end after a day or two\./.test(await editor.text()), 'and in the editor');
    await editor.saved();
    await done();
  });
});

describe('a proposal whose page changed', () => {
  test('says what moved, stays readable, and can be accepted without these lines', async () => {
    const { viewer, agent, page, review, detail, counted, done } = await begin();
    await agent.propose('update_page', LIMIT);
    const id = await agent.propose('update_page', SESSIONS);
    await counted(1);
    await review();
    await detail.locator('[data-hunk="2"]').waitFor();
    viewer.write('Home.md', HOME.replace('5 attempts', '3 attempts'));
    await detail.locator('.state', { hasText: 'Conflict' }).waitFor();
    await detail.getByText('hunk 1: Home.md: the lines at line 7 were changed since').waitFor();
    await page.locator('#ubp_stage [data-row="0"]').getByText('Conflict').waitFor();
    assert.equal(await detail.getByRole('checkbox', { name: /Hunk 1/ }).isDisabled(), true);
    assert.deepEqual(await detail.locator('[data-hunk="1"] ins').allTextContents(), ['added: 10', 'added: day', 'added: Log']);
    await detail.getByRole('button', { name: 'Accept 1 hunk' }).click();
    await until(() => viewer.read('Home.md') === HOME.replace('5 attempts', '3 attempts').replace(SESSIONS.old, SESSIONS.new), 'the other hunk is written');
    assert.equal(await stateOf(agent, id), 'partly_accepted');
    await done();
  });

  test('cannot be accepted if all of its lines changed', async () => {
    const { viewer, agent, page, review, detail, counted, done } = await begin();
    const id = await agent.propose('update_page', LIMIT);
    await counted(1);
    viewer.write('Home.md', HOME.replace('5 attempts', '3 attempts'));
    await review();
    await detail.getByText('It cannot be accepted.').waitFor();
    assert.equal(await detail.getByRole('button', { name: 'Accept', exact: true }).isDisabled(), true);
    await page.keyboard.press('a');
    await settled(page);
    assert.equal(await stateOf(agent, id), 'conflict');
    assert.match(viewer.read('Home.md'), /3 attempts/);
    await done();
  });
});

describe('pages', () => {
  test('are created, moved and deleted, and tabs follow', async () => {
    const { viewer, agent, page, review, rows, detail, counted, done } = await begin({ path: 'notes/Log.md' });
    await agent.propose('create_page', { title: 'Tokens', folder: 'notes', content: 'They last an hour.' });
    await agent.propose('rename_page', { page: 'Log', path: 'notes/Diary.md', expected_hash: await agent.hashOf('Log') });
    await agent.propose('delete_page', { page: 'guides/Sign in.md', confirm: true, expected_hash: await agent.hashOf('Sign in') });
    await counted(3);
    await review();
    await until(async () => (await rows.allTextContents()).join() === 'Delete Sign in,Move Log to notes/Diary.md,Create notes/Tokens.md', async () => `the list has ${await rows.allTextContents()}`);
    await rows.nth(2).click();
    await detail.getByText('They last an hour.').waitFor();
    await detail.getByText('Hunk 1, whole page').waitFor();
    await detail.getByRole('button', { name: 'Accept', exact: true }).click();
    await until(() => viewer.read('notes/Tokens.md').includes('They last an hour.'), 'the page is there');
    await rows.filter({ hasText: 'Move' }).click();
    await detail.getByText('from notes/Log.md').waitFor();
    await detail.getByRole('button', { name: 'Accept', exact: true }).click();
    await until(() => viewer.read('notes/Diary.md') !== '', 'the page is moved');
    await rows.filter({ hasText: 'Delete' }).click();
    await detail.locator('del', { hasText: 'Back to [[Home]].' }).waitFor();
    await detail.getByRole('button', { name: 'Accept', exact: true }).click();
    await until(() => !existsSync(join(viewer.root, 'pages/guides/Sign in.md')), 'the page is deleted');
    await page.getByText('Accepted: Delete Sign in.').waitFor();
    await counted(0);
    await page.keyboard.press('Alt+u');
    await until(() => viewer.read('guides/Sign in.md').includes('Back to [[Home]].'), 'the deletion is undone');
    await page.keyboard.press('Escape');
    await page.waitForURL(/notes\/Diary\.html$/);
    await done();
  });
});

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

describe('what others decide meanwhile', () => {
  test('is shown: accepted and rejected at the terminal, withdrawn by the agent', async () => {
    const { viewer, agent, page, review, rows, detail, counted, done } = await begin();
    const accepted = await agent.propose('update_page', LIMIT);
    const rejected = await agent.propose('create_page', { title: 'One', content: 'One.' });
    const withdrawn = await agent.propose('create_page', { title: 'Two', content: 'Two.' });
    await counted(3);
    await review();
    const looked = async (title, state, decide) => {
      await rows.filter({ hasText: title }).click();
      await detail.locator('.state', { hasText: 'Waiting' }).waitFor();
      await detail.getByRole('heading', { name: title }).waitFor();
      await decide();
      await detail.locator('.state', { hasText: state }).waitFor();
      await detail.getByRole('heading', { name: title }).waitFor();
      assert.equal(await detail.getByRole('button', { name: 'Accept', exact: true }).count(), 0, 'nothing is left to decide');
    };
    await looked('Edit Home', 'Accepted', () => ubp(viewer, 'accept', accepted, '--reviewer', 'Ann'));
    await detail.getByText(/, by Ann$/).waitFor();
    await counted(2);
    await looked('Create One.md', 'Rejected', () => ubp(viewer, 'reject', rejected, '--comment', 'There is one.'));
    await detail.getByText('There is one.').waitFor();
    await looked('Create Two.md', 'Withdrawn', () => agent.call('withdraw_proposal', { proposal: withdrawn }));
    await counted(0);
    await done();
  });

  test('does not let a person accept what is decided, or what was not shown', async () => {
    const { viewer, agent, page, review, detail, counted, done } = await begin();
    const id = await agent.propose('update_page', LIMIT);
    await counted(1);
    await review();
    await detail.locator('[data-hunk="1"]').waitFor();
    // The window does not hear of it before the button is pressed.
    await page.route('**/api/{list_proposals,get_proposal}', (route) => route.abort());
    await agent.propose('update_page', SESSIONS);
    await detail.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByText(new RegExp(`${id} was changed since`)).first().waitFor();
    assert.equal(viewer.read('Home.md'), HOME);
    await page.unroute('**/api/{list_proposals,get_proposal}');
    await detail.getByRole('button', { name: 'Show the new proposal' }).click();
    await detail.locator('[data-hunk="2"]').waitFor();
    await done();
  });
});

describe('the review', () => {
  test('goes back from a proposal to the list in a narrow window', async () => {
    const { agent, page, review, rows, detail, counted, done } = await begin({ options: { viewport: { width: 390, height: 844 } } });
    await agent.propose('update_page', LIMIT);
    await agent.propose('create_page', { title: 'One', content: 'One.' });
    await counted(2);
    await review();
    assert.equal(await detail.count(), 0);
    await rows.filter({ hasText: 'Edit Home' }).click();
    await detail.getByRole('heading', { level: 1, name: 'Edit Home' }).waitFor();
    await page.goBack();
    await rows.first().waitFor();
    await rows.filter({ hasText: 'Create One' }).click();
    await detail.getByRole('button', { name: 'Accept', exact: true }).click();
    await until(async () => (await rows.allTextContents()).join() === 'Edit Home', 'back in the list');
    await rows.first().click();
    await detail.getByRole('button', { name: 'All proposals' }).click();
    await rows.first().waitFor();
    await done();
  });

  test('is accessible and fits, in both themes, languages and at three widths', async () => {
    const viewer = await own.start(FILES);
    const agent = await agentOf(viewer);
    await agent.call('get_page', { page: 'Log' });
    await agent.propose('update_page', LIMIT);
    await agent.propose('update_page', SESSIONS);
    await agent.propose('update_page', { page: 'Sign in', old: 'Back to [[Home]].', new: 'Home: [[Home]].' });
    await agent.propose('create_page', { title: 'One', folder: 'notes', content: 'One.' });
    viewer.write('guides/Sign in.md', '# Sign in\n\nForth to [[Home]].\n');
    const shots = process.env.UBP_SHOTS;
    if (shots) mkdirSync(shots, { recursive: true });
    for (const [locale, lang] of [['en-GB', 'en'], ['ja-JP', 'ja']]) {
      const { proposals } = await wordsIn(lang);
      for (const width of [1440, 800, 390]) {
        const editor = await own.open(viewer, 'Home.md', { options: { viewport: { width, height: 900 }, locale, colorScheme: 'light' } });
        const { page } = editor;
        const check = async (name) => {
          for (const colorScheme of ['light', 'dark']) {
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
            await settled(page);
            if (shots) await page.screenshot({ path: join(shots, `${name} ${lang} ${width} ${colorScheme}.png`) });
            await accessible(page, `${name}, ${lang}, ${width} wide, ${colorScheme}`, colorScheme === 'dark' ? ['color-contrast', 'link-in-text-block'] : null);
          }
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'nothing has to be scrolled sideways');
        };
        await page.getByRole('region', { name: proposals.title }).waitFor();
        await check('a page with a proposal');
        await page.keyboard.press('Alt+Shift+p');
        await page.locator('#ubp_stage [data-row="2"]').waitFor();
        await check('proposals');
        await page.locator('#ubp_stage [data-row]', { hasText: 'Home' }).click();
        await page.locator('.detail [data-hunk="2"]').waitFor();
        await page.keyboard.press('r');
        await page.locator('.detail textarea').waitFor();
        await check('a proposal');
        await page.keyboard.press('Escape');
        await page.locator('.verdict').getByRole('button', { name: proposals.edit, exact: true }).click();
        await page.locator('.detail textarea').waitFor();
        await check('a proposal that is edited');
        await page.keyboard.press('Escape');
        if (width < 860) await page.keyboard.press('Escape');
        await page.locator('#ubp_stage [data-row]', { hasText: 'Sign in' }).click();
        await page.locator('.detail .conflict').first().waitFor();
        await check('a conflict');
        assert.deepEqual(editor.trouble, []);
        await editor.context.close();
      }
    }
    assert.equal(readFileSync(join(viewer.root, 'pages/Home.md'), 'utf8'), HOME, 'looking changes nothing');
  });
});
