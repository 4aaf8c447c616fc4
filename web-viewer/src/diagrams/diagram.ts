// Diagrams of Mermaid, drawn in the colours of the page, and again when these change. Mermaid is loaded by the first diagram.
import frameUrl from './frame.html?url';
import scriptUrl from './frame.ts?worker&url';
import type { Draw } from './frame';
import { rebuilt } from './svg';
import { diagramTheme, type DiagramTheme } from './theme';
import { words } from '../words/words';

/** Milliseconds that drawing, or loading Mermaid, may take. */
const PATIENCE_MS = 20_000;

/** Number of drawings that are kept, so that an editor can show them again at once. */
const KEPT = 100;

/** The style of the box: nothing in it can be seen outside of it. */
const BOX_STYLE = new CSSStyleSheet();
BOX_STYLE.replaceSync(':host { display: block; contain: layout paint style; overflow: clip; } svg { display: block; max-width: 100%; height: auto; margin-inline: auto; }');

let drawer: Promise<Draw> | null = null;
let queue: Promise<unknown> = Promise.resolve();
const drawings = new Map<string, Document>();
/** Sources of the diagrams in the document. */
const sources = new WeakMap<Element, string>();

function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error(words.reading.lateDrawing)), PATIENCE_MS)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function open(): Promise<Draw> {
  const frame = document.createElement('iframe');
  frame.className = 'diagram-frame';
  frame.tabIndex = -1;
  frame.setAttribute('aria-hidden', 'true');
  frame.title = words.reading.diagrams;
  const opened = new Promise<Draw>((resolve, reject) => {
    frame.addEventListener('load', () => {
      const view = frame.contentWindow;
      const page = frame.contentDocument;
      if (!view || !page) return reject(new Error(words.reading.noDiagrams));
      const script = page.createElement('script');
      script.type = 'module';
      script.src = new URL(scriptUrl, import.meta.url).href;
      script.addEventListener('error', () => reject(new Error(words.reading.noMermaid)));
      view.addEventListener('ready-to-draw', () => (view.drawDiagram ? resolve(view.drawDiagram) : reject(new Error(words.reading.noMermaid))));
      page.head.append(script);
    });
  });
  frame.src = new URL(frameUrl, import.meta.url).href;
  document.body.append(frame);
  return inTime(opened).catch((error: unknown) => {
    frame.remove();
    drawer = null;
    throw error;
  });
}

async function drawing(source: string, theme: DiagramTheme): Promise<Document> {
  const key = JSON.stringify([theme.colours, source]);
  const known = drawings.get(key);
  if (known !== undefined) return known;
  drawer ??= open();
  const draw = await drawer;
  // Mermaid keeps its settings in one place, so diagrams are drawn one after the other.
  const drawn = queue.then(() => inTime(draw(source, theme)));
  queue = drawn.catch(() => {});
  const svg = await drawn;
  const [oldest] = drawings.keys();
  if (drawings.size >= KEPT && oldest !== undefined) drawings.delete(oldest);
  drawings.set(key, svg);
  return svg;
}

async function draw(box: Element, source: string): Promise<void> {
  const drawn = rebuilt(await drawing(source, diagramTheme()));
  if (!drawn) throw new Error(words.reading.noDrawing);
  const root = box.shadowRoot ?? box.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [...drawn.sheets, BOX_STYLE];
  drawn.svg.setAttribute('role', 'img');
  if (!drawn.svg.hasAttribute('aria-labelledby')) drawn.svg.setAttribute('aria-label', words.reading.diagram);
  root.replaceChildren(drawn.svg);
}

/**
 * The diagram as an element.
 * @throws an error with Mermaid's message if the source is invalid.
 */
export async function diagram(source: string): Promise<HTMLElement> {
  const box = document.createElement('div');
  box.className = 'diagram';
  await draw(box, source);
  sources.set(box, source);
  return box;
}

function redraw(): void {
  for (const box of document.querySelectorAll('.diagram')) {
    const source = sources.get(box);
    if (source !== undefined) void draw(box, source).catch(() => {});
  }
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
new MutationObserver(redraw).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
