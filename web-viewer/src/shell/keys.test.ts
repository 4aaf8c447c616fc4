import { describe, expect, it } from 'vitest';
import { caps, forAria, isPlain, matches, type Pressed } from './keys';

const pressed = (key: string, held: Partial<Pressed> = {}): Pressed => ({ key, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });

describe('a shortcut', () => {
  it('uses Command on Apple systems and Control elsewhere', () => {
    expect(matches(pressed('k', { ctrlKey: true }), 'Mod+K', false)).toBe(true);
    expect(matches(pressed('k', { ctrlKey: true }), 'Mod+K', true)).toBe(false);
    expect(matches(pressed('k', { metaKey: true }), 'Mod+K', true)).toBe(true);
    for (const onApple of [true, false]) expect(matches(pressed('k', { metaKey: true }), 'Meta+K', onApple)).toBe(true);
  });

  it('does not match with additional modifiers', () => {
    expect(matches(pressed('F', { ctrlKey: true, shiftKey: true }), 'Mod+Shift+F', false)).toBe(true);
    expect(matches(pressed('F', { ctrlKey: true, shiftKey: true }), 'Mod+F', false)).toBe(false);
    expect(matches(pressed('n', { altKey: true, ctrlKey: true }), 'Alt+N', false)).toBe(false);
  });

  it('matches if Alt or another script produces another character', () => {
    expect(matches(pressed('Dead', { code: 'KeyN', altKey: true, ctrlKey: true }), 'Ctrl+Alt+N', true)).toBe(true);
    expect(matches(pressed('л', { code: 'KeyK', ctrlKey: true }), 'Mod+K', false)).toBe(true);
    // On Dvorak, the character counts, not the position.
    expect(matches(pressed('t', { code: 'KeyK', ctrlKey: true }), 'Mod+K', false)).toBe(false);
  });

  it('finds symbols on any keyboard layout', () => {
    expect(matches(pressed('/', { ctrlKey: true, shiftKey: true, code: 'Digit7' }), 'Mod+/', false)).toBe(true);
    expect(matches(pressed('?', { shiftKey: true }), '?', false)).toBe(true);
  });

  it('knows whether it is a single character', () => {
    expect(['g', '?', 'F2', 'Mod+K'].map(isPlain)).toEqual([true, true, false, false]);
  });

  it('is displayed in the style of the system', () => {
    expect(caps('Mod+Shift+F', true)).toEqual(['⌘', '⇧', 'F']);
    expect(caps('Mod+Shift+F', false)).toEqual(['Ctrl', 'Shift', 'F']);
    expect(caps('Alt+ArrowLeft', false)).toEqual(['Alt', '←']);
    expect(forAria(['Mod+K', '/'], false)).toBe('Control+K /');
  });
});
