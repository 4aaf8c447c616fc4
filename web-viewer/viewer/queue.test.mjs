// The review queue: proposals of an agent, contradictory memories, and suggested links and types, decided in the browser.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { accessible, settled } from '../browser/support.mjs';
import { Agent } from './agent.mjs';
import { until, withViewer } from './editing.mjs';
import { wordsIn } from './words.mjs';

const agents = [];
after(() => Promise.all(agents.map((agent) => agent.end())));
const own = withViewer();

const memory = (topic, text, day) => `---\ntype: tech\ntopic: ${topic}\ncreated_at: ${day}T10:00:00Z\n---\n\n# ${topic}\n\n${text}\n`;
const LOGIN = '# Login\n\nLogin depends on [[User DB]].\n';
const FILES = {
  'pages/Home.md': '# Home\n\nThe start.\n',
  'pages/Login.md': LOGIN,
  'pages/User DB.md': '# User DB\n\nAccounts of users.\n',
  'pages/Guide.md': '# Guide\n\nRead the Rate limiting policy before you call anything.\n\nThe Rate limiting policy is short.\n',
  'pages/Rate limiting policy.md': '# Rate limiting policy\n\nFive calls a minute. See the [[Guide]].\n',
  ...Object.fromEntries([1, 2, 3, 4].map((part) => [`pages/Part ${part}.md`, `# Part ${part}\n\nIt follows the [[Rate limiting policy]], as the [[Guide]] says.\n`])),
  'pages/memory/tech/api-port.md': memory('API port', 'The public API listens on port 80.', '2026-01-03'),
  'pages/memory/tech/port-of-the-api.md': memory('Port of the API', 'The public API listens on port 90.', '2026-02-03'),
};
const CHANGE = { page: 'Home', old: 'The start.', new: 'The very start.', reason: 'It is the first page.' };

