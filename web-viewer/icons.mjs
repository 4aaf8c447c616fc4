#!/usr/bin/env node
// Draws the icons of the installable app from src/icon.svg, as PNG with a palette.
//
//   node icons.mjs     writes src/icons/icon-{192,512}.png, and whole-512.png, which systems cut to their own shape
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { launch } from './browser/support.mjs';

const src = join(dirname(fileURLToPath(import.meta.url)), 'src');
const icon = readFileSync(join(src, 'icon.svg'), 'utf8');
/** Without round corners, and with the drawing in the circle that every system shows. */
const whole = icon.replace(' rx="7"', '').replace(/(<rect[^>]*>)(.*)(<\/svg>)/s, '$1<g transform="translate(3.2 3.2) scale(0.8)">$2</g>$3');

/** The 15 colours of the icons: paper on ink in 8 steps, and ink that becomes transparent in 7. */
const [INK, PAPER, STEPS] = [[0x25, 0x47, 0xc4], [0xff, 0xff, 0xff], 7];
const COLOURS = [...Array(STEPS + 1).keys()].map((step) => [...INK.map((ink, part) => Math.round(ink + ((PAPER[part] - ink) * step) / STEPS)), 255]).concat([...Array(STEPS).keys()].map((step) => [...INK, Math.round((255 * step) / STEPS)]));

/** The number of the colour that looks most like a pixel. */
function nearest(pixel) {
  const seen = (colour) => [0, 1, 2, 3].map((part) => (part === 3 ? colour[3] : (colour[part] * colour[3]) / 255));
  const distance = (colour) => seen(colour).reduce((sum, value, part) => sum + (value - seen(pixel)[part]) ** 2, 0);
  return COLOURS.reduce((best, colour, number) => (distance(colour) < distance(COLOURS[best]) ? number : best), 0);
}

/** A PNG with 4 bits for each of these pixels, which are RGBA. */
function png(size, pixels) {
  const known = new Map();
  const rows = Buffer.alloc((size / 2 + 1) * size);
  for (let at = 0; at < size * size; at++) {
    const pixel = pixels.slice(at * 4, at * 4 + 4);
    const key = pixel.join();
    if (!known.has(key)) known.set(key, nearest(pixel));
    rows[Math.floor(at / size) * (size / 2 + 1) + 1 + ((at % size) >> 1)] |= known.get(key) << (at % 2 ? 0 : 4);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([4, 3, 0, 0, 0], 8);
  const parts = [['IHDR', header], ['PLTE', Buffer.from(COLOURS.flatMap((colour) => colour.slice(0, 3)))], ['tRNS', Buffer.from(COLOURS.map((colour) => colour[3]))], ['IDAT', deflateSync(rows, { level: 9 })], ['IEND', Buffer.alloc(0)]];
  const chunks = parts.map(([name, data]) => {
    const chunk = Buffer.alloc(data.length + 12);
    chunk.writeUInt32BE(data.length, 0);
    chunk.write(name, 4, 'latin1');
    data.copy(chunk, 8);
    chunk.writeUInt32BE(crc32(chunk.subarray(4, data.length + 8)), data.length + 8);
    return chunk;
  });
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...chunks]);
}

mkdirSync(join(src, 'icons'), { recursive: true });
const browser = await launch();
try {
  const page = await browser.newPage();
  for (const [name, svg, size] of [['icon-192', icon, 192], ['icon-512', icon, 512], ['whole-512', whole, 512]]) {
    const pixels = await page.evaluate(
      async ([svg, size]) => {
        const image = new Image(size, size);
        image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
        await image.decode();
        const pen = Object.assign(document.createElement('canvas'), { width: size, height: size }).getContext('2d');
        pen.drawImage(image, 0, 0, size, size);
        return [...pen.getImageData(0, 0, size, size).data];
      },
      [svg, size],
    );
    const file = png(size, pixels);
    writeFileSync(join(src, 'icons', `${name}.png`), file);
    console.log(`${name}.png: ${file.length} bytes`);
  }
} finally {
  await browser.close();
}
