// What no component draws follows the language, too.
import { untrack } from 'svelte';
import { language } from './language.svelte';

/** Runs `show` now, and again whenever something that it reads changes. */
export function follow(show: () => void): void {
  $effect.root(() => {
    $effect(show);
  });
}

/** Runs `act` after each change of the language. */
export function afterLanguage(act: () => void): void {
  let spoken = language();
  follow(() => {
    if (language() === spoken) return;
    spoken = language();
    untrack(act);
  });
}
