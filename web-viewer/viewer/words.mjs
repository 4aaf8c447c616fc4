// The words of the app in each language, from the sources of its catalogues.
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** All groups of messages in a language, `en` or `ja`. */
export async function wordsIn(language) {
  const name = 'virtual:words';
  const entry = {
    name: 'words-entry',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? ['reader', 'writer'].map((part) => `export { default as ${part} } from '${root}src/words/${language}/${part}.ts';`).join('\n') : null),
  };
  const { output } = await build({ configFile: false, root, logLevel: 'error', plugins: [entry, svelte({ configFile: false })], build: { write: false, minify: false, modulePreload: false, rollupOptions: { input: name, preserveEntrySignatures: 'strict', output: { format: 'es' } } } });
  const { reader, writer } = await import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`);
  return { ...reader, ...writer };
}
