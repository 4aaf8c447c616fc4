// All commands: listed in the palette, run by shortcuts, shown in the list of shortcuts.
import { hubCommands, named, shellCommands, type Command } from '../shell/commands';
import { withAlt } from '../shell/keys';
import { layout } from '../state/layout.svelte';
import { settings } from '../state/settings.svelte';
import { folderOf } from '../text/paths';
import { canOpen, openInEditor } from './opener';
import { focusNextPart } from './parts';
import { subjectOf } from './side/rows';
import { toasts } from './toasts.svelte';
import { linkTo, type Workspace } from './workspace.svelte';
import type { OperationName } from '#contract';
import english from '../words/en/writer';
import { writing } from '../words/writing';

export function commandsOf(workspace: Workspace): Command[] {
  const { session, navigator, tabs, onApple } = workspace;
  const alt = (key: string) => withAlt(key, onApple);
  const hasPage = () => workspace.page !== null;
  // Names resolve to the best match, so an action on a deleted page would affect another page.
  const isThere = () => workspace.isThere;
  const withPage = (run: (page: string) => void) => () => {
    if (workspace.page !== null) run(workspace.page);
  };
  const hasTabs = () => tabs.list.length > 1;
  // There, the key renames the page of the row.
  const isOnRow = () => subjectOf(document.activeElement) !== null;
  const isReviewing = navigator.place.view.kind === 'proposals' || navigator.place.view.kind === 'queue';
  const { search, sidebar, graph } = shellCommands(session, navigator);
  const say = (id: keyof typeof english.commands) => named(id, writing.commands, english.commands);

  const commands: Command[] = [
    {
      id: 'new',
      ...say('new'),
      group: 'pages',
      chords: ['Mod+N', alt('N')],
      run: () => (workspace.dialog = { kind: 'new', name: '', folder: folderOf(workspace.page ?? '') }),
    },
    {
      id: 'save',
      ...say('save'),
      group: 'pages',
      chords: ['Mod+S'],
      isPossible: () => workspace.isEditing,
      run: () => void workspace.saveNow(),
    },
    { id: 'attach', ...say('attach'), group: 'pages', chords: [], isPossible: () => workspace.isEditing, run: () => workspace.chooseFiles() },
    { id: 'rename', ...say('rename'), group: 'pages', chords: ['F2'], isPossible: () => isThere() && !isOnRow(), run: withPage((page) => (workspace.dialog = { kind: 'rename', page })) },
    { id: 'delete', ...say('delete'), group: 'pages', chords: [], isPossible: isThere, run: withPage((page) => (workspace.dialog = { kind: 'delete', page })) },
    { id: 'history', ...say('history'), group: 'pages', chords: [], isPossible: isThere, run: withPage((page) => (workspace.dialog = { kind: 'history', page })) },
    { id: 'as-agent', ...say('asAgent'), group: 'pages', chords: [], isPossible: isThere, run: withPage((page) => (workspace.dialog = { kind: 'as-agent', page })) },
    {
      id: 'beside',
      ...say(workspace.second.isOpen ? 'closeBeside' : 'beside'),
      group: 'view',
      chords: ['Mod+\\'],
      isPossible: () => workspace.second.isOpen || (isThere() && workspace.second.isPossible),
      run: () => (workspace.second.isOpen ? workspace.closeSecond() : withPage((page) => workspace.openBeside(page))()),
    },
    { id: 'new-tab', ...say('newTab'), group: 'tabs', chords: [alt('Shift+N')], isPossible: hasPage, run: () => workspace.newTab() },
    { id: 'next-tab', ...say('nextTab'), group: 'tabs', chords: [alt('PageDown')], isPossible: hasTabs, run: () => void tabs.step(1) },
    { id: 'previous-tab', ...say('previousTab'), group: 'tabs', chords: [alt('PageUp')], isPossible: hasTabs, run: () => void tabs.step(-1) },
    { id: 'close-tab', ...say('closeTab'), group: 'tabs', chords: [alt('W')], isPossible: hasTabs, run: () => void tabs.close(navigator.tab) },
    { id: 'close-tabs', ...say('closeTabs'), group: 'tabs', chords: [], isPossible: hasTabs, run: () => void tabs.closeOthers(navigator.tab) },
    { id: 'reopen-tab', ...say('reopenTab'), group: 'tabs', chords: [alt('Shift+W')], isPossible: () => tabs.canReopen, run: () => void tabs.reopen() },
    { id: 'open-in-editor', ...say('openInEditor'), group: 'pages', chords: [], isPossible: () => isThere() && canOpen(workspace), run: withPage((page) => void openInEditor(workspace, page)) },
    { id: 'open-in-tab', ...say('openInTab'), group: 'tabs', chords: [], isPossible: isThere, run: withPage((page) => tabs.open({ page }, true)) },
    { id: 'comment', ...say('comment'), group: 'pages', chords: ['Mod+Alt+M'], isPossible: isThere, run: () => void workspace.comment() },
    { id: 'comments', ...say('comments'), group: 'view', chords: [alt('C')], isPossible: hasPage, run: () => (workspace.comments.isOpen = !workspace.comments.isOpen) },
    { id: 'copy-link', ...say('copyLink'), group: 'pages', chords: [], isPossible: hasPage, run: withPage((page) => void workspace.copy(linkTo(page))) },
    { id: 'copy-path', ...say('copyPath'), group: 'pages', chords: [], isPossible: hasPage, run: withPage((page) => void workspace.copy(page)) },
    { id: 'restore', ...say('restore'), group: 'pages', chords: [], isPossible: () => workspace.isEditing && workspace.keepsGone, run: () => void workspace.restore() },
    { id: 'let-go', ...say('letGo'), group: 'pages', chords: [], isPossible: () => workspace.isEditing && workspace.keepsGone, run: () => void workspace.letGo() },
    {
      id: 'favorite',
      ...say(hasPage() && workspace.favorites.includes(workspace.page ?? '') ? 'unfavourite' : 'favourite'),
      group: 'pages',
      chords: [alt('S')],
      isPossible: hasPage,
      run: withPage((page) => void workspace.toggleFavorite(page)),
    },
    {
      id: 'reviewed',
      ...say('reviewed'),
      group: 'pages',
      chords: [],
      isPossible: () => ['stale', 'possibly_stale'].includes(session.details?.staleness ?? ''),
      run: withPage((page) => void workspace.review([page])),
    },
    { id: 'undo', ...say('undo'), group: 'pages', chords: [alt('U')], isPossible: () => toasts.undoable !== null, run: () => void toasts.undo(toasts.undoable) },
    { ...search, chords: ['Mod+K', '/'] },
    { id: 'back', ...say('back'), group: 'navigation', chords: onApple ? ['Mod+['] : ['Alt+ArrowLeft'], run: () => history.back() },
    { id: 'forward', ...say('forward'), group: 'navigation', chords: onApple ? ['Mod+]'] : ['Alt+ArrowRight'], run: () => history.forward() },
    {
      id: 'home',
      ...say('home'),
      group: 'navigation',
      chords: [alt('H')],
      isPossible: () => session.home !== null,
      run: () => session.home && void navigator.go({ page: session.home }),
    },
    ...hubCommands(session, onApple),
    { ...graph, chords: [alt('G'), ...graph.chords] },
    // Among proposals, the letter rejects.
    { id: 'review', ...say('review'), group: 'navigation', chords: [alt('R'), ...(isReviewing ? [] : ['r'])], run: () => navigator.toggle('review') },
    { id: 'problems', ...say('problems'), group: 'navigation', chords: [alt('P')], run: () => navigator.toggle('problems') },
    { id: 'queue', ...say('queue'), group: 'navigation', chords: [alt('Shift+Q'), 'q'], run: () => navigator.toggle('queue') },
    { id: 'proposals', ...say('proposals'), group: 'navigation', chords: [alt('Shift+P'), 'p'], run: () => navigator.toggle('proposals') },
    { id: 'sessions', ...say('sessions'), group: 'navigation', chords: [alt('Shift+A')], run: () => navigator.toggle('sessions') },
    { id: 'part', ...say('part'), group: 'navigation', chords: ['F6'], unlisted: true, run: () => focusNextPart(1) },
    { id: 'part-back', ...say('partBack'), group: 'navigation', chords: ['Shift+F6'], unlisted: true, run: () => focusNextPart(-1) },
    { id: 'face', ...say(workspace.face === 'edit' ? 'read' : 'edit'), group: 'view', chords: ['Mod+E'], isPossible: hasPage, run: () => void workspace.toggleFace() },
    { id: 'properties', ...say(workspace.properties.isThere ? 'editProperties' : 'addProperties'), group: 'pages', chords: ['Mod+Shift+P'], isPossible: () => workspace.isEditing, run: () => workspace.editor?.editProperties() },
    { id: 'live', ...say(settings.live ? 'source' : 'live'), group: 'view', chords: [alt('L')], isPossible: () => workspace.isEditing, run: () => workspace.toggleLive() },
    // With selected text, Ctrl+B makes it bold.
    { ...sidebar, chords: ['Mod+B', ...sidebar.chords], run: () => workspace.editor?.makeBold() || sidebar.run() },
    { id: 'focus', ...say(layout.isFocused ? 'exitFocus' : 'focus'), group: 'view', chords: ['Mod+Shift+F'], run: () => workspace.toggleFocus() },
    {
      id: 'theme',
      ...say('theme'),
      group: 'view',
      chords: [alt('Shift+T')],
      run: () => {
        const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark' || (settings.theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
        settings.theme = isDark ? 'light' : 'dark';
        layout.announce(isDark ? writing.notices.light : writing.notices.dark);
      },
    },
    { id: 'settings', ...say('settings'), group: 'view', chords: ['Mod+,'], run: () => (layout.layer = 'settings') },
    { id: 'shortcuts', ...say('shortcuts'), group: 'view', chords: ['Mod+/', '?'], everywhere: true, run: () => (layout.layer = layout.layer === 'shortcuts' ? null : 'shortcuts') },
    { id: 'guide', ...say('guide'), group: 'view', chords: [], run: () => (layout.layer = 'guide') },
  ];
  return commands.filter(({ id }) => {
    const needs = NEEDS[id];
    return needs === undefined || workspace.may(needs);
  });
}

/** Operations that commands need, which guests may not be allowed to call. */
const NEEDS: Partial<Record<string, OperationName>> = {
  new: 'create_page',
  save: 'save_page',
  rename: 'rename_page',
  delete: 'delete_page',
  restore: 'save_page',
  'let-go': 'save_page',
  face: 'save_page',
  properties: 'save_page',
  live: 'save_page',
  guide: 'save_page',
  proposals: 'list_proposals',
  comment: 'add_comment',
  comments: 'list_comments',
  attach: 'add_attachment',
  history: 'page_history',
  'as-agent': 'preview_answer',
  favorite: 'favorites',
  reviewed: 'review_page',
  undo: 'undo',
  review: 'check_staleness',
  problems: 'doctor',
  queue: 'queue',
  sessions: 'list_sessions',
};
