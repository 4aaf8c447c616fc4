// Marks the texts of comments in an article, and finds what is selected in it. Only letters and digits count, as in the engine,
// so that markup makes no difference. The article itself stays as it is.
import type { CommentFields } from '#contract';
import type { Quote } from '../../editor/mount';

const NAME = 'ubp-comment';
const LETTER = /[\p{Alphabetic}\p{N}]/u;
/** Characters on each side of a selection. */
const CONTEXT = 64;

interface Letters {
  text: string;
  /** For each code unit of `text`: the node and the offset in it. */
  places: { node: Text; offset: number }[];
}

const article = () => document.querySelector<HTMLElement>('#ubp_content .prose');

function lettersOf(root: Node): Letters {
  const letters: Letters = { text: '', places: [] };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    let offset = 0;
    for (const letter of node.data) {
      if (LETTER.test(letter)) {
        letters.text += letter;
        for (let unit = 0; unit < letter.length; unit++) letters.places.push({ node, offset: offset + unit });
      }
      offset += letter.length;
    }
  }
  return letters;
}

function commonStart(a: string, b: string): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

function commonEnd(a: string, b: string): number {
  let count = 0;
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++;
  return count;
}

/** Where the letters are that fit best to what surrounds them; -1 for none. */
export function placeOf(text: string, { shown, before, after }: { shown: string; before: string; after: string }): number {
  let [best, most] = [-1, -1];
  for (let at = shown ? text.indexOf(shown) : -1; at >= 0; at = text.indexOf(shown, at + 1)) {
    const end = at + shown.length;
    const score = commonEnd(before, text.slice(Math.max(0, at - before.length), at)) + commonStart(after, text.slice(end, end + after.length));
    if (score > most) [best, most] = [at, score];
  }
  return best;
}

function rangeOf({ text, places }: Letters, { place }: CommentFields): Range | null {
  if (!place) return null;
  const at = placeOf(text, { shown: place.shown, before: place.shown_before, after: place.shown_after });
  const [start, end] = [places[at], places[at + place.shown.length - 1]];
  if (at < 0 || !start || !end) return null;
  const range = document.createRange();
  range.setStart(start.node, start.offset);
  range.setEnd(end.node, end.offset + 1);
  return range;
}

let ranges = new Map<string, Range>();

/** Marks the comments in the article, also when it is rendered again. Returns a function that removes the marks. */
export function markComments(comments: readonly CommentFields[], onChoose: (id: string) => void): () => void {
  const content = document.getElementById('ubp_content');
  if (!content) return () => {};
  const mark = () => {
    const prose = article();
    const letters = prose ? lettersOf(prose) : null;
    ranges = new Map(comments.flatMap((comment) => {
      const range = letters && rangeOf(letters, comment);
      return range ? [[comment.comment, range]] : [];
    }));
    if (typeof Highlight !== 'undefined') CSS.highlights.set(NAME, new Highlight(...ranges.values()));
  };
  let frame = 0;
  const observer = new MutationObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(mark);
  });
  const click = ({ clientX, clientY, target }: MouseEvent) => {
    if (!getSelection()?.isCollapsed || (target instanceof Element && target.closest('a, button, input, summary'))) return;
    const isHit = (range: Range) => [...range.getClientRects()].some(({ left, right, top, bottom }) => clientX >= left && clientX <= right && clientY >= top && clientY <= bottom);
    const hit = [...ranges].find(([, range]) => isHit(range));
    if (hit) onChoose(hit[0]);
  };
  mark();
  observer.observe(content, { childList: true, subtree: true, characterData: true });
  content.addEventListener('click', click);
  return () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
    content.removeEventListener('click', click);
    ranges = new Map();
    if (typeof Highlight !== 'undefined') CSS.highlights.delete(NAME);
  };
}

/** Scrolls to the text of a comment in the article. */
export function revealComment(id: string): void {
  const range = ranges.get(id);
  const element = range?.startContainer.parentElement;
  if (!range || !element) return;
  element.scrollIntoView({ block: 'center', behavior: 'smooth' });
}

/** What is selected in the article. */
export function selectedText(): Quote | null {
  const prose = article();
  const selection = getSelection();
  if (!prose || !selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  if (!prose.contains(range.commonAncestorContainer)) return null;
  const quote = range.toString();
  if (!LETTER.test(quote)) return null;
  const around = document.createRange();
  around.selectNodeContents(prose);
  around.setEnd(range.startContainer, range.startOffset);
  const before = around.toString().slice(-CONTEXT);
  around.selectNodeContents(prose);
  around.setStart(range.endContainer, range.endOffset);
  return { quote: quote.trim(), before, after: around.toString().slice(0, CONTEXT), position: null };
}
