// The article of the page. It exists before any script runs, so it is updated by hand and never mounted again.
import type { GetPageOutput, RenderPageOutput } from '#contract';
import { fragment } from '../routing/urls';
import { improve } from './blocks';
import { facts } from './facts';
import { words } from '../words/words';

/** Resolves the addresses of links and files of a page in this app. */
export interface Addresses {
  /** The address of a page, if its own address is not correct here. */
  page(path: string, anchor: string): string | undefined;
  file(path: string): string | undefined;
  /** The address of a view of a source file; absent where files cannot be shown. */
  source?(path: string, lines: string): string;
  /** Looks for the pages of these broken links in other projects; absent without a hub. */
  elsewhere?(links: HTMLAnchorElement[]): void;
  /** Whether tasks of the page can be ticked. */
  readonly ticks: boolean;
  /** What the page's relative addresses are relative to, if not to the document. */
  readonly base?: URL;
}

/** A page to show. Pages of a published site come with the HTML that the site has around them. */
export type Rendered = RenderPageOutput & { way?: string; foot?: string };

export function articleOf(main: HTMLElement): HTMLElement | null {
  return main.querySelector<HTMLElement>(':scope > article.page');
}

/** Replaces the article. Its links are relative to the document's address, which must be set first. */
export function show(main: HTMLElement, page: Rendered, addresses: Addresses): HTMLElement {
  const article = document.createElement('article');
  article.className = 'page';
  article.dataset['page'] = page.filepath;
  const header = document.createElement('header');
  header.className = 'page-header';
  const title = document.createElement('h1');
  title.textContent = page.title;
  if (page.way) header.append(parsed(page.way, addresses));
  header.append(title);
  const prose = document.createElement('div');
  prose.className = 'prose';
  prose.append(parsed(page.html, addresses));
  article.append(header, prose);
  if (page.foot) article.append(parsed(page.foot, addresses));
  main.replaceChildren(article);
  written.set(article, { html: page.html });
  enhance(article, addresses);
  return article;
}

/** The parts of each article before `enhance`, which keeps their number and order. */
const written = new WeakMap<HTMLElement, string[] | { html: string }>();

/** Records the parts of an article that came with the document. */
export function remember(article: HTMLElement): void {
  written.set(article, blocks(article.querySelector('.prose')));
}

function blocks(parent: ParentNode | null): string[] {
  return [...(parent?.children ?? [])].map((block) => block.outerHTML);
}

/** Replaces only changed parts, so that scroll position, selection and focus in all others are kept. */
export function update(article: HTMLElement, page: RenderPageOutput, addresses: Addresses): void {
  const title = article.querySelector('.page-header h1');
  if (title && title.textContent !== page.title) title.textContent = page.title;
  const prose = article.querySelector<HTMLElement>('.prose');
  if (!prose) return;
  const source = written.get(article) ?? [];
  const before = Array.isArray(source) ? source : blocks(parsed(source.html, addresses));
  const fragment = parsed(page.html, addresses);
  const now = blocks(fragment);
  let start = 0;
  while (start < before.length && start < now.length && before[start] === now[start]) start++;
  let end = 0;
  while (end < before.length - start && end < now.length - start && before[before.length - 1 - end] === now[now.length - 1 - end]) end++;
  // A box that was ticked, and undone before the page was rendered again, is in a block that has not changed.
  for (const box of prose.querySelectorAll<HTMLInputElement>('.task')) box.checked = box.defaultChecked;
  if (start === before.length && start === now.length) return;
  const fresh = [...fragment.children].slice(start, now.length - end);
  const outdated = [...prose.children].slice(start, before.length - end);
  const next = prose.children[before.length - end] ?? null;
  for (const block of outdated) block.remove();
  for (const block of fresh) prose.insertBefore(block, next);
  written.set(article, now);
  enhance(article, addresses, fresh);
}

