// Checks the accessibility of every screen around the editor, in both themes and at two widths. If UBP_SHOTS is a folder,
// writes a screenshot of each there.
import { describe, test } from 'node:test';
import { accessible, editor, empty, settled, until, withViewer } from './workspace.mjs';

const own = withViewer();
const palette = (typed) => async (page) => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill(typed);
  await page.getByRole('option').first().waitFor();
};
const dialog = (open, name) => async (page) => {
  await open(page);
  await page.getByRole('dialog', { name }).waitFor();
};
const inSide = (act) => async (page, isNarrow) => {
  if (isNarrow) await page.getByRole('button', { name: 'Sidebar' }).click();
  await act(page);
};

const SCREENS = {
  editing: { path: 'Home.html' },
  reading: { path: 'Guides/Formatting.html', face: 'read' },
  'a stale page with its changes': {
    path: 'Code/Sign%20in.html',
    act: async (page) => {
      await page.getByRole('button', { name: 'Show changes' }).click();
      await page.getByText('+export const ATTEMPTS = 5;').waitFor();
    },
  },
  'the filtered sidebar': {
    path: 'Home.html',
    act: inSide(async (page) => {
      await page.getByRole('button', { name: /^Sort/ }).click();
      await page.getByRole('combobox', { name: 'Sort by' }).selectOption('updated');
    }),
  },
  folders: { path: 'Guides/Reading.html', act: inSide((page) => page.getByRole('button', { name: 'Folders' }).click()) },
  tags: { path: 'Guides/Reading.html', act: inSide((page) => page.getByRole('button', { name: 'Tags', exact: true }).click()) },
  'the details of a page': {
    path: 'Guides/Reading.html',
    act: async (page, isNarrow) => {
      if (isNarrow) await page.getByRole('button', { name: 'About this page' }).click();
    },
  },
  'the palette with pages and creation': { path: 'Home.html', act: palette('re') },
  'the palette with commands': { path: 'Home.html', act: palette('>') },
  'pages to review': { path: 'Home.html?review=all', act: (page) => page.getByRole('heading', { name: 'Pages to review' }).waitFor() },
  'one page to review': {
    path: 'Home.html?review=all',
    act: async (page) => {
      await page.locator('#ubp_stage [data-row="0"]').click();
      await page.getByText('Lock accounts after five attempts').waitFor();
    },
  },
  'an empty review queue': { path: 'Home.html?queue=all', act: (page) => page.getByText('Nothing waits for you').waitFor() },
  'how AI sees a page': {
    path: 'Guides/Reading.html',
    act: async (page) => {
      await palette('>how ai')(page);
      await page.keyboard.press('Enter');
      await page.getByRole('slider').focus();
      await page.keyboard.press('Home');
      await page.locator('dialog .omitted').waitFor();
    },
  },
  'the graph': { path: 'Home.html?graph=all', act: (page) => page.locator('canvas[data-settled]').waitFor() },
  shortcuts: { path: 'Home.html', act: dialog((page) => page.keyboard.press('Control+/'), 'Keyboard shortcuts') },
  settings: { path: 'Home.html', act: dialog((page) => page.getByRole('button', { name: 'Settings' }).click(), 'Settings') },
  'a new page': { path: 'Home.html', act: dialog((page) => page.keyboard.press('Alt+n'), 'New page') },
  renaming: {
    path: 'Guides/Reading.html',
    act: async (page) => {
      await page.keyboard.press('F2');
      await page.getByRole('textbox', { name: 'Title' }).fill('Reading well');
      await page.getByText(/other pages? will be updated/).waitFor();
    },
  },
  deleting: {
    path: 'Guides/Reading.html',
    act: async (page) => {
      await page.getByRole('button', { name: 'Page actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      await page.getByText(/to it\./).waitFor();
    },
  },
  'the menu of a page': { path: 'Guides/Reading.html', act: (page) => page.getByRole('button', { name: 'Page actions' }).click() },
  'the guide': {
    path: 'Home.html',
    act: async (page) => {
      await palette('>quick')(page);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Quick start' }).waitFor();
    },
  },
  'focus mode': { path: 'Home.html', act: (page) => page.keyboard.press('Control+Shift+f') },
  'an address without a page': { path: 'Nowhere.html', face: 'read', expectErrors: true },
};

async function look(own, name, width, { path, act, face, expectErrors }) {
  const { page, done } = await own.open(path, { context: { colorScheme: 'light', viewport: { width, height: 900 } }, settings: { opening: face ?? 'edit' }, expectErrors });
  if (!face && !path.includes('?') && path) await editor(page).waitFor();
  await settled(page);
  await act?.(page, width < 860);
  await settled(page);
  const picture = (theme) => process.env.UBP_SHOTS && page.screenshot({ path: `${process.env.UBP_SHOTS}/${name} ${width} ${theme}.png` });
  await picture('light');
  await accessible(page, `${name}, light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await settled(page);
  await picture('dark');
  await accessible(page, `${name}, dark`, ['color-contrast', 'link-in-text-block']);
  await done();
}

for (const width of [1440, 390]) {
  describe(`${width} wide`, () => {
    for (const [name, screen] of Object.entries(SCREENS)) test(name, () => look(own, name, width, screen));
  });
}

describe('an empty project', () => {
  const bare = withViewer({ prepare: empty });
  for (const width of [1440, 390]) test(`${width} wide`, () => look(bare, 'an empty project', width, { path: '' }));
});
