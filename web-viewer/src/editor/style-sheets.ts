// CodeMirror creates `style` elements at run time, which the content security policy forbids. Constructed style sheets are
// allowed, so this module uses them and the policy stays strict.
import { StyleModule } from 'style-mod';

const sheets = new WeakMap<StyleModule, CSSStyleSheet>();
/** The adopted style sheets, in order: among rules of equal specificity, later ones win. */
const ours: CSSStyleSheet[] = [];

function sheetOf(module: StyleModule): CSSStyleSheet {
  let sheet = sheets.get(module);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(module.getRules());
    sheets.set(module, sheet);
  }
  return sheet;
}

/** Modules are in ascending order of precedence; existing ones keep their places. */
function mount(root: Document | ShadowRoot, modules: StyleModule | readonly StyleModule[]): void {
  const list = Array.isArray(modules) ? (modules as readonly StyleModule[]) : [modules as StyleModule];
  let place = 0;
  for (const sheet of list.map(sheetOf)) {
    const known = ours.indexOf(sheet);
    if (known >= place) place = known + 1;
    else {
      if (known >= 0) ours.splice(known, 1);
      else place++;
      ours.splice(place - 1, 0, sheet);
    }
  }
  const others = root.adoptedStyleSheets.filter((sheet) => !ours.includes(sheet));
  root.adoptedStyleSheets = [...others, ...ours];
}

export function withoutStyleElements(): void {
  StyleModule.mount = mount;
}