/** Parses the HTML of `render_page` without loading anything, and corrects addresses. */
export function parsed(html: string, addresses: Addresses): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html;
  for (const link of template.content.querySelectorAll<HTMLAnchorElement>('a.link[data-page]')) {
    const anchor = /#(.*)$/s.exec(link.getAttribute('href') ?? '')?.[1] ?? '';
    const href = addresses.page(link.dataset['page'] ?? '', anchor);
    if (href !== undefined) link.setAttribute('href', href);
  }
  for (const element of template.content.querySelectorAll<HTMLElement>('[data-file]')) {
    const url = addresses.file(element.dataset['file'] ?? '');
    if (url !== undefined) element.setAttribute(element.hasAttribute('src') ? 'src' : 'href', url);
  }
  if (addresses.base) {
    for (const name of ['src', 'href']) {
      for (const element of template.content.querySelectorAll(`[${name}]:not([${name}^="#"])`)) {
        const address = element.getAttribute(name) ?? '';
        if (URL.canParse(address, addresses.base)) element.setAttribute(name, new URL(address, addresses.base).href);
      }
    }
  }
  return template.content;
}

/** Adds what needs scripts: colours of code, diagrams, keyboard scrolling of wide parts, links to sections. */
export function enhance(article: HTMLElement, { ticks, source, elsewhere }: Addresses, only?: readonly Element[]): void {
  const isMeant = (element: Element) => !only || only.some((block) => block.contains(element));
  for (const table of [...article.querySelectorAll<HTMLTableElement>('.prose table')].filter(isMeant)) {
    const scroller = document.createElement('div');
    scroller.className = 'scroller';
    table.replaceWith(scroller);
    scroller.append(table);
  }
  if (source) {
    for (const code of [...article.querySelectorAll<HTMLElement>('.prose code.source[data-source]')].filter((code) => isMeant(code) && !code.closest('a'))) {
      const link = document.createElement('a');
      const path = code.dataset['source'] ?? '';
      link.className = 'to-source';
      link.dataset['projectFile'] = path;
      link.href = source(path, code.dataset['lines'] ?? '');
      code.replaceWith(link);
      link.append(code);
    }
  }
  elsewhere?.([...article.querySelectorAll<HTMLAnchorElement>('.prose a.missing[data-target*=":"]')].filter(isMeant));
  if (ticks) for (const box of article.querySelectorAll<HTMLInputElement>('.prose .task[data-line]')) box.disabled = false;
  void improve([...article.querySelectorAll<HTMLElement>('.prose pre > code[class*="language-"]')].filter(isMeant));
  for (const wide of article.querySelectorAll<HTMLElement>('.prose :is(pre, .scroller)')) {
    if (wide.hasAttribute('tabindex') || wide.scrollWidth <= wide.clientWidth) continue;
    wide.tabIndex = 0;
    wide.setAttribute('role', 'region');
    wide.setAttribute('aria-label', wide.matches('pre') ? words.reading.code : words.reading.table);
  }
  for (const heading of [...article.querySelectorAll<HTMLElement>('.prose > :is(h1, h2, h3, h4, h5, h6)[id]')].filter(isMeant)) {
    const anchor = document.createElement('a');
    anchor.className = 'heading-anchor';
    anchor.href = `#${fragment(heading.id)}`;
    anchor.textContent = '#';
    // Hidden from the keyboard and screen readers, because the outline has the same links.
    anchor.tabIndex = -1;
    anchor.setAttribute('aria-hidden', 'true');
    heading.prepend(anchor);
  }
}

/** The line of facts below the title. */
export function showFacts(article: HTMLElement, page: GetPageOutput): void {
  const header = article.querySelector('.page-header');
  if (!header) return;
  const line = document.createElement('p');
  line.className = 'page-facts';
  for (const fact of facts(page)) {
    const isTag = fact.kind === 'tag';
    const part = document.createElement(isTag ? 'button' : 'span');
    part.className = fact.kind;
    part.textContent = isTag ? `#${fact.text}` : fact.text;
    if (isTag) {
      // The navigator shows the pages with this tag.
      part.dataset['tag'] = fact.text;
      part.title = words.reading.withTag(fact.text);
    }
    line.append(part);
  }
  header.querySelector('.page-facts')?.remove();
  header.append(line);
  const language = page.front_matter['lang'];
  if (typeof language === 'string') article.lang = language;
}

/** The headings of a page that came with the document. Their lines are unknown. */
export function headingsOf(article: HTMLElement): RenderPageOutput['headings'] {
  return [...article.querySelectorAll<HTMLElement>('.prose > :is(h1, h2, h3, h4, h5, h6)[id]')].map((heading) => ({
    level: Number(heading.localName.slice(1)),
    text: heading.textContent ?? '',
    slug: heading.id,
    line: 0,
  }));
}
