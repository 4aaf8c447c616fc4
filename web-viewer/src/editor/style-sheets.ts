// CodeMirror makes its styles at run time as `style` elements, which the content security policy forbids. Constructed
// style sheets are scripts' own doing and allowed, so that the policy stays as strict as it is.
import { StyleModule } from 'style-mod';

const adopted = new WeakMap<StyleModule, CSSStyleSheet>();

function mount(root: Document | ShadowRoot, modules: StyleModule | readonly StyleModule[]): void {
  const list = Array.isArray(modules) ? (modules as readonly StyleModule[]) : [modules as StyleModule];
  const sheets = list.map((module) => {
    let sheet = adopted.get(module);
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(module.getRules());
      adopted.set(module, sheet);
    }
    return sheet;
  });
  const added = sheets.filter((sheet) => !root.adoptedStyleSheets.includes(sheet));
  // Later modules of a list come first in CodeMirror's own order of precedence as they do here.
  if (added.length > 0) root.adoptedStyleSheets = [...added, ...root.adoptedStyleSheets];
}

export function withoutStyleElements(): void {
  StyleModule.mount = mount;
}
