// Search by meaning while people type. The editor shows the selected result; leaving without a choice shows the former place.
import * as vscode from 'vscode';
import { pageUri, type Project } from './projects';
import type { Server } from './server';
import { open, tell } from './telling';
import { stalenessIcon } from './words';

/** Milliseconds without a key before the server is asked. */
const PAUSE = 120;
const LIMIT = 20;

interface Result extends vscode.QuickPickItem {
  uri: vscode.Uri;
  line: number;
}

export function search(server: Server, project: Project): void {
  const pick = vscode.window.createQuickPick<Result>();
  const former = vscode.window.activeTextEditor;
  const place = former && { uri: former.document.uri, selection: former.selection, column: former.viewColumn };
  const aside: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: vscode.l10n.t('Open to the Side') };
  let asked: vscode.CancellationTokenSource | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isChosen = false;
  let isShown = false;
  pick.placeholder = vscode.l10n.t('Words, a question, or "an exact phrase"');
  pick.title = project.name;

  const ask = async (query: string) => {
    asked?.cancel();
    asked = new vscode.CancellationTokenSource();
    const { token } = asked;
    try {
      const { results } = query === '' ? { results: [] } : await server.call('search', { query, limit: LIMIT }, project.root, token);
      if (token.isCancellationRequested) return;
      pick.items = results.map((result) => {
        const [best] = result.sections;
        return {
          label: result.title,
          description: [result.filepath, best?.heading].filter((text) => text).join(' › '),
          detail: best?.content.replace(/\s+/g, ' ').trim() ?? '',
          iconPath: stalenessIcon(result.staleness),
          buttons: [aside],
          // The server has chosen the results; the editor must not choose among them by their letters.
          alwaysShow: true,
          uri: pageUri(project, result.filepath),
          line: best?.line ?? 1,
        };
      });
    } catch (error) {
      if (!token.isCancellationRequested) tell(error);
    }
    if (!token.isCancellationRequested) pick.busy = false;
  };

  pick.onDidChangeValue((value) => {
    clearTimeout(timer);
    pick.busy = true;
    timer = setTimeout(() => void ask(value.trim()), PAUSE);
  });
  pick.onDidChangeActive(([item]) => {
    if (!item || isChosen) return;
    isShown = true;
    open(item.uri, item.line, { preview: true, preserveFocus: true }).catch(tell);
  });
  pick.onDidTriggerItemButton(({ item }) => {
    isChosen = true;
    pick.hide();
    open(item.uri, item.line, { viewColumn: vscode.ViewColumn.Beside, preview: false }).catch(tell);
  });
  pick.onDidAccept(() => {
    const [item] = pick.activeItems;
    if (!item) return;
    isChosen = true;
    pick.hide();
    open(item.uri, item.line, { preview: false }).catch(tell);
  });
  pick.onDidHide(() => {
    clearTimeout(timer);
    asked?.cancel();
    pick.dispose();
    if (isShown && !isChosen && place) {
      vscode.window.showTextDocument(place.uri, { selection: place.selection, ...(place.column ? { viewColumn: place.column } : {}) }).then(undefined, tell);
    }
  });
  pick.show();
}
