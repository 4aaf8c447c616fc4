// Shortcuts: one notation, matched on every keyboard layout and displayed in the style of each system.
import { words } from '../words/words';

/** `Mod` is Command on Apple systems and Control elsewhere; the last part is the key. */
export type Chord = string;

interface Parts {
  mod: boolean;
  ctrl: boolean;
  meta: boolean;
  alt: boolean;
  shift: boolean;
  key: string;
}

export type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

export function isApple(userAgent: string): boolean {
  return /Mac|iPhone|iPad/.test(userAgent);
}

/** A key with Alt. On Apple keyboards, Alt with a key types a character, and browsers use it: Control is added there. */
export function withAlt(key: string, onApple: boolean): Chord {
  return onApple ? `Ctrl+Alt+${key}` : `Alt+${key}`;
}

function partsOf(chord: Chord): Parts {
  const words = chord.split('+');
  // The plus key is written `Mod++`.
  const key = words.pop() || '+';
  return { mod: words.includes('Mod'), ctrl: words.includes('Ctrl'), meta: words.includes('Meta'), alt: words.includes('Alt'), shift: words.includes('Shift'), key };
}

/** Whether it is a key without modifiers, and so must be ignored during typing. */
export function isPlain(chord: Chord): boolean {
  const { mod, ctrl, meta, alt, key } = partsOf(chord);
  return !mod && !ctrl && !meta && !alt && key.length === 1;
}

export function matches(event: Pressed, chord: Chord, onApple: boolean): boolean {
  const parts = partsOf(chord);
  const ctrl = parts.ctrl || (parts.mod && !onApple);
  const meta = parts.meta || (parts.mod && onApple);
  if (event.ctrlKey !== ctrl || event.metaKey !== meta || event.altKey !== parts.alt) return false;
  const isLetter = /^[A-Z]$/.test(parts.key);
  // The position of symbols, and whether they need Shift, depends on the layout.
  if ((isLetter || parts.key.length > 1) && event.shiftKey !== parts.shift) return false;
  if (event.key.toLowerCase() === parts.key.toLowerCase()) return true;
  // On Apple keyboards Alt produces other characters, and keyboards of other scripts have no Latin letters.
  return isLetter && event.code === `Key${parts.key}` && (parts.alt || !/^[a-z]$/i.test(event.key));
}

const APPLE: Record<string, string> = { Mod: '⌘', Ctrl: '⌃', Alt: '⌥', Shift: '⇧' };
const ELSEWHERE: Record<string, string> = { Mod: 'Ctrl' };
const NAMES: Record<string, string> = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc', Enter: '↵', Backspace: '⌫' };

/** The keys to press, one by one. */
export function caps(chord: Chord, onApple: boolean): string[] {
  const modifiers = chord.split('+');
  const key = modifiers.pop() || '+';
  return [...modifiers.map((name) => (onApple ? APPLE : ELSEWHERE)[name] ?? name), key === 'click' ? words.shell.click : (NAMES[key] ?? key)];
}

/** For use in a text. */
export function inWords(chord: Chord, onApple: boolean): string {
  return caps(chord, onApple).join(onApple ? '' : '+');
}

/** For `aria-keyshortcuts`. */
export function forAria(chords: readonly Chord[], onApple: boolean): string {
  return chords.map((chord) => chord.replace('Mod', onApple ? 'Meta' : 'Control').replace('Ctrl', 'Control')).join(' ');
}
