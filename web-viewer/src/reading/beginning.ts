// The part of a page that a preview shows.

const PARTS = 6;

/** The first parts of a page, or of the section `anchor`; without ids, so that none is duplicated. */
export function beginning(page: DocumentFragment, anchor: string, pageUrl: URL): DocumentFragment {
  const part = document.createDocumentFragment();
  const target = anchor ? page.getElementById(anchor) : null;
  const from = target ? topmost(target, page) : page.firstElementChild;
  for (let next = from; next && part.childElementCount < PARTS; ) {
    const element: Element = next;
    next = element.nextElementSibling;
    part.append(element);
  }
  for (const element of part.querySelectorAll('[id]')) element.removeAttribute('id');
  // A preview is not interactive; its links can be used on the page itself.
  for (const link of part.querySelectorAll('a')) link.removeAttribute('href');
  for (const box of part.querySelectorAll('input')) box.remove();
  for (const picture of part.querySelectorAll('img[src]')) {
    const src = picture.getAttribute('src') ?? '';
    picture.setAttribute('src', URL.canParse(src) ? src : new URL(src, pageUrl).href);
  }
  return part;
}

function topmost(element: Element, page: DocumentFragment): Element {
  let top = element;
  while (top.parentNode && top.parentNode !== page) top = top.parentNode as Element;
  return top;
}
