// Which heading the reader is below.
import type { Shown } from '../state/session.svelte';

/** Room of the bar, and a little more: a heading there counts as reached. */
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
        // Where the page is edited, the article is out of sight.
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
