// Commands available wherever pages are shown, and the lookup of commands by shortcut.
import type { Navigator } from '../routing/navigator.svelte';
import { layout } from '../state/layout.svelte';
import type { Session } from '../state/session.svelte';
import { settings } from '../state/settings.svelte';
import english from '../words/en/reader';
import { isPlain, matches, withAlt, type Chord } from './keys';
import { words } from '../words/words';

export type Group = 'pages' | 'tabs' | 'navigation' | 'view';

export interface Command {
  id: string;
  label: string;
  group: Group;
  /** Its label in English, by which it is also found. */
  english: string;
  /** Other words to find it by, in the language of the interface and in English. */
  words: string;
  chords: Chord[];
  /** Whether its shortcut works while a layer is open. */
  everywhere?: boolean;
  /** Whether it is only a shortcut, not listed in the palette. */
  unlisted?: boolean;
  isPossible?: () => boolean;
  run(): void;
}

type Named = Record<string, { label: string; words: string }>;

/** A command in the language of the interface, which is also found by its English words. */
export function named<Names extends Named>(id: keyof Names & string, now: Names, english: Names): Pick<Command, 'label' | 'english' | 'words'> {
  const [shown, meant] = [now[id], english[id]] as [Named[string], Named[string]];
  return { label: shown.label, english: meant.label, words: shown === meant ? shown.words : `${shown.words} ${meant.words}` };
}

/** Commands where a hub shows several projects. */
export function hubCommands({ site }: Session, onApple: boolean): Command[] {
  if (!site.hub) return [];
  const { root } = site.hub;
  const say = (id: keyof typeof english.hub.commands) => named(id, words.hub.commands, english.hub.commands);
  return [
    { id: 'projects', ...say('projects'), group: 'navigation', chords: [withAlt('O', onApple)], everywhere: true, run: () => (layout.layer = layout.layer === 'projects' ? null : 'projects') },
    { id: 'all-projects', ...say('all'), group: 'navigation', chords: [], run: () => location.assign(root) },
  ];
}

export function shellCommands(session: Session, navigator: Navigator): Record<'search' | 'sidebar' | 'graph', Command> {
  return {
    search: {
      id: 'search',
      ...named('search', words.shell.commands, english.shell.commands),
      group: 'navigation',
      chords: ['Ctrl+K', 'Meta+K', '/'],
      everywhere: true,
      unlisted: true,
      run: () => (layout.layer = layout.layer === 'palette' ? null : 'palette'),
    },
    sidebar: {
      id: 'sidebar',
      ...named('sidebar', words.shell.commands, english.shell.commands),
      group: 'view',
      chords: ['['],
      run: () => {
        if (layout.noSide) layout.layer = layout.layer === 'pages' ? null : 'pages';
        else settings.side = !settings.side;
      },
    },
    graph: { id: 'graph', ...named('graph', words.shell.commands, english.shell.commands), group: 'navigation', chords: ['g'], isPossible: () => session.phase === 'ready', run: () => navigator.toggle('graph') },
  };
}

const FIELDS = 'input, select, textarea, [contenteditable], [role=menu]';

/** Runs the command of a shortcut. While `isAsked`, a dialog is open and shortcuts are disabled. */
export function obey(event: KeyboardEvent, commands: () => readonly Command[], onApple: boolean, isAsked: boolean): void {
  if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
  const isLoading = (isAsked || layout.layer !== null) && document.querySelector('dialog:modal') === null;
  if (!isLoading && isTyping(event)) return;
  for (const command of commands()) {
    const chord = command.chords.find((chord) => matches(event, chord, onApple));
    if (!chord) continue;
    if (!isAllowed(command, chord, isAsked)) {
      // Prevents the browser's default action, such as saving the page as a file.
      if (!isPlain(chord) && chord !== 'F6') event.preventDefault();
      break;
    }
    event.preventDefault();
    event.stopPropagation();
    command.run();
    return;
  }
  if (isLoading) withhold(event);
}

/** While the code of a layer or dialog is loading, the page still has the focus, but keys are not meant for it. */
function withhold(event: KeyboardEvent): void {
  // Those of the browser, such as reloading, keep their effect.
  if (event.ctrlKey || event.metaKey || /^F\d/.test(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.key === 'Escape') layout.layer = null;
}

function isTyping({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey && target instanceof Element && target.closest(FIELDS) !== null;
}

function isAllowed(command: Command, chord: Chord, isAsked: boolean): boolean {
  if ((isAsked || layout.layer !== null) && (isAsked || !command.everywhere || isPlain(chord))) return false;
  return command.isPossible?.() ?? true;
}
