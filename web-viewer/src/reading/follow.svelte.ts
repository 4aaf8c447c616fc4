// The current heading while scrolling.
import type { Shown } from '../state/session.svelte';

/** Height of the bar and some tolerance: a heading above this line is current. */
const REACHED = 96;

export function followReading(headings: () => Shown['headings']): { readonly slug: string | null } {
  let slug = $state<string | null>(null);
  $effect(() => {
    const followed = headings();
    let asked = false;
    const look = () => {
      asked = false;
      let reached: string | null = null;
      const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2 && scrollY > 0;
      for (const heading of followed) {
        const element = document.getElementById(heading.slug);
        // In editing mode, the article is hidden.
        if (element && element.getClientRects().length > 0 && (element.getBoundingClientRect().top <= REACHED || (atEnd && element.getBoundingClientRect().top < innerHeight / 2))) reached = heading.slug;
      }
      slug = reached;
    };
    const ask = () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', ask, { passive: true });
    addEventListener('resize', ask);
    return () => {
      removeEventListener('scroll', ask);
      removeEventListener('resize', ask);
    };
  });
  return {
    get slug() {
      return slug;
    },
  };
}
