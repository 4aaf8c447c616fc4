// Parts of the document that no component draws follow the language, too.

/** Runs `show` now, and again whenever something that it reads changes. */
export function follow(show: () => void): void {
  $effect.root(() => {
    $effect(show);
  });
}
