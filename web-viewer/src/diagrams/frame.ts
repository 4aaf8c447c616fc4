// Draws diagrams, in a document of its own: Mermaid measures text with style elements, which the policy of the page
// forbids. The policy of this document allows styles, but no requests. What is drawn is checked by the page.
import mermaid from 'mermaid';
import type { DiagramTheme } from './theme';

/** Draws a diagram as an SVG document. */
export type Draw = (source: string, theme: DiagramTheme) => Promise<Document>;

declare global {
  interface Window {
    drawDiagram?: Draw;
  }
}

/** Settings that a diagram must not change. */
const FIXED = ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering', 'htmlLabels', 'flowchart', 'class', 'themeCSS', 'fontFamily', 'altFontFamily', 'dompurifyConfig'];

/** The start of a tag, except of those that format labels and of `<<` in class diagrams. */
const TAG = /(?<!<)<(?=[a-z/!?])(?!\/?(?:br|b|i|u|em|strong|sub|sup)\s*\/?>)/gi;
const PICTURE = /@\{[^}]*\bimg\s*:/;
/** The menus of participants, which work by scripts. */
const MENU = /^[ \t]*links?[ \t][^:\n]*:.*$/gm;

/** The source without what Mermaid would try as HTML, or load, while it measures labels. The policy would stop both. */
function harmless(source: string): string {
  if (PICTURE.test(source)) throw new Error('Pictures in diagrams are not supported.');
  const drawn = /^\s*sequenceDiagram\b/m.test(source) ? source.replace(MENU, '') : source;
  // Mermaid would turn an entity back into the character.
  return drawn.replace(TAG, '‹');
}

let count = 0;

window.drawDiagram = async (source, { dark, font, colours }) => {
  mermaid.initialize({
    startOnLoad: false,
    logLevel: 'fatal',
    securityLevel: 'strict',
    suppressErrorRendering: true,
    // Labels are text of the drawing, never HTML.
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    maxTextSize: 50_000,
    maxEdges: 500,
    secure: FIXED,
    theme: 'base',
    look: 'classic',
    darkMode: dark,
    fontFamily: font,
    themeVariables: { ...colours, darkMode: dark, fontFamily: font, fontSize: '14px' },
  });
  document.body.replaceChildren();
  const { svg } = await mermaid.render(`diagram-${++count}`, harmless(source));
  // Parsed here, because the policy of the page reports every style.
  return new DOMParser().parseFromString(svg, 'image/svg+xml');
};

dispatchEvent(new Event('ready-to-draw'));
