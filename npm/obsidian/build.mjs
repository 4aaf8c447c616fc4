#!/usr/bin/env node
// Builds the plugin into dist/: main.js with the compiled engine in it, because Obsidian installs only main.js, manifest.json
// and styles.css. The bundler is that of the web app.
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const app = join(here, '../../web-viewer');
const engine = join(here, '../../bindings-wasm/dist');
const dist = join(here, 'dist');

const fail = (message) => {
  console.error(`npm/obsidian/build.mjs: ${message}`);
  process.exit(1);
};
if (!existsSync(join(app, 'node_modules/vite'))) fail('the packages of the web app are missing; run node web-viewer/build.mjs');
if (!existsSync(join(engine, 'base/ubp_base_bg.wasm'))) fail('the engine is missing; run bindings-wasm/build.sh');

const vite = await import('../../web-viewer/node_modules/vite/dist/node/index.js');
const { svelte } = await import('../../web-viewer/node_modules/@sveltejs/vite-plugin-svelte/src/index.js');
const { messages } = (await vite.runnerImport(join(app, 'messages.ts'))).module;

/** The script of wasm-bindgen without the code that downloads modules: the plugin has their bytes. */
function withoutDownloads() {
  const parts = [
    [/if \(typeof Response === 'function' && module instanceof Response\) \{[\s\S]*?\n    \} else \{([\s\S]*?)\n    \}\n\n    function expectedResponseType[\s\S]*?\n    \}\n/, '$1\n'],
    [/    if \(typeof module_or_path === 'string'[^\n]*\n        module_or_path = fetch\(module_or_path\);\n    \}\n/, ''],
  ];
  return {
    name: 'ubp-without-downloads',
    transform(code, id) {
      if (!/ubp_(base|semantic)\.js$/.test(id)) return null;
      for (const [pattern, instead] of parts) {
        if (!pattern.test(code)) throw new Error(`${id} has no ${pattern}`);
        code = code.replace(pattern, instead);
      }
      return { code, map: null };
    },
  };
}

/** Texts that only this build knows, as modules. */
function given(modules) {
  return {
    name: 'ubp-given',
    resolveId: (source) => (source in modules ? `\0${source}` : null),
    load: (id) => (id.slice(1) in modules && id.startsWith('\0') ? `export default ${JSON.stringify(modules[id.slice(1)])};` : null),
  };
}

const alias = [
  { find: '#contract', replacement: join(app, '../npm/ubp/generated/contract.ts') },
  { find: /^#engine\/(base|semantic)$/, replacement: join(engine, '$1/ubp_$1.js') },
];

async function bundle(entry, format, plugins, minify) {
  const [{ output }] = [
    await vite.build({
      configFile: false,
      root: here,
      logLevel: 'warn',
      mode: 'production',
      resolve: { alias },
      plugins: [svelte({ configFile: false }), messages(), ...plugins],
      build: {
        write: false,
        target: ['chrome114', 'safari16.4'],
        minify,
        reportCompressedSize: false,
        lib: { entry: join(here, entry), formats: [format], name: 'ubp', fileName: 'main' },
        rollupOptions: { external: ['obsidian', 'child_process', /^@codemirror\//, /^@lezer\//], output: { codeSplitting: false, exports: format === 'cjs' ? 'default' : 'auto' } },
      },
    }),
  ].flat();
  const chunks = output.filter(({ type }) => type === 'chunk');
  if (chunks.length !== 1) throw new Error(`${entry} became ${chunks.length} files`);
  return chunks[0].code;
}

const packed = gzipSync(readFileSync(join(engine, 'base/ubp_base_bg.wasm')), { level: 9 }).toString('base64');
const thread = await bundle('src/thread.ts', 'iife', [withoutDownloads(), given({ '#engine/base.packed': packed })], true);
const main = await bundle('src/main.ts', 'cjs', [given({ '#thread': thread })], false);
mkdirSync(dist, { recursive: true });
const { name, version } = JSON.parse(readFileSync(join(here, 'manifest.json'), 'utf8'));
const banner = `/* ${name} ${version}. MIT OR Apache-2.0. Source: https://github.com/unified-blueprint/ubp/tree/main/npm/obsidian */\n`;
writeFileSync(join(dist, 'main.js'), banner + main);
for (const file of ['manifest.json', 'styles.css']) copyFileSync(join(here, file), join(dist, file));
for (const file of ['main.js', 'styles.css']) {
  const path = join(dist, file);
  console.log(`npm/obsidian/dist/${file}: ${statSync(path).size} bytes, gzipped ${gzipSync(readFileSync(path), { level: 9 }).length}`);
}
