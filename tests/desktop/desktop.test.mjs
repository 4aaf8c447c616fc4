// The desktop app as a person meets it: windows, keys, files, links, and starts that follow each other.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { App, Machine, PATIENCE, until } from './support.mjs';

const timeout = 4 * PATIENCE;
const TITLE = '#ubp_main h1, #ubp_desk h1';
const PAGES = { 'index.md': '# Notes\n\nSee [[login]].\n', 'login.md': '# Login\n\nUsers sign in.\n' };

/** The address of the server, as long as one listens there. */
const listens = (url) =>
  new Promise((done) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => done(true));
    socket.on('error', () => done(false)).on('connect', () => socket.destroy());
  });

describe('the desktop app', { timeout }, () => {
  let machine;
  /** @type {App} */
  let app;
  let notes;

  before(async () => {
    machine = await Machine.start();
    notes = machine.project('notes', PAGES);
    app = await machine.open(notes);
  }, { timeout });
  after(() => machine?.stop(), { timeout });

  const page = (title) => app.shows('h1', title);
  /** Presses keys in the window with this title, once its page hears them. */
  const press = async (title, ...keys) => {
    await app.element('#ubp_status .status');
    const [window] = await until('the window is on the screen', () => machine.windows(title));
    machine.press(window, ...keys);
  };

  it('shows the first page of a project', async () => {
    await page('Notes');
    assert.match(await app.url(), /^http:\/\/127\.0\.0\.1:\d+\/$/, 'the token is not in the address');
    await until('the project is remembered', () => machine.has('.local/share/ubp/desktop.json'));
    assert.equal(JSON.parse(machine.read('.local/share/ubp/desktop.json')).recent[0].folder, notes);
  });

  it('refuses every call of a page', async () => {
    const refused = await app.later(`
      const done = arguments[0];
      const invoke = window.__TAURI_INTERNALS__?.invoke;
      const calls = ['plugin:window|close', 'plugin:webview|create_webview_window', 'plugin:app|version', 'plugin:menu|new', 'plugin:tray|new', 'plugin:resources|close', 'open'];
      Promise.all(calls.map((call) => (invoke ? invoke(call, {}).then(() => call, () => null) : null))).then((open) => done(open.filter(Boolean)));`);
    assert.deepEqual(refused, []);
    const read = await app.later(`const done = arguments[0]; fetch('ubp-start://localhost/').then((answer) => answer.text()).then(done, () => done(''));`);
    assert.equal(read, '');
  });

  it('stays at its server', async () => {
    const before = await app.url();
    for (const address of ['file:///etc/passwd', 'ubp-start://localhost/choose', 'data:text/html,a', 'ssh://127.0.0.1/']) {
      await app.run('location.href = arguments[0]', address);
      await app.run('const link = document.createElement("a"); link.href = arguments[0]; link.target = "_blank"; document.body.append(link); link.click(); link.remove();', address);
      assert.equal(await app.url(), before, address);
    }
    // Its own pages are the proof that it would have gone.
    await app.run('location.href = "/login.html"');
    await until('its own page is shown', async () => (await app.url()).endsWith('/login.html'));
    assert.equal((await app.handles()).length, 1);
    await app.run('location.href = "/"');
    await page('Notes');
  });

  it('writes what is typed', async () => {
    // The key of the menu.
    await press('Notes', 'ctrl+e');
    await app.type('#ubp_desk .cm-content', 'Ö');
    await until('the letter is on the disk', () => machine.read('notes/pages/index.md').includes('Ö'));
  });

  it('opens a file at its page, and a link to a known project', async () => {
    assert.equal(await machine.again(join(notes, 'pages/login.md')), 0);
    await page('Login');
    assert.match(await app.url(), /login\.html$/);
    assert.equal(await machine.again(`ubp://open?path=${encodeURIComponent(notes)}&page=index.md`), 0);
    await until('the first page is shown', async () => new URL(await app.url()).pathname === '/');
    assert.equal((await app.handles()).length, 1);
  });

  it('opens a second window on the project', async () => {
    await press('Notes', 'ctrl+shift+n');
    const handles = await until('there are two windows', async () => {
      const handles = await app.handles();
      return handles.length === 2 && handles;
    });
    const origins = new Set();
    for (const handle of handles) {
      await app.to(handle);
      await until('the page is there', async () => (await app.text('h1'))?.includes('Notes'));
      origins.add(new URL(await app.url()).origin);
    }
    assert.equal(origins.size, 1, 'both have one server');
    await app.send('DELETE', '/window');
    await until('one window is left', async () => (await app.handles()).length === 1);
    await app.to((await app.handles())[0]);
    assert.ok(await listens(await app.url()));
  });

  it('asks before it opens what a link names', async () => {
    const other = machine.project('other', { 'index.md': '# Other\n' });
    const link = `ubp://open?path=${encodeURIComponent(other)}&page=index.md`;
    await machine.again(link);
    await app.shows('h1', 'Open this project?');
    assert.equal(await app.text('.path'), '~/other');
    await app.click('a[href="/no"]');
    await app.shows('h1', 'Open a folder');
    assert.ok(!machine.has('other/.ubp/metadata.db'), 'it was not indexed');
    await machine.again(link);
    await app.shows('h1', 'Open this project?');
    await app.click('a[href^="/yes/"]');
    await page('Other');
  });

  it('refuses hostile links', async () => {
    const kept = machine.read('.local/share/ubp/desktop.json');
    for (const link of ['ubp://open?path=/etc', 'ubp://open?path=../notes', `ubp://open?path=${notes}&page=../../.ssh/id`, 'ubp://run?path=/bin/sh', 'https://example.org/', 'javascript:alert(1)']) {
      await machine.again(link);
      await app.shows('[role=alert]', link.includes('/etc') ? 'not a project' : link.startsWith('javascript') ? 'no such folder' : 'does not follow');
    }
    assert.equal(machine.read('.local/share/ubp/desktop.json'), kept);
  });

  it('asks before a folder becomes a project', async () => {
    machine.write('loose', { 'a.md': '# A\n', 'b.md': '# Loose\n' });
    await machine.again('loose/b.md');
    await app.shows('h1', 'Start a project here?');
    assert.ok(!machine.has('loose/.ubp'));
    await app.click('a[href^="/yes/"]');
    await page('Loose');
    assert.ok(machine.has('loose/.ubp/manifest.json'));
    assert.equal(machine.read('loose/b.md'), '# Loose\n');
    await machine.again('.');
    await app.shows('[role=alert]', 'contains everything');
    assert.ok(!machine.has('.ubp'));
  });

  it('keeps the last letters when it ends, and opens the last project again', async () => {
    await page('Loose');
    const address = await app.url();
    await press('Loose', 'ctrl+e');
    await app.type('#ubp_desk .cm-content', 'last words');
    await press('Loose', 'ctrl+q');
    await until('the process has ended', () => machine.processes().length === 0);
    assert.match(machine.read('loose/b.md'), /last words/);
    assert.ok(!(await listens(address)));
    app.driver.kill('SIGKILL');
    app = await machine.open();
    await until('a page is shown', async () => (await app.url()).startsWith('http://127.0.0.1'));
    assert.equal(new URL(await app.url()).port, new URL(address).port, 'settings stay with the port');
    await app.shows('body', 'Loose');
  });

  it('ends with its last window', async () => {
    const address = await app.url();
    await press('All pages', 'ctrl+w');
    // On a busy machine, a window that has just come misses keys.
    await until('the process has ended', () => {
      for (const window of machine.windows('All pages')) machine.press(window, 'ctrl+w');
      return machine.processes().length === 0;
    });
    assert.ok(!(await listens(address)));
  });
});

