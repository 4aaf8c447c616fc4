// The languages of code blocks, for reading and writing. Grammars are loaded on first use, without the editor where possible.
import type { Parser } from '@lezer/common';

interface CodeLanguage {
  name: string;
  /** What may follow the fence, besides the name, in lower case. */
  alias: readonly string[];
  load: () => Promise<Parser>;
}

type Mode = Parameters<(typeof import('@codemirror/language'))['StreamLanguage']['define']>[0];

/** A grammar of CodeMirror 5, for which there is no Lezer grammar. */
async function stream(mode: Promise<Mode>): Promise<Parser> {
  const { StreamLanguage } = await import('@codemirror/language');
  return StreamLanguage.define(await mode).parser;
}

async function html(): Promise<Parser> {
  const [{ parser, configureNesting }, js, css] = await Promise.all([import('@lezer/html'), import('@lezer/javascript'), import('@lezer/css')]);
  return parser.configure({ wrap: configureNesting([{ tag: 'script', parser: js.parser }, { tag: 'style', parser: css.parser }]) });
}

const javascript = (dialect: string) => async () => (await import('@lezer/javascript')).parser.configure({ dialect });

export const LANGUAGES: readonly CodeLanguage[] = [
  { name: 'JavaScript', alias: ['js', 'jsx', 'mjs', 'cjs', 'node'], load: javascript('jsx') },
  { name: 'TypeScript', alias: ['ts', 'mts', 'cts'], load: javascript('ts') },
  { name: 'TSX', alias: [], load: javascript('jsx ts') },
  { name: 'HTML', alias: ['htm', 'svelte', 'vue'], load: html },
  { name: 'XML', alias: ['svg', 'xsl', 'plist'], load: async () => (await import('@lezer/xml')).parser },
  { name: 'CSS', alias: ['scss', 'less'], load: async () => (await import('@lezer/css')).parser },
  { name: 'YAML', alias: ['yml'], load: async () => (await import('@lezer/yaml')).parser },
  { name: 'JSON', alias: ['jsonc', 'json5', 'jsonl'], load: async () => (await import('@lezer/json')).parser },
  { name: 'TOML', alias: [], load: () => stream(import('@codemirror/legacy-modes/mode/toml').then(({ toml }) => toml)) },
  { name: 'Python', alias: ['py'], load: async () => (await import('@lezer/python')).parser },
  { name: 'Rust', alias: ['rs'], load: async () => (await import('@lezer/rust')).parser },
  { name: 'Go', alias: ['golang'], load: async () => (await import('@lezer/go')).parser },
  { name: 'Java', alias: [], load: async () => (await import('@lezer/java')).parser },
  { name: 'C++', alias: ['cpp', 'cc', 'cxx', 'c', 'h', 'hpp'], load: async () => (await import('@lezer/cpp')).parser },
  { name: 'SQL', alias: ['sqlite', 'postgresql', 'postgres', 'mysql'], load: async () => (await import('@codemirror/lang-sql')).PostgreSQL.language.parser },
  { name: 'Shell', alias: ['sh', 'bash', 'zsh', 'console', 'shellsession'], load: () => stream(import('@codemirror/legacy-modes/mode/shell').then(({ shell }) => shell)) },
  { name: 'Dockerfile', alias: ['docker', 'containerfile'], load: () => stream(import('@codemirror/legacy-modes/mode/dockerfile').then(({ dockerFile }) => dockerFile)) },
  { name: 'Diff', alias: ['patch'], load: () => stream(import('@codemirror/legacy-modes/mode/diff').then(({ diff }) => diff)) },
  { name: 'Markdown', alias: ['md'], load: async () => { const { parser, GFM } = await import('@lezer/markdown'); return parser.configure(GFM); } },
];

const loaded = new Map<CodeLanguage, Promise<Parser>>();

/** The grammar of a language by its name in a fence; `null` if there is none. */
export async function grammar(name: string): Promise<Parser | null> {
  const wanted = name.toLowerCase();
  const language = LANGUAGES.find((language) => language.name.toLowerCase() === wanted || language.alias.includes(wanted));
  if (!language) return null;
  const known = loaded.get(language) ?? language.load();
  loaded.set(language, known);
  // A chunk that could not be loaded is tried again.
  known.catch(() => loaded.delete(language));
  return known;
}