async function begin({ options, proposes = true, files = FILES } = {}) {
  const viewer = await own.start(files);
  const agent = await Agent.start(viewer.root);
  agents.push(agent);
  const proposal = proposes ? await agent.propose('update_page', CHANGE) : null;
  const editor = await own.open(viewer, 'Home.md', options ? { options } : {});
  const { page } = editor;
  const rows = page.locator('#ubp_stage [data-row]');
  return {
    viewer,
    agent,
    proposal,
    page,
    editor,
    rows,
    badge: page.locator('#ubp_status .queue'),
    stage: page.locator('#ubp_stage'),
    detail: page.locator('#ubp_stage .detail'),
    /** Shows the queue, as soon as its suggestions are counted. */
    show: async () => {
      const badge = page.locator('#ubp_status .queue');
      await until(async () => /contradiction/.test((await badge.textContent().catch(() => '')) ?? ''), 'the status bar counts what waits', 20_000);
      await badge.click();
      await page.getByRole('heading', { level: 1, name: 'Review queue' }).waitFor();
      await rows.first().waitFor();
    },
    row: (kind) => rows.filter({ has: page.locator(`[data-kind=${kind}]`) }),
    decisions: () => {
      const file = join(viewer.root, '.ubp/decisions.jsonl');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
    done: async () => {
      assert.deepEqual(editor.trouble, [], 'the page reported errors');
      await editor.context.close();
      await agent.end();
      await own.end(viewer);
    },
  };
}

describe('the review queue', () => {
  test('is counted in the status bar and lists every kind, what asks for an answer first', async () => {
    const { page, badge, show, rows, stage, done } = await begin();
    await show();
    assert.match(await badge.innerText(), /1 proposal\s*1 contradiction\s*\d+ suggestions?/);
    const kinds = await rows.locator('.kind').evaluateAll((all) => all.map(({ dataset }) => dataset.kind));
    assert.deepEqual(kinds.slice(0, 2), ['proposal', 'contradiction']);
    assert.ok(kinds.includes('type') && kinds.includes('link'), `${kinds}`);
    await settled(page);
    await accessible(page, 'the review queue');
    await stage.getByRole('button', { name: /^1 contradiction$/ }).click();
    await until(async () => (await rows.count()) === 1, 'only contradictions are listed');
    await stage.getByRole('button', { name: /^1 contradiction$/ }).click();
    await until(async () => (await rows.count()) === kinds.length, 'everything is listed');
    await done();
  });

  test('opens a proposal, which is accepted with the keyboard alone', async () => {
    const { viewer, agent, proposal, page, detail, show, row, done } = await begin();
    await show();
    await detail.getByRole('heading', { name: 'Edit Home' }).waitFor();
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-row') === '0'), 'the list has the focus');
    await detail.locator('[data-hunk="1"]').waitFor();
    await page.keyboard.press('a');
    await until(() => viewer.read('Home.md').includes('The very start.'), 'the page is written');
    assert.equal((await agent.call('get_proposal', { proposal })).state, 'accepted');
    await until(async () => (await row('proposal').count()) === 0, 'it leaves the list');
    await detail.getByRole('heading', { name: 'Two memories contradict each other' }).waitFor();
    await done();
  });

  test('settles a contradiction: one memory replaces the other, and it can be undone', async () => {
    const { viewer, page, detail, show, row, done } = await begin({ proposes: false });
    await show();
    await row('contradiction').click();
    await detail.getByText('The public API listens on port 80.').waitFor();
    await detail.getByText('The public API listens on port 90.').waitFor();
    await settled(page);
    await accessible(page, 'a contradiction');
    await detail.getByRole('button', { name: 'The newer one is right' }).click();
    await until(() => /^supersedes: "\[\[api-port\]\]"$/m.test(viewer.read('memory/tech/port-of-the-api.md')), () => viewer.read('memory/tech/port-of-the-api.md'));
    await page.getByText('“Port of the API” replaces “API port”.').waitFor();
    await until(async () => (await row('contradiction').count()) === 0, 'it leaves the list');
    await page.keyboard.press('Alt+u');
    await until(() => !viewer.read('memory/tech/port-of-the-api.md').includes('supersedes'), 'it is undone');
    await row('contradiction').waitFor();
    await done();
  });

  test('does not ask again if both memories may be true, or if they agree', async () => {
    const { viewer, page, detail, show, row, decisions, done } = await begin({ proposes: false });
    await show();
    await row('contradiction').click();
    await detail.getByRole('button', { name: 'Both may be true' }).click();
    await until(() => viewer.read('memory/tech/port-of-the-api.md').includes('conflicts_with: "[[api-port]]"'), 'it is written');
    await page.reload();
    await row('type').first().waitFor();
    assert.equal(await row('contradiction').count(), 0);
    const [last] = (await viewer.call('audit', { limit: 1 })).entries;
    await viewer.call('undo', { entry: last.group });
    await row('contradiction').click();
    await detail.getByText('port 90').waitFor();
    await page.keyboard.press('r');
    await until(() => /"dismissed".*"conflicts_with"/.test(decisions()), 'it is recorded');
    await until(async () => (await row('contradiction').count()) === 0, 'it leaves the list');
    assert.doesNotMatch(viewer.read('memory/tech/port-of-the-api.md'), /conflicts_with/);
    await done();
  });

  test('merges memories that say the same, or keeps them apart', async (context) => {
    const text = 'Retry three times, and wait a second between two attempts.';
    const files = { ...FILES, 'pages/memory/tech/retries.md': memory('Retries', text, '2026-01-03'), 'pages/memory/tech/retrying.md': memory('Retrying', text, '2026-02-03') };
    const { viewer, page, detail, show, row, decisions, done } = await begin({ proposes: false, files });
    const { model } = await viewer.call('status', {});
    if (!model.available) {
      await done();
      return context.skip('the program has no model, so it compares no memories');
    }
    await show();
    await row('duplicate').waitFor({ timeout: 60_000 });
    await row('duplicate').click();
    await detail.getByRole('region', { name: 'What accepting writes' }).waitFor();
    await settled(page);
    await accessible(page, 'two memories that say the same');
    await detail.getByRole('button', { name: 'Keep both' }).click();
    await until(() => /"dismissed".*"duplicate_of"/.test(decisions()), 'it is recorded');
    await until(async () => (await row('duplicate').count()) === 0, 'it leaves the list');
    await page.keyboard.press('Alt+u');
    await row('duplicate').click();
    await detail.getByRole('button', { name: 'Merge' }).click();
    await until(() => [viewer.read('memory/tech/retries.md'), viewer.read('memory/tech/retrying.md')].filter((text) => text === '').length === 1, 'one of them is left');
    await until(async () => (await row('duplicate').count()) === 0, 'it leaves the list again');
    await page.keyboard.press('Alt+u');
    await until(() => viewer.read('memory/tech/retries.md') !== '' && viewer.read('memory/tech/retrying.md') !== '', 'it is undone');
    await done();
  });

  test('shows what accepting a type writes, and writes it with the keyboard alone', async () => {
    const { viewer, page, rows, detail, show, row, done } = await begin({ proposes: false });
    await show();
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('data-row') === '0'), 'the list has the focus');
    for (let step = 0; step < (await rows.count()) && !(await row('type').first().evaluate((element) => element === document.activeElement)); step++) await page.keyboard.press('j');
    await detail.locator('blockquote', { hasText: 'Login depends on [[User DB]].' }).waitFor();
    await detail.locator('ins', { hasText: 'depends_on: "[[User DB]]"' }).waitFor();
    assert.equal(viewer.read('Login.md'), LOGIN, 'nothing is written yet');
    await page.keyboard.press('a');
    await until(() => viewer.read('Login.md') === `---\ndepends_on: "[[User DB]]"\n---\n${LOGIN}`, () => viewer.read('Login.md'));
    await until(async () => (await row('type').filter({ hasText: 'Login' }).count()) === 0, 'it leaves the list');
    await until(() => page.evaluate(() => document.activeElement?.hasAttribute('data-row')), 'another row has the focus');
    await page.keyboard.press('Alt+u');
    await until(() => viewer.read('Login.md') === LOGIN, 'it is undone');
    await done();
  });

  test('inserts a suggested link, or never suggests it again', async () => {
    const { viewer, page, detail, show, row, decisions, done } = await begin({ proposes: false });
    await show();
    const link = row('link').filter({ hasText: 'Guide → Rate limiting policy' });
    await link.click();
    await detail.locator('ins', { hasText: '[[' }).first().waitFor();
    await detail.getByRole('button', { name: 'Insert the link' }).click();
    await until(() => viewer.read('Guide.md').includes('Read the [[Rate limiting policy]] before'), () => viewer.read('Guide.md'));
    await page.getByText('Linked to “Rate limiting policy”.').first().waitFor();
    await page.keyboard.press('Alt+u');
    await until(() => !viewer.read('Guide.md').includes('[['), 'it is undone');
    await link.click();
    await detail.getByRole('button', { name: 'Don’t suggest again' }).click();
    await until(() => /dismissed/.test(decisions()), 'it is recorded');
    await until(async () => (await link.count()) === 0, 'it leaves the list');
    await done();
  });

  test('lists names that lead to code, links them, or never suggests them again', async () => {
    const files = { ...FILES, 'pages/Home.md': '# Home\n\nCall `signInAgain()` first.\n', 'src/session.ts': 'export function signInAgain(user: string): string {\n  return user.trim();\n}\n' };
    const { viewer, page, stage, detail, show, row, decisions, done } = await begin({ proposes: false, files });
    await show();
    const code = row('code').filter({ hasText: 'Home → src/session.ts#signInAgain' });
    await code.waitFor();
    await stage.getByRole('button', { name: /^1 code link$/ }).click();
    await code.click();
    await detail.getByRole('heading', { name: 'Link from Home to the code of src/session.ts#signInAgain' }).waitFor();
    await detail.getByText('Call `signInAgain()` first.').first().waitFor();
    assert.match(await detail.getByRole('link', { name: 'src/session.ts#signInAgain' }).getAttribute('href'), /src(\/|%2F)session\.ts/);
    await settled(page);
    await accessible(page, 'a link to code');
    await detail.getByRole('button', { name: 'Insert the link' }).click();
    await until(() => viewer.read('Home.md').includes('[`signInAgain()`](../src/session.ts#signInAgain)'), () => viewer.read('Home.md'));
    await page.getByText('Linked to src/session.ts#signInAgain.').first().waitFor();
    await page.keyboard.press('Alt+u');
    await until(() => !viewer.read('Home.md').includes(']('), 'it is undone');
    await code.click();
    await detail.getByRole('button', { name: 'Don’t suggest again' }).click();
    await until(() => /signInAgain/.test(decisions()), 'it is recorded');
    await until(async () => (await code.count()) === 0, 'it leaves the list');
    await done();
  });

  test('fits on a phone: the list, then an item, then back, also after a reload', async () => {
    const { page, detail, stage, show, row, done } = await begin({ options: { viewport: { width: 390, height: 844 } } });
    await show();
    await row('contradiction').click();
    await detail.getByRole('heading', { level: 1, name: 'Two memories contradict each other' }).waitFor();
    await settled(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await accessible(page, 'a contradiction on a phone');
    await page.reload();
    await detail.getByRole('heading', { level: 1, name: 'Two memories contradict each other' }).waitFor();
    await detail.getByRole('button', { name: 'The whole queue' }).click();
    await stage.locator('.chip').first().waitFor();
    await page.goBack();
    await done();
  });

  test('says when nothing waits, and speaks Japanese', async () => {
    const ja = await wordsIn('ja');
    const viewer = await own.start({ 'pages/Home.md': '# Home\n\nThe start.\n' });
    const editor = await own.open(viewer, 'Home.md', { options: { locale: 'ja-JP' } });
    const { page } = editor;
    await page.keyboard.press('Alt+Shift+q');
    await page.getByRole('heading', { name: ja.queue.none }).waitFor();
    assert.equal(await page.locator('#ubp_status .queue').count(), 0);
    await accessible(page, 'an empty queue');
    await editor.close();
    await own.end(viewer);
  });
});
