// The status bar: what waits for a person in the current project. A click opens the menu.
import * as vscode from 'vscode';
import type { Projects } from './projects';
import type { Server } from './server';

/** Milliseconds without further changes before the state is asked for again. */
const PAUSE = 500;

export class Status implements vscode.Disposable {
  readonly #server: Server;
  readonly #projects: Projects;
  readonly #bar = vscode.window.createStatusBarItem('ubp.status', vscode.StatusBarAlignment.Left, 20);
  readonly #held: vscode.Disposable[];
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;

  constructor(server: Server, projects: Projects) {
    this.#server = server;
    this.#projects = projects;
    this.#bar.name = 'Unified Blueprint';
    this.#bar.command = 'ubp.menu';
    const later = () => this.#later();
    this.#held = [
      this.#bar,
      server.onDidChange(later),
      projects.onDidChange(later),
      vscode.window.onDidChangeActiveTextEditor(later),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('ubp.statusBar')) later();
      }),
    ];
    later();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const held of this.#held) held.dispose();
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#show(), PAUSE);
  }

  async #show(): Promise<void> {
    const turn = ++this.#turn;
    const project = this.#projects.current;
    if (!project || !vscode.workspace.getConfiguration('ubp').get('statusBar', true)) {
      this.#bar.hide();
      return;
    }
    const { t } = vscode.l10n;
    this.#bar.backgroundColor = undefined;
    if (!this.#server.isRunning) {
      this.#bar.text = '$(circle-slash) UBP';
      this.#bar.tooltip = t('The language server of Unified Blueprint is not running.');
      this.#bar.show();
      return;
    }
    try {
      const status = await this.#server.call('status', {}, project.root);
      if (turn !== this.#turn) return;
      const review = status.freshness.stale + status.freshness.possibly_stale;
      const parts = [
        [review, 'checklist', t('{0} pages to review', review)],
        [status.unresolved_link_count, 'warning', t('{0} broken links', status.unresolved_link_count)],
        [status.proposal_count, 'git-pull-request', t('{0} proposals', status.proposal_count)],
      ] as const;
      const waiting = parts.filter(([count]) => count > 0);
      this.#bar.text = waiting.length > 0 ? `UBP ${waiting.map(([count, icon]) => `$(${icon}) ${count}`).join(' ')}` : '$(check) UBP';
      this.#bar.tooltip = [project.name, t('{0} pages', status.page_count), ...waiting.map(([, , words]) => words), ...(status.index.pending > 0 ? [t('Vectors are being computed: {0} sections left', status.index.pending)] : [])].join('\n');
      this.#bar.accessibilityInformation = { label: `Unified Blueprint: ${waiting.map(([, , words]) => words).join(', ') || t('nothing waits for you')}` };
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#bar.text = '$(error) UBP';
      this.#bar.tooltip = error instanceof Error ? error.message : String(error);
    }
    this.#bar.show();
  }
}
