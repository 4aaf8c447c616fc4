// Typed links in reading view: the name of the page, and the type as a badge after it.
import { MarkdownRenderChild, type MarkdownPostProcessor } from 'obsidian';
import type { Settings } from '../settings';
import type { LinksOfNotes } from './notes';
import { shownLink, typeBadge } from './shown';

interface Anchor {
  element: HTMLElement;
  target: string;
  /** As Obsidian shows it. */
  label: string;
  badge: HTMLElement | null;
}

class TypedLinks extends MarkdownRenderChild {
  readonly #anchors: Anchor[];
  readonly #links: LinksOfNotes;
  readonly #path: string;
  readonly #settings: () => Settings;

  constructor(container: HTMLElement, anchors: Anchor[], links: LinksOfNotes, path: string, settings: () => Settings) {
    super(container);
    this.#anchors = anchors;
    this.#links = links;
    this.#path = path;
    this.#settings = settings;
  }

  override onload(): void {
    this.register(this.#links.read(this.#path, () => this.#show()));
    this.#show();
  }

  override onunload(): void {
    for (const anchor of this.#anchors) reset(anchor);
  }

  #show(): void {
    const answers = this.#links.of(this.#path);
    for (const anchor of this.#anchors) {
      const link = answers?.link(`[[${anchor.target}|${anchor.label}]]`);
      const shown = link && this.#settings().showTypes ? shownLink(link, anchor.label) : null;
      reset(anchor);
      if (!shown) continue;
      anchor.element.textContent = shown.text;
      if (shown.type === null) continue;
      anchor.element.dataset.ubpType = shown.type;
      anchor.badge = typeBadge(anchor.element.ownerDocument, shown.type);
      anchor.element.after(anchor.badge);
    }
  }
}

function reset(anchor: Anchor): void {
  anchor.badge?.remove();
  anchor.badge = null;
  delete anchor.element.dataset.ubpType;
  if (anchor.element.textContent !== anchor.label) anchor.element.textContent = anchor.label;
}

export function readingView(links: LinksOfNotes, settings: () => Settings): MarkdownPostProcessor {
  return (element, context) => {
    const anchors: Anchor[] = [];
    // Without its text, the section may have been written as a Markdown link, which has no type.
    const written = context.getSectionInfo(element)?.text;
    for (const anchor of element.querySelectorAll<HTMLElement>('a.internal-link')) {
      const [target, label] = [anchor.dataset.href, anchor.textContent];
      if (!target || !label || anchor.childElementCount > 0 || target === label) continue;
      const isWiki = written === undefined || [`[[${target}|${label}]]`, `[[${target}\\|${label}]]`].some((link) => written.includes(link));
      if (isWiki) anchors.push({ element: anchor, target, label, badge: null });
    }
    if (anchors.length > 0) context.addChild(new TypedLinks(element, anchors, links, context.sourcePath, settings));
  };
}
