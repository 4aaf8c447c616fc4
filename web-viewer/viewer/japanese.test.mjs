// The interface in Japanese: no screen shows an English word that is not content, a product's name or a key, and no text is cut.
// If UBP_SHOTS is a folder, writes a screenshot of each screen there.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { Agent } from './agent.mjs';
import { accessible, editor, empty, settled, until, withHistory, withViewer } from './workspace.mjs';
import { wordsIn } from './words.mjs';

const TEMPLATE = '---\ntemplate:\n  description: 決定\n  fields:\n    deciders: {kind: list, description: 決定した人}\ntype: adr\n---\n# {{ title }}\n';
const own = withViewer({
  prepare: (project) => {
    mkdirSync(join(project, 'templates'));
    writeFileSync(join(project, 'templates/adr.md'), TEMPLATE);
    writeFileSync(join(project, 'pages/設計/接続.md'), '# 接続\n\n接続は[[データベース]]に依存します。\n');
    withHistory(project);
  },
});
let ja;
before(async () => {
  ja = await wordsIn('ja');
  // On a page that no other screen shows.
  const agent = await Agent.start(own.project);
  await agent.call('get_page', { page: 'データベース' });
  await agent.propose('update_page', { page: 'Alone', content: '[[Home]]', mode: 'append', reason: 'リンクを追加しました。' });
  await agent.propose('create_page', { title: 'トークン', folder: '設計', content: '一時間で切れます。' });
  await agent.end();
});

