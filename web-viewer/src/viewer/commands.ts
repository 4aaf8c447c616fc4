// All commands: listed in the palette, run by shortcuts, shown in the list of shortcuts.
import { shellCommands, type Command } from '../shell/commands';
import { layout } from '../state/layout.svelte';
import { settings } from '../state/settings.svelte';
import { folderOf } from '../text/paths';
import { canOpen, openInEditor } from './opener';
import { focusNextPart } from './parts';
import { subjectOf } from './side/rows';
import { toasts } from './toasts.svelte';
import { linkTo, type Workspace } from './workspace.svelte';

export function commandsOf(workspace: Workspace): Command[] {
  const { session, navigator, tabs, onApple } = workspace;
  // On Apple keyboards, browsers and the system use Alt with a letter: add Control there.
  const alt = (key: string) => (onApple ? `Ctrl+Alt+${key}` : `Alt+${key}`);
  const hasPage = () => workspace.page !== null;
  // Names resolve to the best match, so an action on a deleted page would affect another page.
  const isThere = () => workspace.isThere;
  const withPage = (run: (page: string) => void) => () => {
    if (workspace.page !== null) run(workspace.page);
  };
  const hasTabs = () => tabs.list.length > 1;
  // There, the key renames the page of the row.
  const isOnRow = () => subjectOf(document.activeElement) !== null;
  const { search, sidebar, graph } = shellCommands(session, navigator);

  return [
    {
      id: 'new',
      label: 'New page…',
      group: 'Pages',
      words: 'create add',
      chords: ['Mod+N', alt('N')],
      run: () => (workspace.dialog = { kind: 'new', name: '', folder: folderOf(workspace.page ?? '') }),
    },
    {
      id: 'save',
      label: 'Save',
      group: 'Pages',
      chords: ['Mod+S'],
      isPossible: () => workspace.isEditing,
      run: () => void workspace.saveNow(),
    },
    { id: 'attach', label: 'Attach files…', group: 'Pages', words: 'picture image upload insert add attachment', chords: [], isPossible: () => workspace.isEditing, run: () => workspace.chooseFiles() },
    { id: 'rename', label: 'Rename or move page…', group: 'Pages', words: 'title path folder', chords: ['F2'], isPossible: () => isThere() && !isOnRow(), run: withPage((page) => (workspace.dialog = { kind: 'rename', page })) },
    { id: 'delete', label: 'Delete page…', group: 'Pages', words: 'remove trash', chords: [], isPossible: isThere, run: withPage((page) => (workspace.dialog = { kind: 'delete', page })) },
    { id: 'history', label: 'History of page', group: 'Pages', words: 'versions restore former previous git commits differences diff log', chords: [], isPossible: isThere, run: withPage((page) => (workspace.dialog = { kind: 'history', page })) },
    {
      id: 'beside',
      label: workspace.second.isOpen ? 'Close the page beside' : 'Open page beside',
      group: 'View',
      words: 'split pane second two side',
      chords: ['Mod+\\'],
      isPossible: () => workspace.second.isOpen || (isThere() && workspace.second.isPossible),
      run: () => (workspace.second.isOpen ? workspace.closeSecond() : withPage((page) => workspace.openBeside(page))()),
    },
    { id: 'new-tab', label: 'New tab', group: 'Tabs', words: 'open another page', chords: [alt('T')], isPossible: hasPage, run: () => workspace.newTab() },
    { id: 'next-tab', label: 'Next tab', group: 'Tabs', words: 'switch', chords: [alt('PageDown')], isPossible: hasTabs, run: () => void tabs.step(1) },
    { id: 'previous-tab', label: 'Previous tab', group: 'Tabs', words: 'switch', chords: [alt('PageUp')], isPossible: hasTabs, run: () => void tabs.step(-1) },
    { id: 'close-tab', label: 'Close tab', group: 'Tabs', chords: [alt('W')], isPossible: hasTabs, run: () => void tabs.close(navigator.tab) },
    { id: 'close-tabs', label: 'Close other tabs', group: 'Tabs', chords: [], isPossible: hasTabs, run: () => void tabs.closeOthers(navigator.tab) },
    { id: 'reopen-tab', label: 'Reopen closed tab', group: 'Tabs', words: 'undo restore', chords: [alt('Shift+W')], isPossible: () => tabs.canReopen, run: () => void tabs.reopen() },
    { id: 'open-in-editor', label: 'Open page in editor', group: 'Pages', words: 'external vscode code ide file', chords: [], isPossible: () => isThere() && canOpen(workspace), run: withPage((page) => void openInEditor(workspace, page)) },
    { id: 'open-in-tab', label: 'Open page in new tab', group: 'Tabs', words: 'duplicate', chords: [], isPossible: isThere, run: withPage((page) => tabs.open({ page }, true)) },
    { id: 'copy-link', label: 'Copy link to page', group: 'Pages', words: 'clipboard wikilink', chords: [], isPossible: hasPage, run: withPage((page) => void workspace.copy(linkTo(page))) },
    { id: 'copy-path', label: 'Copy path of page', group: 'Pages', words: 'clipboard file name', chords: [], isPossible: hasPage, run: withPage((page) => void workspace.copy(page)) },
    { id: 'restore', label: 'Restore the page', group: 'Pages', words: 'deleted restore recover create', chords: [], isPossible: () => workspace.isEditing && workspace.keepsGone, run: () => void workspace.restore() },
    { id: 'let-go', label: 'Discard text of deleted page', group: 'Pages', words: 'deleted discard forget', chords: [], isPossible: () => workspace.isEditing && workspace.keepsGone, run: () => void workspace.letGo() },
    {
      id: 'favorite',
      label: hasPage() && workspace.favorites.includes(workspace.page ?? '') ? 'Remove from favourites' : 'Add to favourites',
      group: 'Pages',
      words: 'star pin favorite',
      chords: [alt('S')],
      isPossible: hasPage,
      run: withPage((page) => void workspace.toggleFavorite(page)),
    },
    {
      id: 'reviewed',
      label: 'Mark page as reviewed',
      group: 'Pages',
      words: 'fresh accurate stale',
      chords: [],
      isPossible: () => ['stale', 'possibly_stale'].includes(session.details?.staleness ?? ''),
      run: withPage((page) => void workspace.review([page])),
    },
    { id: 'undo', label: 'Undo the last change to pages', group: 'Pages', words: 'undo take back', chords: [alt('U')], isPossible: () => toasts.undoable !== null, run: () => void toasts.undo(toasts.undoable) },
    { ...search, chords: ['Mod+K', '/'] },
    { id: 'back', label: 'Previous page', group: 'Navigation', words: 'back history', chords: onApple ? ['Mod+['] : ['Alt+ArrowLeft'], run: () => history.back() },
    { id: 'forward', label: 'Next page', group: 'Navigation', words: 'forward history', chords: onApple ? ['Mod+]'] : ['Alt+ArrowRight'], run: () => history.forward() },
    {
      id: 'home',
      label: 'Go to home page',
      group: 'Navigation',
      words: 'home start index',
      chords: [alt('H')],
      isPossible: () => session.home !== null,
      run: () => session.home && void navigator.go({ page: session.home }),
    },
    { ...graph, chords: [alt('G'), ...graph.chords] },
    { id: 'review', label: 'Pages to review', group: 'Navigation', words: 'dashboard stale freshness out of date', chords: [alt('R'), 'r'], run: () => navigator.toggle('review') },
    { id: 'problems', label: 'Problems', group: 'Navigation', words: 'doctor broken links check errors warnings orphans wanted', chords: [alt('P')], run: () => navigator.toggle('problems') },
    { id: 'part', label: 'Focus next part', group: 'Navigation', chords: ['F6'], unlisted: true, run: () => focusNextPart(1) },
    { id: 'part-back', label: 'Focus previous part', group: 'Navigation', chords: ['Shift+F6'], unlisted: true, run: () => focusNextPart(-1) },
    { id: 'face', label: workspace.face === 'edit' ? 'Read this page' : 'Edit this page', group: 'View', words: 'read edit preview toggle', chords: ['Mod+E'], isPossible: hasPage, run: () => void workspace.toggleFace() },
    { id: 'properties', label: workspace.properties.isThere ? 'Edit properties' : 'Add properties', group: 'Pages', words: 'front matter yaml metadata tags aliases type', chords: ['Mod+Shift+P'], isPossible: () => workspace.isEditing, run: () => workspace.editor?.editProperties() },
    { id: 'live', label: settings.live ? 'Show Markdown source' : 'Show live preview', group: 'View', words: 'toggle source markdown raw wysiwyg live preview', chords: [alt('L')], isPossible: () => workspace.isEditing, run: () => workspace.toggleLive() },
    // With selected text, Ctrl+B makes it bold.
    { ...sidebar, chords: ['Mod+B', ...sidebar.chords], run: () => workspace.editor?.makeBold() || sidebar.run() },
    { id: 'focus', label: layout.isFocused ? 'Exit focus mode' : 'Focus mode', group: 'View', words: 'toggle zen distraction', chords: ['Mod+Shift+F'], run: () => workspace.toggleFocus() },
    {
      id: 'theme',
      label: 'Change theme',
      group: 'View',
      words: 'toggle dark light',
      chords: [alt('Shift+T')],
      run: () => {
        const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark' || (settings.theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
        settings.theme = isDark ? 'light' : 'dark';
        layout.announce(isDark ? 'Light theme' : 'Dark theme');
      },
    },
    { id: 'settings', label: 'Settings', group: 'View', words: 'font width preferences options', chords: ['Mod+,'], run: () => (layout.layer = 'settings') },
    { id: 'shortcuts', label: 'Keyboard shortcuts', group: 'View', words: 'keys help', chords: ['Mod+/', '?'], everywhere: true, run: () => (layout.layer = layout.layer === 'shortcuts' ? null : 'shortcuts') },
    { id: 'guide', label: 'Quick start guide', group: 'View', words: 'help first steps', chords: [], run: () => (layout.layer = 'guide') },
  ];
}
