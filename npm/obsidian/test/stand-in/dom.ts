// The methods that Obsidian adds to elements, as far as the plugin uses them. Others are missing, so using them fails.

function filled<T extends Element>(element: T, options: DomElementInfo | string | undefined, parent: Node | null): T {
  const { cls, text, attr, title, type, placeholder, href, value } = typeof options === 'string' ? { cls: options } : (options ?? {});
  if (cls) element.classList.add(...(Array.isArray(cls) ? cls : cls.split(' ')));
  if (text !== undefined) element.append(text);
  const attributes = { title, type, placeholder, href, value, ...attr };
  for (const [name, given] of Object.entries(attributes)) if (given !== undefined && given !== null) element.setAttribute(name, String(given));
  parent?.appendChild(element);
  return element;
}

export function extendElements(): void {
  const node = Node.prototype as Node & Record<string, unknown>;
  const create = function (this: Node, tag: string, options?: DomElementInfo | string) {
    return filled(document.createElement(tag), options, this);
  };
  Object.assign(node, {
    createEl: create,
    createDiv(this: Node, options?: DomElementInfo | string) {
      return create.call(this, 'div', options);
    },
    createSpan(this: Node, options?: DomElementInfo | string) {
      return create.call(this, 'span', options);
    },
    empty(this: Element) {
      this.replaceChildren();
    },
  });
  Object.assign(Element.prototype, {
    addClass(this: Element, ...classes: string[]) {
      this.classList.add(...classes);
    },
    removeClass(this: Element, ...classes: string[]) {
      this.classList.remove(...classes);
    },
    toggleClass(this: Element, name: string, value: boolean) {
      this.classList.toggle(name, value);
    },
    hasClass(this: Element, name: string) {
      return this.classList.contains(name);
    },
    setText(this: Element, text: string) {
      this.textContent = text;
    },
    setAttr(this: Element, name: string, value: string | number | boolean | null) {
      if (value === null) this.removeAttribute(name);
      else this.setAttribute(name, String(value));
    },
  });
}