const hasTray = spawnSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' }).stdout?.includes('appindicator3.so.1');

describe('the desktop app in the tray', { timeout, skip: hasTray ? false : 'libayatana-appindicator3-1 is not installed' }, () => {
  let machine;
  let app;
  before(async () => {
    machine = await Machine.start();
    app = await machine.open(machine.project('notes', PAGES));
  }, { timeout });
  after(() => machine?.stop(), { timeout });

  it('serves without windows, and shows them again', async () => {
    await app.shows('h1', 'Notes');
    await app.element('#ubp_status .status');
    const address = await app.url();
    const [window] = await until('the window is on the screen', () => machine.windows('Notes'));
    // The sixth entry of the first menu.
    machine.press(window, 'F10', 'Down', 'Down', 'Down', 'Down', 'Down', 'Return');
    await until('it is remembered', () => JSON.parse(machine.read('.local/share/ubp/desktop.json')).background);
    await until('the window is gone', () => {
      for (const open of machine.windows('Notes')) machine.press(open, 'ctrl+w');
      return machine.windows('Notes').length === 0;
    });
    assert.equal((await fetch(address)).status, 401, 'it serves, for whom has the token');
    assert.equal(await machine.again(), 0);
    await until('the window is back', () => machine.windows('Notes').length > 0);
    await until('the process has ended', () => {
      // The driver has lost its window, so nobody says when this one hears keys.
      for (const again of machine.windows('Notes')) machine.press(again, 'ctrl+q');
      return machine.processes().length === 0;
    });
  });
});

describe('the desktop app in Japanese', { timeout }, () => {
  let machine;
  let app;
  before(async () => {
    machine = await Machine.start({ LANG: 'ja_JP.UTF-8' });
    app = await machine.open();
  }, { timeout });
  after(() => machine?.stop(), { timeout });

  it('greets without a project, and opens a recent one', async () => {
    await app.shows('h1', 'フォルダーを開く');
    assert.equal(await app.run('return document.documentElement.lang'), 'ja');
    machine.project('notes', PAGES);
    await machine.again('notes');
    await app.shows('h1', 'Notes');
  });
});
