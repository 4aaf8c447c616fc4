// The catalogues of the engine's messages, which the command has as well, for `import '#messages/ja'`.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { po } from 'gettext-parser';
import type { Plugin } from 'vite';
import type { Catalogue } from './src/client/engine-words';

/** The files with messages of the engine; the others have those of the command. */
const FILES = ['answers', 'errors', 'stored', 'libraries'] as const;
const ID = /^#messages\/([a-z]+)$/;

const pathOf = (language: string, file: string) => fileURLToPath(new URL(`../cli/src/language/${language}/${file}.po`, import.meta.url));

/** The texts of a file by the English ones. Japanese has one form for all numbers. */
function textsOf(path: string): [string, string][] {
  const entries = Object.values(po.parse(readFileSync(path, 'utf8')).translations['']!);
  return entries.flatMap(({ msgid, msgstr: [translated] }): [string, string][] => (msgid && translated ? [[msgid, translated]] : []));
}

export function catalogueOf(language: string): Catalogue {
  const files = FILES.map((file) => textsOf(pathOf(language, file)));
  const templates = (file: (typeof FILES)[number]) => files[FILES.indexOf(file)]!.map(([english]) => english);
  return { texts: Object.fromEntries(files.flat()), stored: templates('stored'), libraries: templates('libraries') };
}

export function messages(): Plugin {
  return {
    name: 'ubp-messages',
    resolveId: (source) => (ID.test(source) ? `\0${source}` : null),
    load(id) {
      const language = ID.exec(id.slice(1))?.[1];
      if (!id.startsWith('\0') || !language) return null;
      for (const file of FILES) this.addWatchFile(pathOf(language, file));
      return `export default ${JSON.stringify(catalogueOf(language))};`;
    },
  };
}
