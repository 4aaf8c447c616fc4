// What the user chose. The path of the program is of this device, everything else of the vault.
import { Platform } from 'obsidian';

export interface Settings {
  showTypes: boolean;
  completeTypes: boolean;
  /** Where search by meaning may use memory. */
  meaning: 'desktop' | 'everywhere' | 'never';
}

export const DEFAULTS: Settings = { showTypes: true, completeTypes: true, meaning: 'desktop' };

/** Settings from a file that anybody may have edited. */
export function settingsOf(data: unknown): Settings {
  const given = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
  const flag = (key: 'showTypes' | 'completeTypes') => (typeof given[key] === 'boolean' ? given[key] : DEFAULTS[key]);
  const meaning = given.meaning === 'everywhere' || given.meaning === 'never' ? given.meaning : DEFAULTS.meaning;
  return { showTypes: flag('showTypes'), completeTypes: flag('completeTypes'), meaning };
}

export const usesMeaning = ({ meaning }: Settings): boolean => meaning === 'everywhere' || (meaning === 'desktop' && Platform.isDesktopApp);
