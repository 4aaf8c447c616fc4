// What agents saw: an agent process beside the viewer asks, and a person sees in the browser what it was given. How AI sees a page.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { accessible, settled } from '../browser/support.mjs';
import { Agent } from './agent.mjs';
import { until, withViewer } from './editing.mjs';
import { wordsIn } from './words.mjs';

const agents = [];
after(() => Promise.all(agents.map((agent) => agent.end())));
const own = withViewer();

const LONG = 'A paragraph about the limit of attempts.\n\n'.repeat(120);
const FILES = {
  'pages/Home.md': '# Home\n\nThe start, see [[Limits]].\n',
  'pages/Limits.md': `# Limits\n\nFive attempts, see [[Home]].\n\n## Details\n\n${LONG}\n## End\n\nThe last words.\n`,
  'pages/Alone.md': '# Alone\n\nNothing here.\n',
};

async function begin({ path = 'Home.md', options, asks = true } = {}) {
  const viewer = await own.start(FILES);
  const agent = await Agent.start(viewer.root);
  agents.push(agent);
  if (asks) {
    await agent.call('search', { query: 'limit of attempts' });
    await agent.call('get_page', { page: 'Limits', max_tokens: 500 });
    await assert.rejects(agent.call('get_page', { page: 'no such page' }));
  }
  const editor = await own.open(viewer, path, options ? { options } : {});
  const { page } = editor;
  return {
    viewer,
    agent,
    page,
    editor,
    stage: page.locator('#ubp_stage'),
    detail: page.locator('#ubp_stage .detail'),
    show: async () => {
      await page.keyboard.press('Alt+Shift+a');
      await page.getByRole('heading', { level: 1, name: 'What agents saw' }).waitFor();
    },
    done: async () => {
      assert.deepEqual(editor.trouble, [], 'the page reported errors');
      await editor.context.close();
      await agent.end();
      await own.end(viewer);
    },
  };
}

