// Proposals of agents: an agent process beside the viewer proposes, a person reviews in the browser, and the agent hears of it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { accessible, settled } from '../browser/support.mjs';
import { until } from './editing.mjs';
import { FILES, HOME, LIMIT, SESSIONS, agentOf, begin, own, stateOf, ubp } from './proposing.mjs';
import { wordsIn } from './words.mjs';

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
