// The links of the open page: from other pages, and to other pages and files.
import type { LinkInfo } from '#contract';
import * as vscode from 'vscode';
import { pageUri } from '../projects';
import { opening } from '../telling';
import { Listing, openPage, type OpenPage, type Surroundings } from './listing';

/** The links of one type, or a link. */
type Item = { type: string; links: LinkInfo[]; page: OpenPage } | { link: LinkInfo; page: OpenPage };

abstract class Links extends Listing<Item> {
  #shown: OpenPage | undefined;

  constructor(id: string, around: Surroundings) {
    super(id, around, ['pages', 'settings']);
    this.hold(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        // A panel or a view was focused: the links of the last page stay.
        if (editor && openPage(this.projects)?.uri.toString() !== this.#shown?.uri.toString()) this.refresh();
      }),
    );
  }

  protected abstract ends(page: OpenPage): Promise<LinkInfo[]>;
  protected abstract place(item: { link: LinkInfo; page: OpenPage }): vscode.Command | undefined;

  protected async items(parent: Item | undefined): Promise<Item[]> {
    if (parent) return 'links' in parent ? parent.links.map((link) => ({ link, page: parent.page })) : [];
    const page = openPage(this.projects) ?? (vscode.window.activeTextEditor ? undefined : this.#shown);
    this.#shown = page;
    this.view.description = page?.path.split('/').pop() ?? '';
    if (!page) return [];
    const links = await this.ends(page);
    const types = new Map<string, LinkInfo[]>();
    for (const link of links) types.set(link.link_type, [...(types.get(link.link_type) ?? []), link]);
    return [...types].map(([type, links]) => ({ type, links, page }));
  }

  getTreeItem(item: Item): vscode.TreeItem {
    if ('links' in item) {
      const row = new vscode.TreeItem(item.type, vscode.TreeItemCollapsibleState.Expanded);
      row.description = String(item.links.length);
      row.contextValue = 'ubp.type';
      return row;
    }
    const { link } = item;
    const row = new vscode.TreeItem(link.title, vscode.TreeItemCollapsibleState.None);
    row.description = link.filepath ?? link.source_path ?? vscode.l10n.t('no such page');
    row.tooltip = link.link_context;
    row.iconPath = new vscode.ThemeIcon(link.filepath ? 'markdown' : link.source_path ? 'file-code' : 'error');
    row.contextValue = 'ubp.link';
    const command = this.place(item);
    if (command) row.command = command;
    return row;
  }

  protected get(page: OpenPage) {
    return this.server.call('get_page', { filepath: page.path, answers: false }, page.uri);
  }
}

export class Backlinks extends Links {
  constructor(around: Surroundings) {
    super('ubp.backlinks', around);
  }

  protected async ends(page: OpenPage): Promise<LinkInfo[]> {
    return (await this.get(page)).backlinks;
  }

  protected place({ link, page }: { link: LinkInfo; page: OpenPage }): vscode.Command | undefined {
    return link.filepath ? opening(pageUri(page.project, link.filepath), link.lines[0] ?? 1, link.title) : undefined;
  }
}

/** In the order of the page. A broken link opens the line that has it. */
export class Outgoing extends Links {
  constructor(around: Surroundings) {
    super('ubp.links', around);
  }

  protected async ends(page: OpenPage): Promise<LinkInfo[]> {
    return (await this.get(page)).outlinks;
  }

  protected place({ link, page }: { link: LinkInfo; page: OpenPage }): vscode.Command | undefined {
    if (link.filepath) return opening(pageUri(page.project, link.filepath), 1, link.title);
    if (link.source_path) return opening(vscode.Uri.joinPath(page.project.root, link.source_path.split('#')[0] ?? ''), 1, link.title);
    return opening(page.uri, link.lines[0] ?? 1, link.title);
  }
}
