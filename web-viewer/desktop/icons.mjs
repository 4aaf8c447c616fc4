#!/usr/bin/env node
// Draws the icons of the desktop app from ../src/icon.svg: PNG files, and the containers of Windows and macOS around such files.
//
//   node icons.mjs     writes icons/
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from '../browser/support.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const svg = readFileSync(join(here, '../src/icon.svg'), 'utf8');
const drawn = new Map();

const browser = await launch();
try {
  const page = await browser.newPage();
  for (const size of [16, 32, 48, 128, 256, 512]) {
    const address = await page.evaluate(
      async ([svg, size]) => {
        const image = new Image(size, size);
        image.src = `data:image/svg+xml,${encodeURIComponent(svg.replace('<svg ', `<svg width="${size}" height="${size}" `))}`;
        await image.decode();
        const canvas = new OffscreenCanvas(size, size);
        canvas.getContext('2d').drawImage(image, 0, 0, size, size);
        const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
        return btoa(String.fromCharCode(...bytes));
      },
      [svg, size],
    );
    drawn.set(size, Buffer.from(address, 'base64'));
  }
} finally {
  await browser.close();
}

/** An `.ico` file: a table of the pictures, and the pictures. */
function ico(sizes) {
  const head = Buffer.alloc(6 + 16 * sizes.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(sizes.length, 4);
  let offset = head.length;
  for (const [number, size] of sizes.entries()) {
    const at = 6 + 16 * number;
    head.set([size % 256, size % 256], at);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(drawn.get(size).length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += drawn.get(size).length;
  }
  return Buffer.concat([head, ...sizes.map((size) => drawn.get(size))]);
}

/** An `.icns` file: pictures, each with the name of its kind and its length. */
function icns(kinds) {
  const parts = kinds.map(([kind, size]) => {
    const head = Buffer.alloc(8);
    head.write(kind, 'latin1');
    head.writeUInt32BE(drawn.get(size).length + 8, 4);
    return Buffer.concat([head, drawn.get(size)]);
  });
  const head = Buffer.alloc(8);
  head.write('icns', 'latin1');
  head.writeUInt32BE(parts.reduce((sum, { length }) => sum + length, 8), 4);
  return Buffer.concat([head, ...parts]);
}

const folder = join(here, 'icons');
mkdirSync(folder, { recursive: true });
for (const [name, size] of [['32x32', 32], ['128x128', 128], ['128x128@2x', 256]]) writeFileSync(join(folder, `${name}.png`), drawn.get(size));
writeFileSync(join(folder, 'icon.ico'), ico([16, 32, 48, 256]));
writeFileSync(join(folder, 'icon.icns'), icns([['icp4', 16], ['icp5', 32], ['ic07', 128], ['ic08', 256], ['ic09', 512]]));
