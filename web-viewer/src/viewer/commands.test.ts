import { describe, expect, it, vi } from 'vitest';
import { conflictKeys } from '../editor/conflict';
import { formats } from '../editor/formatting';
import type { Workspace } from './workspace.svelte';

vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }));
const { commandsOf } = await import('./commands');

/** Has every property, and can be called. */
const anything: unknown = new Proxy(() => anything, { get: (_, name) => (name === Symbol.toPrimitive ? () => '' : anything) });

const workspaceOn = (onApple: boolean) => new Proxy({}, { get: (_, name) => (name === 'onApple' ? onApple : anything) }) as Workspace;

/** The same notation for the keys of commands and of the editor. */
const spelled = (key: string) => key.split(/[+-](?=.)/).map((part) => part.toLowerCase()).sort().join('+');

describe.each([true, false])('the keys of the viewer, on Apple systems: %s', (onApple) => {
  const chords = commandsOf(workspaceOn(onApple)).flatMap(({ id, chords }) => chords.map((chord) => `${spelled(chord)} ${id}`));

  it('are those of one command each', () => {
    const taken = chords.map((line) => line.split(' ')[0]);
    expect(chords.filter((line) => taken.filter((key) => key === line.split(' ')[0]).length > 1)).toEqual([]);
  });

  it('leave the editor its own', () => {
    const inConflicts = conflictKeys.map(({ key, mac }) => (onApple && mac ? mac : key));
    const own = [...formats.map(({ key }) => key), ...inConflicts].map(spelled);
    expect(own.length).toBeGreaterThan(6);
    expect(chords.filter((line) => own.includes(line.split(' ')[0] ?? ''))).toEqual([]);
  });
});
