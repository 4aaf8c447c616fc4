// What can be done by key wherever pages are shown, and how keys find what they do.
import type { Navigator } from '../routing/navigator.svelte';
import { layout } from '../state/layout.svelte';
import type { Session } from '../state/session.svelte';
import { settings } from '../state/settings.svelte';
import { isPlain, matches, type Chord } from './keys';

export type Group = 'Pages' | 'Navigation' | 'View';

export interface Command {
  id: string;
  label: string;
  group: Group;
  /** Other words it is found by. */
  words?: string;
  chords: Chord[];
  /** Whether its keys work while something is open over the page. */
  everywhere?: boolean;
  /** Whether it is only a key, too small for the palette. */
  unlisted?: boolean;
  isPossible?: () => boolean;
  run(): void;
}

export function shellCommands(session: Session, navigator: Navigator): Record<'search' | 'sidebar' | 'graph', Command> {
  return {
    search: {
      id: 'search',
      label: 'Search pages, text and commands',
      group: 'Navigation',
      chords: ['Ctrl+K', 'Meta+K', '/'],
      everywhere: true,
      unlisted: true,
      run: () => (layout.layer = layout.layer === 'palette' ? null : 'palette'),
    },
    sidebar: {
      id: 'sidebar',
      label: 'Show or hide the sidebar',
      group: 'View',
      words: 'toggle page list',
      chords: ['['],
      run: () => {
        if (layout.noSide) layout.layer = layout.layer === 'pages' ? null : 'pages';
        else settings.side = !settings.side;
      },
    },
    graph: { id: 'graph', label: 'Graph', group: 'Navigation', words: 'map links', chords: ['g'], isPossible: () => session.phase === 'ready', run: () => navigator.toggle('graph') },
  };
}

const FIELDS = 'input, select, textarea, [contenteditable]';

/** Runs the command that a key stands for. While `isAsked` a question is open, and no key is for anything else. */
export function obey(event: KeyboardEvent, commands: readonly Command[], onApple: boolean, isAsked: boolean): void {
  if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
  for (const command of commands) {
    const chord = command.chords.find((chord) => matches(event, chord, onApple));
    if (!chord) continue;
    if (!isAllowed(command, chord, event.target, isAsked)) {
      // The browser's own meaning, such as saving the page as a file, is never meant here.
      if (!isPlain(chord) && chord !== 'F6') event.preventDefault();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    command.run();
    return;
  }
}

function isAllowed(command: Command, chord: Chord, target: EventTarget | null, isAsked: boolean): boolean {
  if (isPlain(chord) && target instanceof Element && target.closest(FIELDS)) return false;
  if ((isAsked || layout.layer !== null) && (isAsked || !command.everywhere || isPlain(chord))) return false;
  return command.isPossible?.() ?? true;
}
