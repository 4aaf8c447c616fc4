import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { messages } from './messages';
import { installable } from './offline';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Emits the code that must run before the first paint as a classic script of a few hundred bytes, because modules run too late
 * and the content security policy allows no inline scripts.
 */
function beforePaint(): Plugin {
  return {
    name: 'ubp-before-paint',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'asset', name: 'before-paint.js', source: readFileSync(at('src/before-paint.js')) });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const file = Object.keys(bundle ?? {}).find((name) => /before-paint-[^/]*\.js$/.test(name));
        if (!file) throw new Error('src/before-paint.js was not emitted');
        return [{ tag: 'script', attrs: { src: `./${file}` }, injectTo: 'head' }];
      },
    },
  };
}

/** Removes `crossorigin`, with which style sheets do not load from `file:` URLs. */
function openFromDisk(): Plugin {
  return {
    name: 'ubp-open-from-disk',
    apply: 'build',
    transformIndexHtml: { order: 'post', handler: (html) => html.replaceAll(' crossorigin', '') },
  };
}

/**
 * Draws diagrams that ask for the layout ELK with Mermaid's own, as GitHub does: ELK would be a quarter of the app.
 */
function withoutElk(): Plugin {
  return {
    name: 'ubp-without-elk',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!importer || !/^\.\/elk-[^/]*\.mjs$/.test(source)) return null;
      const folder = dirname(importer);
      const own = readdirSync(folder).find((name) => /^dagre-[^/]*\.mjs$/.test(name));
      if (!own) throw new Error('Mermaid has no layout of its own');
      return join(folder, own);
    },
  };
}

/** Paths of the files in a folder, except hidden ones. */
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

/**
 * Copies the build to `dist` without touching unchanged files: cargo embeds the app, and a changed file time would recompile
 * everything that depends on it.
 */
function replaceWhatDiffers(): Plugin {
  return {
    name: 'ubp-replace-what-differs',
    apply: 'build',
    writeBundle: {
      order: 'post',
      sequential: true,
      handler({ dir = '' }) {
        const dist = at('dist');
        const made = new Set(filesIn(dir));
        for (const file of made) {
          const [from, to] = [join(dir, file), join(dist, file)];
          if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) continue;
          mkdirSync(dirname(to), { recursive: true });
          copyFileSync(from, to);
        }
        for (const file of filesIn(dist)) if (!made.has(file)) rmSync(join(dist, file));
      },
    },
  };
}

/** Without the compiled engine, the app still works with a server. */
const hasEngine = ['base', 'semantic'].every((name) => existsSync(at(`../bindings-wasm/dist/${name}/ubp_${name}_bg.wasm`)));

export default defineConfig({
  base: './',
  plugins: [svelte(), messages(), beforePaint(), installable(), openFromDisk(), replaceWhatDiffers()],
  resolve: {
    alias: [
      { find: '#contract', replacement: at('../npm/ubp/generated/contract.ts') },
      { find: '#worker', replacement: at(hasEngine ? 'src/client/with-engine.ts' : 'src/client/without-engine.ts') },
      // The id may have a query, because the compiled engine is imported as a URL.
      { find: /^#engine\/(base|semantic)\.wasm(?=\?)/, replacement: at('../bindings-wasm/dist/$1/ubp_$1_bg.wasm') },
      { find: /^#engine\/(base|semantic)$/, replacement: at('../bindings-wasm/dist/$1/ubp_$1.js') },
    ],
  },
  worker: { format: 'es', plugins: () => [withoutElk(), messages()] },
  build: {
    outDir: 'node_modules/.built',
    target: ['chrome123', 'edge123', 'firefox125', 'safari17.5'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
  server: { fs: { allow: [at('..')] } },
  // Property tests take seconds, and many times as long beside compilers.
  test: { include: ['src/**/*.test.ts'], environment: 'node', testTimeout: 120_000 },
});
