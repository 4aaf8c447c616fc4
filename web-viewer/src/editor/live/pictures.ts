// Pictures in the text. Their size is remembered, so that the text does not move when a picture is shown again.
import type { EditorView } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { isPicture } from '../../text/paths';
import type { PageContext } from '../page-context';
import { sizeIn } from './written';
import { writing } from '../../words/writing';

export interface PictureSource {
  /** An embed as written, or the destination of a Markdown picture. */
  written: string;
  isEmbed: boolean;
  description: string;
  size: ReturnType<typeof sizeIn>;
}

/** The picture of an `Image` or `WikiEmbed` node, if it is one. `written` is the text of the node. */
export function pictureOf(node: SyntaxNode, written: string): PictureSource | null {
  if (node.name === 'WikiEmbed') {
    const target = /^!\[\[([^\]|#\\]*)/.exec(written)?.[1]?.trim() ?? '';
    return isPicture(target) ? { written, isEmbed: true, description: target.replace(/^.*\//, ''), size: sizeIn(written) } : null;
  }
  const url = node.getChild('URL');
  if (!url) return null;
  const label = /^!\[((?:\\.|[^\]\\])*)\]/s.exec(written)?.[1] ?? '';
  const destination = written.slice(url.from - node.from, url.to - node.from).replace(/^<|>$/g, '');
  return { written: destination, isEmbed: false, description: label.replace(/\|\s*\d+(x\d+)?\s*$/, ''), size: sizeIn(`${label}]`) };
}

/** Width and height of loaded pictures in pixels, by address. */
const sizes = new Map<string, { width: number; height: number }>();

/** The address of a picture; null if there is none, `undefined` if it is not known yet. */
function addressOf({ written, isEmbed }: PictureSource, context: PageContext): string | null | undefined {
  // The size does not matter, and typing it must not hide the picture until the engine answers.
  const embed = context.answers.labelFirst ? written : written.replace(/\\?\|.*(?=\]\]$)/, '');
  const found = isEmbed ? context.answers.link(embed) : context.answers.picture(written);
  const path = found && typeof found === 'object' ? found.file_url : found;
  if (path === undefined || path === null) return path;
  return new URL(path, context.host.fileUrl('')).href;
}

/** The height of a picture on its own line in pixels, as far as it is known. */
export function heightOf(picture: PictureSource, context: PageContext): number {
  const size = sizes.get(addressOf(picture, context) ?? '');
  const height = picture.size?.height ?? (size && picture.size ? (size.height * picture.size.width) / size.width : size?.height);
  return Math.min(height ?? 200, globalThis.innerHeight * 0.6) + 16;
}

const shown = new WeakMap<Element, { picture: PictureSource; context: PageContext }>();

function setAddress(frame: HTMLElement, address: string | null | undefined, { picture }: { picture: PictureSource }, view: EditorView | null): void {
  if (address === undefined || frame.dataset['address'] === String(address)) return;
  frame.dataset['address'] = String(address);
  frame.classList.toggle('cm-picture-broken', address === null);
  if (address === null) {
    const isOutside = /^https?:/i.test(picture.written);
    frame.textContent = picture.description || (isOutside ? writing.editor.image : picture.written);
    frame.title = isOutside ? writing.editor.imageElsewhere(picture.written) : writing.editor.noFile;
    return;
  }
  const image = document.createElement('img');
  image.alt = picture.description;
  const size = sizes.get(address);
  if (picture.size) image.width = picture.size.width;
  if (picture.size?.height) image.height = picture.size.height;
  if (size) image.style.aspectRatio = `${size.width} / ${size.height}`;
  image.addEventListener('load', () => {
    sizes.set(address, { width: image.naturalWidth || 1, height: image.naturalHeight || 1 });
    view?.requestMeasure();
  });
  image.addEventListener('error', () => {
    frame.classList.add('cm-picture-broken');
    frame.textContent = writing.editor.badImage;
    view?.requestMeasure();
  });
  image.src = address;
  frame.replaceChildren(image);
}

export function pictureElement(picture: PictureSource, context: PageContext, view: EditorView | null = null): HTMLElement {
  const frame = document.createElement('span');
  frame.className = 'cm-shown-picture';
  const own = { picture, context };
  shown.set(frame, own);
  setAddress(frame, addressOf(picture, context), own, view);
  return frame;
}

/** Shows pictures whose addresses became known. */
export function refreshPictures(view: EditorView): void {
  for (const frame of view.contentDOM.querySelectorAll<HTMLElement>('.cm-shown-picture')) {
    const own = shown.get(frame);
    if (own) setAddress(frame, addressOf(own.picture, own.context), own, view);
  }
}
