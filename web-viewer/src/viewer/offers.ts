// Options of the palette besides search results: recently opened pages, commands, and creating a page.
import type { Offer, Offers } from '../palette/offers';
import { entriesOf, type Entry } from '../pages/listing';
import { fold } from '../text/fold';
import { wordsOf } from '../text/match';
import { folderOf } from '../text/paths';
import { commandsOf } from './commands';
import { caps } from '../shell/keys';
import type { Workspace } from './workspace.svelte';

const RECENT = 6;
const AT_FIRST = 5;
const WITH_PAGES = 4;

/** Whether the title or the path equals it. Folded names are cached for all pages. */
function isCalled({ key, page }: Entry, wanted: string): boolean {
  if (key.startsWith(`${wanted} `) && fold(page.title) === wanted) return true;
  return key.endsWith(` ${wanted}.md`) || key.endsWith(` ${wanted}.markdown`);
}

export function offersOf(workspace: Workspace): Offers {
  const { session, navigator, onApple } = workspace;
  return {
    recent: () =>
      workspace.recent.pages
        .filter((path) => path !== workspace.page)
        .flatMap((path) => session.byPath.get(path) ?? [])
        .slice(0, RECENT)
        .map((page): Offer => ({ kind: 'recent', id: page.filepath, label: page.title, about: folderOf(page.filepath), keys: [], run: () => void navigator.go({ page: page.filepath }) })),

    commands: (typed, only) => {
      const words = wordsOf(typed);
      const possible = commandsOf(workspace).filter((command) => !command.unlisted && (command.isPossible?.() ?? true));
      const found = possible.flatMap((command) => {
        const names = [fold(command.label), fold(command.english)];
        const text = `${names.join(' ')} ${fold(command.words)}`;
        if (!words.every((word) => text.includes(word))) return [];
        // Commands whose name starts with it, then whose name contains it, then those found by other words.
        const rank = words.length === 0 || names.some((name) => name.startsWith(words[0] ?? '')) ? 0 : names.some((name) => words.every((word) => name.includes(word))) ? 1 : 2;
        return [{ command, rank }];
      });
      return found
        .sort((a, b) => a.rank - b.rank)
        .slice(0, only ? undefined : words.length === 0 ? AT_FIRST : WITH_PAGES)
        .map(({ command }): Offer => ({ kind: 'command', id: command.id, label: command.label, about: '', keys: command.chords[0] ? caps(command.chords.at(command.chords[0] === 'Mod+N' ? 1 : 0) ?? '', onApple) : [], run: () => command.run() }));
    },

    creation: (typed) => {
      const name = typed.trim();
      const wanted = fold(name);
      if (!name || !workspace.may('create_page') || entriesOf(session.pages).some((entry) => isCalled(entry, wanted))) return null;
      return {
        kind: 'create',
        id: 'create',
        label: name,
        about: '',
        keys: [],
        run: () => void workspace.begin(name),
      };
    },
  };
}
