// CodeMirror makes its styles at run time as `style` elements, which the content security policy forbids. Constructed
// style sheets are scripts' own doing and allowed, so that the policy stays as strict as it is.
import { StyleModule } from 'style-mod';

const sheets = new WeakMap<StyleModule, CSSStyleSheet>();
/** What was adopted here, in order: of rules that are equally specific, later ones hold. */
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

/** Modules are in rising order of precedence; those that are there already keep their places. */
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