/** What pages, files and commits say. */
const CONTENT = [
  'code, kbd, pre, article, blockquote, .author, [data-page], [data-row] .title, .outline, .backlinks, .suggestions, .cm-line, .cm-live-rendered, .cm-embed, .one-line.title, .where .folder, strong.title, h1.title, option[value^="vs"], option[value^="cursor"], option[value^="zed"], option[value^="idea"], option[value^="txmt"]',
  '#ubp_bar .name, .properties .key, .properties .value, .missing, .group-row .name, .about.one-line, .detail h3, .diff, .commits, #ubp_stage ol li, .detail .about, .project, .taken, #ubp_found .option:not(.command), .type, .side [data-project-file], .of-page span, .message.wanted',
].join(', ');
/** Names of products, formats and keys, and what is quoted. */
const NAMES = /「[^」]*」|`[^`]*`|\(原文: .*\)|\b(max_tokens|scribe 1\.2|Markdown|YAML|VS Code|Ctrl|Alt|Shift|Tab|Enter|Esc|esc|Mermaid|NUL|ID|MB|git|ubp|viewer|README|md|F\d+)\b/g;

/** Texts and labels on screen that have Latin words. `names` are those of the project. */
function foreign(page) {
  return page.evaluate(
    ([content, names]) => {
      const isSeen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
      const top = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
      const found = [];
      const note = (element, text) => {
        const rest = text.replace(new RegExp(names, 'g'), '');
        if (/[A-Za-z]{2,}/.test(rest)) found.push(`${element.localName}.${element.className}: ${text.trim()}`);
      };
      for (const element of top.querySelectorAll('*')) {
        if (!isSeen(element) || element.closest('script, style, svg, math')) continue;
        if (!element.closest(content)) for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) note(element, node.data);
        // Labels of content name it in a sentence of the interface.
        for (const name of ['aria-label', 'title', 'placeholder']) if (!element.closest(`${content}, .row, li`)) note(element, element.getAttribute(name) ?? '');
      }
      return found;
    },
    [CONTENT, `${NAMES.source}|Home|Alone|Sign in|Reading|Guides|Code|Formatting|Sessions|Link types|Unified Blueprint|All pages|ubp-viewer-\\w+|[\\w./ -]+\\.(js|md|svg)|[\\w./-]*/\\S+\\.(base|md|lock)|description, folder, fields, headings, links|Begin|spec|guide|adr|start|deciders|type|tags|source_refs`],
  );
}

/** Buttons, chips and menu items whose text does not fit. */
function cut(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('button, .button, .segments > *, [role=menuitem], h1, h2, h3, legend, dt')]
      .filter((element) => element.checkVisibility() && !element.closest('.one-line, .hidden-text') && !element.querySelector('.one-line') && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && getComputedStyle(element).display !== 'inline')
      .map((element) => `${element.localName}.${element.className}: ${element.textContent.trim()} ${element.scrollWidth} > ${element.clientWidth}`),
  );
}

const command = (typed) => async (page) => {
  await page.keyboard.press('Control+k');
  await page.locator('dialog [role=combobox]').fill(typed);
  await page.getByRole('option').first().waitFor();
};
const dialog = (open) => async (page) => {
  await open(page);
  await page.getByRole('dialog').waitFor();
};
const run = (typed) => dialog(async (page) => {
  await command(typed)(page);
  await page.keyboard.press('Enter');
  await page.locator('dialog [role=combobox]').waitFor({ state: 'detached' });
});
/** Opens a page in a second tab. */
async function secondTab(page) {
  await page.keyboard.press('Alt+Shift+n');
  await page.locator('dialog [role=combobox]').fill('Reading');
  await page.getByRole('option', { name: 'Reading' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('#ubp_head .title', { hasText: 'Reading' }).waitFor();
}
const stage = (page) => page.locator('#ubp_stage [data-row="0"]').waitFor();

const SCREENS = {
  editing: { path: 'Home.html' },
  reading: { path: 'Guides/Formatting.html', face: 'read' },
  'a stale page with its changes': {
    path: 'Code/Sign%20in.html',
    act: async (page) => {
      await page.getByRole('button', { name: ja.desk.showChanges }).click();
      await page.getByText('+export const ATTEMPTS = 5;').waitFor();
    },
  },
  'the sidebar with its filters': {
    path: 'Home.html',
    act: async (page, isNarrow) => {
      if (isNarrow) await page.getByRole('button', { name: ja.desk.sidebar }).click();
      await page.getByRole('button', { name: ja.pages.sort }).click();
      await page.getByRole('button', { name: ja.pages.views.folders }).click();
    },
  },
  'the palette': { path: 'Home.html', act: command('re') },
  'the commands': { path: 'Home.html', act: command('>') },
  'pages to review': { path: 'Home.html?review=all', act: stage },
  'one page to review': {
    path: 'Home.html?review=all',
    act: async (page) => {
      await page.locator('#ubp_stage [data-row="0"]').click();
      await page.getByText('Lock accounts after five attempts').waitFor();
    },
  },
  problems: { path: 'Home.html?problems=all', act: stage },
  'a page with a proposal': { path: 'Alone.html', act: (page) => page.getByRole('region', { name: ja.proposals.title }).waitFor() },
  proposals: {
    path: 'Home.html?proposals=all',
    act: async (page) => {
      await stage(page);
      await page.locator('#ubp_stage .row input').first().check();
    },
  },
  'one proposal': {
    path: 'Home.html?proposals=all',
    act: async (page) => {
      await page.locator('#ubp_stage [data-row]', { hasText: 'Alone' }).click();
      await page.locator('.detail [data-hunk="1"]').waitFor();
    },
  },
  'rejecting a proposal': {
    path: 'Home.html?proposals=all',
    act: async (page) => {
      await page.locator('#ubp_stage [data-row]', { hasText: 'Alone' }).click();
      await page.locator('.detail [data-hunk="1"]').waitFor();
      await page.keyboard.press('r');
      await page.locator('.detail textarea').waitFor();
    },
  },
  'the review queue': {
    path: 'Home.html?queue=all',
    act: async (page, isNarrow) => {
      if (isNarrow) await page.locator('#ubp_stage [data-row="0"]').click();
      await page.locator('.detail [data-hunk]').first().waitFor();
    },
  },
  'a suggested type': {
    path: 'Home.html?queue=all',
    act: async (page) => {
      await page.locator('#ubp_stage [data-row]', { has: page.locator('[data-kind=type]') }).click();
      await page.locator('.detail .framed').waitFor();
    },
  },
  'what agents saw': {
    path: 'Home.html?sessions=all',
    act: async (page, isNarrow) => {
      if (isNarrow) await page.locator('#ubp_stage [data-row="0"]').click();
      await page.getByRole('button', { name: ja.sessions.asGiven }).first().click();
      await page.locator('.detail pre').waitFor();
    },
  },
  'what agents saw, in the graph': {
    path: 'Home.html?sessions=all',
    act: async (page, isNarrow) => {
      if (isNarrow) await page.locator('#ubp_stage [data-row="0"]').click();
      await page.getByRole('button', { name: ja.sessions.showInGraph }).first().click();
      await page.locator('canvas[data-settled]').waitFor();
      await page.getByRole('button', { name: ja.graph.lit.clear }).waitFor();
    },
  },
  'how AI sees a page': {
    path: 'Guides/Reading.html',
    act: async (page) => {
      await run('>how ai')(page);
      await page.getByRole('slider').focus();
      await page.keyboard.press('Home');
      await page.locator('dialog .omitted').waitFor();
    },
  },
  'the graph': { path: 'Home.html?graph=local', act: (page) => page.locator('canvas[data-settled]').waitFor() },
  'a file': { path: 'Home.html?file=src%2Flogin.js', act: (page) => page.locator('#ubp_stage .code').waitFor() },
  shortcuts: { path: 'Home.html', act: dialog((page) => page.keyboard.press('Control+/')) },
  settings: { path: 'Home.html', act: dialog((page) => page.keyboard.press('Control+,')) },
  'a new page from a template': {
    path: 'Home.html',
    act: async (page) => {
      await dialog((page) => page.keyboard.press('Alt+n'))(page);
      await page.getByLabel(ja.dialogs.template).selectOption('adr');
      await page.getByText('決定した人').waitFor();
    },
  },
  renaming: {
    path: 'Guides/Reading.html',
    act: async (page) => {
      await run('>rename')(page);
      await page.getByRole('textbox', { name: ja.dialogs.title }).fill('読み方');
      await page.getByText(ja.dialogs.newPath.split(' ')[0]).waitFor();
    },
  },
  deleting: {
    path: 'Guides/Reading.html',
    act: async (page) => {
      await run('>delete')(page);
      await page.getByText(ja.dialogs.unlink).waitFor();
    },
  },
  history: {
    path: 'Home.html',
    act: async (page) => {
      await run('>history')(page);
      await page.locator('dialog [data-row="0"]').waitFor();
    },
  },
  'the menu of a page': {
    path: 'Guides/Reading.html',
    act: async (page) => {
      await page.getByRole('button', { name: ja.desk.actions }).click();
      await page.getByRole('menu').waitFor();
    },
  },
  tabs: { path: 'Home.html', act: secondTab },
  'the menu of tabs': {
    path: 'Home.html',
    act: async (page, isNarrow) => {
      await secondTab(page);
      if (isNarrow) await page.getByRole('button', { name: ja.tabs.count(2) }).click();
      else await page.getByRole('tab', { name: 'Reading' }).click({ button: 'right' });
      await page.getByRole('menuitem', { name: ja.tabs.close, exact: true }).waitFor();
    },
  },
  'the guide': { path: 'Home.html', act: run('>quick start') },
  'find and replace': {
    path: 'Home.html',
    act: async (page) => {
      await editor(page).focus();
      await page.keyboard.press('Control+f');
      await page.keyboard.type('page');
      await page.locator('.cm-find-count').waitFor();
    },
  },
  'properties as YAML': {
    path: 'Home.html',
    act: async (page) => {
      await page.getByRole('button', { name: ja.properties.asYaml }).first().click();
      await page.getByRole('button', { name: ja.properties.asForm }).waitFor();
    },
  },
};

async function look(own, name, width, { path, act, face }) {
  const { page, done } = await own.open(path, { context: { locale: 'ja-JP', viewport: { width, height: 900 } }, settings: { opening: face ?? 'edit' } });
  await until(() => page.locator('#ubp_status .status').isVisible(), 'the app has started');
  if (!face && path && !path.includes('?')) await editor(page).waitFor();
  // Commands on the page wait for the list of pages.
  if (path) await until(() => page.locator('#ubp_head .freshness, #ubp_stage').first().isVisible(), 'the project is open');
  await settled(page);
  await act?.(page, width < 860);
  await settled(page);
  if (process.env.UBP_SHOTS) await page.screenshot({ path: `${process.env.UBP_SHOTS}/日本語 ${name} ${width}.png` });
  assert.equal(await page.locator('html').getAttribute('lang'), 'ja');
  assert.deepEqual(await foreign(page), [], 'texts that are not in Japanese');
  assert.deepEqual(await cut(page), [], 'texts that do not fit');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, 'nothing has to be scrolled sideways');
  await accessible(page, name);
  await done();
}

for (const width of [1440, 390]) {
  describe(`in Japanese, ${width} wide`, () => {
    for (const [name, screen] of Object.entries(SCREENS)) test(name, () => look(own, name, width, screen));
  });
}

describe('in Japanese, an empty project', () => {
  const bare = withViewer({ prepare: empty });
  for (const width of [1440, 390]) test(`${width} wide`, () => look(bare, 'an empty project', width, { path: '' }));
});

/** Files with a problem of each kind. */
const TROUBLE = {
  'pages/壊れた.md': '---\ntitle: 題: 名\n---\n# 壊れた\n',
  'pages/閉じない.md': '---\ntags: [甲\n---\n# 閉じない\n',
  'pages/重複.md': '---\ntype: spec\ntype: guide\n---\n# 重複\n',
  'pages/外.md': '---\nsource_refs: [../外]\n---\n# 外\n',
  'pages/引用.md': '---\nrelated: [[壊れた]]\n---\n# 引用\n\n[[壊れた#無い]] と [[無い]]\n',
  'pages/甲/同じ.md': '---\nid: 一\n---\n# 同じ\n\n[[同じ]]\n',
  'pages/乙/同じ.md': '---\nid: 一\n---\n# 同じ\n',
  'pages/表.base': 'views: 1\n',
  'pages/別の表.base': '甲: [\n',
  'templates/決定.md': '---\ntemplate:\n  無い: 1\n---\n',
  '.ubp/refs.lock': '<<<<<<< 甲\n無効\n=======\n>>>>>>> 乙\n',
};

describe('in Japanese, every kind of problem', () => {
  const troubled = withViewer({
    prepare: (project) => {
      empty(project);
      for (const [path, text] of Object.entries(TROUBLE)) {
        mkdirSync(dirname(join(project, path)), { recursive: true });
        writeFileSync(join(project, path), text);
      }
    },
  });
  for (const width of [1440, 390]) {
    test(`${width} wide`, () =>
      look(troubled, 'problems', width, {
        path: '?problems=all',
        act: async (page) => {
          await stage(page);
          const { findings } = await troubled.call('doctor', {});
          const codes = new Set(findings.map(({ code }) => code));
          assert.ok(codes.size > 9, [...codes].join(' '));
          const told = await page.locator('.problems [data-row]:not(.group) .message').allTextContents();
          assert.ok(told.length > 5 && told.some((text) => text.includes('(原文: ')), told.join('\n'));
        },
      }));
  }
});

test('a word that is in no catalogue is seen on screen', async () => {
  const { page, done } = await own.open('Home.html', { context: { locale: 'ja-JP' } });
  await until(() => page.locator('#ubp_status .status').isVisible(), 'the app has started');
  await settled(page);
  await page.evaluate(() => {
    document.querySelector('#ubp_status .status').append('Not saved yet');
    document.querySelector('#ubp_head .star').title = 'Favourite';
  });
  const found = await foreign(page);
  assert.deepEqual(found.map((text) => text.replace(/^.*: /, '')), ['Favourite', 'Not saved yet']);
  await done();
});

describe('the language', () => {
  const dates = (page) => page.locator('.page-facts .date').innerText();

  test('is changed in the settings at once, with dates and the editor, and is remembered', async () => {
    const { page, done } = await own.open('Guides/Formatting.html', { settings: { opening: 'read' } });
    await until(async () => /^Updated \d{1,2} \w+ \d{4}$/.test(await dates(page)), async () => `the date is ${await dates(page)}`);
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
    await page.keyboard.press('Control+e');
    await editor(page).waitFor();
    await page.keyboard.press('Control+,');
    await page.getByLabel('Language').selectOption('日本語');
    await page.getByRole('dialog', { name: ja.settings.title }).waitFor();
    await until(async () => (await editor(page).getAttribute('aria-label')) === ja.editor.textOf('Formatting'), 'the editor follows');
    await page.getByRole('button', { name: ja.app.close, exact: true }).click();
    await page.keyboard.press('Control+e');
    await until(async () => /^\d{4}年\d{1,2}月\d{1,2}日 更新$/.test(await dates(page)), async () => `the date is ${await dates(page)}`);
    await page.reload();
    await page.getByRole('button', { name: ja.desk.edit, exact: true }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'ja');
    await page.keyboard.press('Control+,');
    await page.getByLabel(ja.settings.language).selectOption('English');
    await page.getByRole('dialog', { name: 'Settings' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
    await done();
  });

  test('is that of what the server tells, also if it is changed meanwhile', async () => {
    const { page, done } = await own.open('Home.html');
    await page.keyboard.press('Control+,');
    await page.getByLabel('Language').selectOption('English');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Alt+p');
    const found = page.locator('.problems [data-row]:not(.group) .message');
    await until(async () => (await found.allTextContents()).some((text) => text.startsWith('Broken link')), async () => (await found.allTextContents()).join('\n'));
    await page.keyboard.press('Control+,');
    await page.getByLabel('Language').selectOption('日本語');
    await until(async () => (await found.allTextContents()).some((text) => text.includes('リンクが切れています')), async () => (await found.allTextContents()).join('\n'));
    await done();
  });

  test('that the browser prefers among those of the app is taken, and English readers load no other one', async () => {
    for (const [locale, lang] of [['fr-FR', 'en'], ['ja', 'ja'], ['en-US', 'en']]) {
      const { page, done } = await own.open('', { context: { locale } });
      const scripts = [];
      page.on('response', (response) => response.request().resourceType() === 'script' && scripts.push(response.text().catch(() => '')));
      await page.reload();
      await until(() => page.locator('#ubp_status .status').isVisible(), 'the app has started');
      assert.equal(await page.locator('html').getAttribute('lang'), lang, locale);
      assert.equal((await Promise.all(scripts)).some((text) => text.includes('保存しました')), lang === 'ja', locale);
      await done();
    }
  });
});