describe('what agents saw', () => {
  test('is a timeline with what was given, left out and refused, each answer as the agent got it', async () => {
    const { agent, page, detail, show, done } = await begin();
    await show();
    await detail.getByRole('heading', { name: 'scribe 1.2' }).waitFor();
    const answers = detail.getByRole('article');
    assert.deepEqual(await answers.locator('.tool code').allTextContents(), ['ubp_search', 'ubp_get_page', 'ubp_get_page']);
    const read = answers.nth(1);
    await read.getByText('page: Limits, max_tokens: 500').waitFor();
    assert.match(await read.locator('dl > div').first().innerText(), /Limits\.md/);
    assert.match(await read.locator('.omitted').innerText(), /to fit max_tokens[^]*Details[^]*End/);
    await answers.nth(2).getByText('page_not_found').waitFor();

    await read.getByRole('button', { name: 'As the agent got it' }).click();
    const text = await read.getByRole('region', { name: 'Text of answer 2' }).innerText();
    assert.match(text, /Five attempts/);
    assert.doesNotMatch(text, /The last words/);
    await accessible(page, 'a session with the text of an answer');

    // The agent goes on asking.
    await agent.call('get_page', { page: 'Alone' });
    await until(async () => (await answers.count()) === 4, 'the new answer is there', 15_000);
    await done();
  });

  test('is lit up in the graph, and the colours go back', async () => {
    const { page, detail, show, done } = await begin();
    await show();
    await detail.getByRole('article').nth(1).getByRole('button', { name: 'Show in graph' }).click();
    await page.locator('canvas[data-settled]').waitFor();
    const groups = page.locator('.groups');
    await groups.getByRole('heading', { name: 'scribe 1.2, Answer 2' }).waitFor();
    const counts = async () => (await groups.locator('li').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
    assert.deepEqual(await counts(), ['Text in it 1', 'Only named or linked 1', 'Left out 0', 'Not in it 1']);
    await accessible(page, 'the graph with the pages of an answer');
    await page.getByRole('button', { name: 'Nearby' }).click();
    await page.reload();
    await groups.getByRole('heading', { name: 'scribe 1.2, Answer 2' }).waitFor();
    await until(async () => (await counts())[0] === 'Text in it 1', 'the pages are lit up after a reload');
    await page.getByRole('button', { name: 'All pages' }).click();
    await groups.getByRole('button', { name: 'Show all colours' }).click();
    await groups.getByRole('heading', { name: 'Colours' }).waitFor();
    assert.doesNotMatch(page.url(), /session|answer/);
    await done();
  });

  test('says so in the graph if the session is gone', async () => {
    const { page, viewer, done } = await begin({ asks: false });
    await page.goto(`${viewer.url}Home.html?graph=all&session=0123456789ab`);
    await page.locator('.groups').getByRole('alert').waitFor();
    await page.locator('.groups').getByRole('button', { name: 'Show all colours' }).click();
    await page.locator('.groups').getByRole('heading', { name: 'Colours' }).waitFor();
    await done();
  });

  test('can be deleted, and says how to begin when there is nothing', async () => {
    const { page, stage, detail, show, done } = await begin();
    await show();
    await detail.getByRole('button', { name: 'Delete…' }).click();
    await detail.getByRole('button', { name: 'Keep' }).click();
    await until(() => detail.getByRole('button', { name: 'Delete…' }).evaluate((button) => button === document.activeElement), 'the button has the focus again');
    await page.keyboard.press('Enter');
    await detail.getByRole('button', { name: 'Delete for good' }).click();
    await stage.getByRole('heading', { name: 'No agent has asked anything yet' }).waitFor();
    await accessible(page, 'no sessions');
    await done();
  });

  test('fits on a phone: the list, then a session, then back', async () => {
    const { page, detail, stage, show, done } = await begin({ options: { viewport: { width: 390, height: 844 } } });
    await show();
    await stage.getByRole('button', { name: /scribe 1\.2/ }).click();
    await detail.getByRole('article').first().waitFor();
    await settled(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await accessible(page, 'a session on a phone');
    await detail.getByRole('button', { name: 'All sessions' }).click();
    await stage.getByRole('button', { name: /scribe 1\.2/ }).waitFor();
    await done();
  });

  test('speaks Japanese', async () => {
    const ja = await wordsIn('ja');
    const { page, detail, done } = await begin({ options: { locale: 'ja-JP' } });
    await page.keyboard.press('Alt+Shift+a');
    await page.getByRole('heading', { level: 1, name: ja.sessions.title }).waitFor();
    await detail.getByRole('button', { name: ja.sessions.asGiven }).first().waitFor();
    await done();
  });
});

describe('how AI sees a page', () => {
  test('is the text of the answer, and what a smaller limit leaves out', async () => {
    const { agent, page, done } = await begin({ path: 'Limits.md', asks: false });
    await page.getByRole('button', { name: 'Page actions' }).click();
    await page.getByRole('menuitem', { name: 'How AI sees this page' }).click();
    const dialog = page.getByRole('dialog', { name: 'How AI sees “Limits”' });
    const text = dialog.getByRole('region', { name: 'Text for the agent' });
    await text.getByText('The last words.').waitFor();
    assert.equal(await dialog.locator('.omitted li').count(), 0);
    await accessible(page, 'how AI sees a page');

    const slider = dialog.getByRole('slider');
    await slider.fill('500');
    await dialog.locator('.omitted').getByText('End').waitFor();
    const asked = await agent.call('get_page', { page: 'Limits', max_tokens: 500 });
    assert.equal(asked.omitted.sections, await dialog.locator('.omitted li').count());
    assert.doesNotMatch(await text.innerText(), /The last words/);

    await slider.press('End');
    await dialog.getByRole('button', { name: 'The page and what it links to' }).click();
    await text.getByText('The start, see').waitFor();
    await dialog.getByRole('button', { name: 'Show in graph' }).click();
    await page.locator('canvas[data-settled]').waitFor();
    await page.locator('.groups').getByRole('heading', { name: 'How AI sees “Limits”' }).waitFor();
    await page.reload();
    await page.locator('.groups').getByRole('heading', { name: 'How AI sees “Limits”' }).waitFor();
    await until(async () => /Text in it\s*2/.test(await page.locator('.groups li').first().innerText()), 'the pages are lit up after a reload');
    await done();
  });

  test('works with the keyboard on a phone', async () => {
    const { page, done } = await begin({ path: 'Limits.md', asks: false, options: { viewport: { width: 390, height: 844 } } });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('how ai sees');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'How AI sees “Limits”' });
    await dialog.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await dialog.locator('.omitted').getByText('End').waitFor();
    await accessible(page, 'how AI sees a page, on a phone');
    await done();
  });
});
