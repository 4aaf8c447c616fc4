// What makes the app installable: its manifest, and the service worker, bundled alone into a file with a fixed name.
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import { build, type Plugin, type Rolldown } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const ICONS = [
  { name: 'icon-192.png', sizes: '192x192', purpose: 'any' },
  { name: 'icon-512.png', sizes: '512x512', purpose: 'any' },
  { name: 'whole-512.png', sizes: '512x512', purpose: 'maskable' },
];
/** Code that readers of sites do not load, or that only some pages need. */
const LATER = /\/src\/(viewer|editor|hub|diagrams|code)\/|\/node_modules\/|\/src\/words\/ja\/writer/;

/** The code that is loaded when a reader opens pages, the palette, the graph or settings. */
function codeOf(bundle: Rolldown.OutputBundle): string[] {
  const found = new Set<string>();
  const follow = (file: string) => {
    const chunk = bundle[file];
    if (found.has(file) || chunk?.type !== 'chunk') return;
    found.add(file);
    for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
    for (const next of chunk.imports) follow(next);
    for (const next of chunk.dynamicImports) {
      const from = bundle[next];
      if (from?.type === 'chunk' && !LATER.test(from.facadeModuleId ?? '/node_modules/')) follow(next);
    }
  };
  for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk' && chunk.isEntry) follow(chunk.fileName);
  for (const file of Object.keys(bundle)) if (/before-paint-[^/]*\.js$|\/(icon|whole)-[^/]*\.(svg|png)$/.test(file)) found.add(file);
  return [...found].sort();
}

export function installable(): Plugin {
  const icons = new Map<string, string>();
  let worker = '';
  return {
    name: 'ubp-installable',
    apply: 'build',
    async buildStart() {
      for (const { name } of ICONS) icons.set(name, this.emitFile({ type: 'asset', name, source: readFileSync(at(`src/icons/${name}`)) }));
      const entry = at('src/offline/worker.ts');
      this.addWatchFile(entry);
      const made = await build({ configFile: false, logLevel: 'warn', build: { write: false, lib: { entry, formats: ['iife'], name: 'ubpOffline' } } });
      const [output] = (Array.isArray(made) ? made : [made]) as Rolldown.RolldownOutput[];
      worker = output?.output[0].code ?? '';
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const code = worker.replace(/JSON\.parse\((["'`])__UBP_CODE__\1\)/, () => JSON.stringify(codeOf(bundle)));
        if (code === worker) throw new Error('the service worker has no place for the code of the first view');
        this.emitFile({ type: 'asset', fileName: 'ubp-offline.js', source: code });
        const drawn = Object.keys(bundle)
          .filter((file) => /\/icon-[^/]*\.svg$/.test(file))
          .map((src) => ({ src, type: 'image/svg+xml', sizes: 'any', purpose: 'any' }));
        const manifest = {
          name: 'Unified Blueprint',
          id: './',
          start_url: './',
          scope: './',
          display: 'standalone',
          background_color: '#fcfcfb',
          theme_color: '#2547c4',
          icons: [...drawn, ...ICONS.map(({ name, ...icon }) => ({ src: this.getFileName(icons.get(name) ?? ''), type: 'image/png', ...icon }))],
        };
        this.emitFile({ type: 'asset', fileName: 'ubp.webmanifest', source: `${JSON.stringify(manifest)}\n` });
      },
    },
  };
}
