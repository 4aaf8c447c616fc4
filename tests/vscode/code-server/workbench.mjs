// code-server with the extension, and its window in Chromium.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entry, node } from './install.mjs';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const { chromium } = createRequire(join(root, 'web-viewer/package.json'))('playwright-core');
const BROWSERS = [process.env.UBP_CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
/** Milliseconds that anything in the window may take. */
const PATIENCE = 60_000;

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'security.workspace.trust.startupPrompt': 'always',
  'security.workspace.trust.untrustedFiles': 'open',
  'telemetry.telemetryLevel': 'off',
  'explorer.confirmDragAndDrop': false,
  // The row that is about to be renamed must stay selected.
  'explorer.autoReveal': false,
  'files.autoSave': 'afterDelay',
  'files.autoSaveDelay': 300,
  'git.openRepositoryInParentFolders': 'never',
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'editor.autoClosingBrackets': 'never',
};

export class Workbench {
  page;
  #server;
  #browser;
  #folder;
  #pictures;

  /** Starts code-server with the extension in a `.vsix` file. */
  static async start(vsix, { pictures }) {
    const workbench = new Workbench();
    workbench.#pictures = pictures;
    mkdirSync(pictures, { recursive: true });
    workbench.#folder = mkdtempSync(join(tmpdir(), 'ubp-code-server-'));
    const at = (name) => join(workbench.#folder, name);
    mkdirSync(at('data/User'), { recursive: true });
    writeFileSync(at('data/User/settings.json'), JSON.stringify(SETTINGS));
    writeFileSync(at('config.yaml'), 'auth: none\n');
    const folders = ['--config', at('config.yaml'), '--user-data-dir', at('data'), '--extensions-dir', at('extensions')];
    execFileSync(node, [entry, ...folders, '--install-extension', vsix], { stdio: 'pipe' });
    const port = await free();
    const args = [entry, ...folders, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check'];
    workbench.#server = spawn(node, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, PATH: '/usr/local/bin:/usr/bin:/bin' } });
    await new Promise((resolve, reject) => {
      workbench.#server.stdout.on('data', (text) => String(text).includes('HTTP server listening') && resolve());
      workbench.#server.once('exit', (status) => reject(new Error(`code-server ended with ${status}`)));
    });
    workbench.#browser = await chromium.launch({ executablePath: BROWSERS.find((path) => path && existsSync(path)) });
    const context = await workbench.#browser.newContext({ viewport: { width: 1400, height: 900 } });
    workbench.page = await context.newPage();
    workbench.page.setDefaultTimeout(PATIENCE);
    workbench.address = `http://127.0.0.1:${port}`;
    return workbench;
  }

  /** Opens a folder, and answers the question whether it is trusted. */
  async open(folder, { isTrusted = true } = {}) {
    await this.page.goto(`${this.address}/?folder=${encodeURIComponent(folder)}`);
    const dialog = this.page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    await dialog.getByRole('button', { name: isTrusted ? /^Yes, I trust/ : /^No, I don't trust/ }).click();
    await this.page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
  }

  async command(title) {
    const { page } = this;
    await page.keyboard.press('F1');
    const input = page.locator('.quick-input-widget .quick-input-box input');
    await input.waitFor();
    await input.fill(`>${title}`);
    await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: title }).first().waitFor();
    await page.keyboard.press('Enter');
  }

  async openFile(path) {
    const { page } = this;
    await page.keyboard.press('Control+P');
    const input = page.locator('.quick-input-widget .quick-input-box input');
    await input.waitFor();
    await input.fill(path);
    const name = path.split('/').pop();
    await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: name }).first().click();
    await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await page.locator('.editor-instance .view-lines').first().click();
  }

  /** A row of a view of the extension, whose label contains the text. */
  row(view, text) {
    return this.page.locator(`.pane:has(> .pane-header[aria-label^="${view}"]) .monaco-list-row`).filter({ hasText: text });
  }

  get status() {
    return this.page.locator('.statusbar-item[id*="ubp.status"]');
  }

  /** The frames with the web application. Panels behind others keep theirs. */
  frames() {
    return this.page.frames().filter((frame) => frame.url().includes('/.frame/'));
  }

  async container() {
    const tab = this.page.locator('.activitybar .action-item').filter({ has: this.page.locator('[aria-label^="Unified Blueprint"]') });
    if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
  }

  async explorer() {
    await this.page.keyboard.press('Control+Shift+E');
    await this.page.locator('.explorer-folders-view').waitFor();
  }

  async picture(name) {
    await this.page.screenshot({ path: join(this.#pictures, `${name}.png`) });
  }

  async stop() {
    await this.#browser?.close();
    this.#server?.kill();
    await new Promise((resolve) => setTimeout(resolve, 500));
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

function free() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
