// Rebuilds a drawing from known elements, attributes and styles. Nothing in it can run, load anything, or be seen outside of
// its box.

const SVG = 'http://www.w3.org/2000/svg';

const ELEMENTS = new Set(
  ('svg g defs title desc path rect circle ellipse line polyline polygon text tspan marker clipPath mask pattern symbol linearGradient radialGradient stop ' +
    'filter feDropShadow feGaussianBlur feOffset feFlood feComposite feMerge feMergeNode feColorMatrix').split(' '),
);

/** Elements that are dropped, but not their content. */
const TRANSPARENT = new Set(['a', 'switch']);

const ATTRIBUTES = new Set(
  ('id class d x y x1 y1 x2 y2 dx dy cx cy r rx ry width height points transform viewBox preserveAspectRatio fill fill-opacity fill-rule stroke stroke-width ' +
    'stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-opacity opacity color text-anchor dominant-baseline alignment-baseline baseline-shift ' +
    'font-size font-family font-weight font-style letter-spacing textLength lengthAdjust text-decoration clip-path clip-rule mask filter marker-start marker-mid ' +
    'marker-end markerWidth markerHeight markerUnits refX refY orient offset stop-color stop-opacity gradientUnits gradientTransform patternUnits ' +
    'patternTransform patternContentUnits spreadMethod fx fy stdDeviation in in2 result operator values type flood-color flood-opacity vector-effect ' +
    'visibility display paint-order shape-rendering role aria-label aria-labelledby aria-describedby aria-roledescription').split(' '),
);

/** Properties that could move a part of the drawing over the page, or put text or pictures of the author into it. */
const FORBIDDEN = /^(position|z-index|content|cursor|pointer-events|inset|top|left|right|bottom|background-image|list-style|behavior|-moz-binding|animation)/;

/** Whether a value refers to nothing outside of the drawing. */
function isLocal(value: string): boolean {
  const refersOutside = /url\s*\(\s*(?!["']?#)|image-set|image\s*\(|src\s*\(|element\s*\(|cross-fade|expression|javascript:|@import|\\/i;
  return !refersOutside.test(value);
}

function copyStyle(from: CSSStyleDeclaration, to: CSSStyleDeclaration): void {
  for (const name of from) {
    const value = from.getPropertyValue(name);
    if (!FORBIDDEN.test(name) && isLocal(value)) to.setProperty(name, value, from.getPropertyPriority(name));
  }
}

/** The style sheet of a drawing without rules and values that reach outside of it. */
function sheet(css: string): CSSStyleSheet {
  const given = new CSSStyleSheet();
  given.replaceSync(css);
  const kept = new CSSStyleSheet();
  for (const rule of given.cssRules) {
    if (!(rule instanceof CSSStyleRule) || /:host|::part|::slotted/.test(rule.selectorText)) continue;
    const at = kept.insertRule(`${rule.selectorText} {}`, kept.cssRules.length);
    copyStyle(rule.style, (kept.cssRules[at] as CSSStyleRule).style);
  }
  return kept;
}

function copy(from: Element, styles: string[]): Node[] {
  if (from.namespaceURI !== SVG) return [];
  if (from.localName === 'style') {
    styles.push(from.textContent ?? '');
    return [];
  }
  const children = () => [...from.childNodes].flatMap((child) => (child.nodeType === Node.ELEMENT_NODE ? copy(child as Element, styles) : child.nodeType === Node.TEXT_NODE ? [document.createTextNode(child.nodeValue ?? '')] : []));
  if (TRANSPARENT.has(from.localName)) return children();
  if (!ELEMENTS.has(from.localName)) return [];
  const to = document.createElementNS(SVG, from.localName) as SVGElement;
  for (const { name, value } of from.attributes) {
    if (ATTRIBUTES.has(name) && isLocal(value)) to.setAttribute(name, value);
  }
  const style = from.getAttribute('style');
  if (style) {
    const given = document.createElementNS(SVG, 'g') as SVGElement;
    // Through the object model, which the content security policy allows.
    given.style.cssText = style;
    copyStyle(given.style, to.style);
  }
  to.append(...children());
  return [to];
}

/** The drawing, with its style sheets for a shadow root; `null` if it is not a drawing. */
export function rebuilt(drawn: Document): { svg: SVGElement; sheets: CSSStyleSheet[] } | null {
  const root = drawn.documentElement;
  if (root.localName !== 'svg' || drawn.querySelector('parsererror')) return null;
  const styles: string[] = [];
  const [svg] = copy(root, styles);
  return svg instanceof SVGElement ? { svg, sheets: styles.map(sheet) } : null;
}
