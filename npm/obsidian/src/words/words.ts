// The words of the plugin, in the language of Obsidian: English or Japanese.
import { getLanguage } from 'obsidian';
import { speak } from '../../../../web-viewer/src/words/language.svelte';
import { english, type Words } from './en';
import { japanese } from './ja';

export let words: Words = english;

/** Follows the language of Obsidian, which changes only when it restarts. */
export async function speakAsObsidian(): Promise<void> {
  if (getLanguage() !== 'ja') {
    words = english;
    return;
  }
  words = japanese;
  // The messages of the engine.
  await speak('ja');
}
