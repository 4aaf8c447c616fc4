// What is being typed in front matter that is shown as YAML.

export interface YamlPlace {
  /** Offset of what is typed. */
  from: number;
  typed: string;
  /** The key whose value is typed; null while a key is typed. */
  key: string | null;
  /** How a value is written: in a list in brackets, or alone on a line. */
  form: 'flow' | 'line';
}

const KEY = /^[\p{L}_][\p{L}\p{N}_-]*$/u;
const ENTRY = /^([\p{L}_][\p{L}\p{N}_-]*):(?:[ \t]+(.*))?$/u;
const ITEM = /^[ \t]*-[ \t]+(.*)$/;

/** `source` is the YAML between the fences. Null where nothing is completed: in quotes, comments, nested values and before text. */
export function placeIn(source: string, offset: number): YamlPlace | null {
  const start = source.lastIndexOf('\n', offset - 1) + 1;
  const line = source.slice(start, offset);
  const rest = source.slice(offset).split('\n', 1)[0] ?? '';
  if (line === '' || KEY.test(line)) return rest.trim() === '' ? { from: start, typed: line, key: null, form: 'line' } : null;
  const entry = ENTRY.exec(line);
  if (entry) {
    const [, key = '', value] = entry;
    if (value === undefined) return null;
    const inList = /^\[(?!\[)(?:.*,)?[ \t]*([^,]*)$/.exec(value);
    if (inList) return placed(inList[1] ?? '', key, 'flow', offset, /^[ \t]*(?:[\],].*)?$/.test(rest));
    return placed(value, key, 'line', offset, rest.trim() === '');
  }
  const item = ITEM.exec(line);
  const key = item && keyAbove(source.slice(0, start));
  return key ? placed(item[1] ?? '', key, 'line', offset, rest.trim() === '') : null;
}

function placed(typed: string, key: string, form: YamlPlace['form'], offset: number, isEnd: boolean): YamlPlace | null {
  const isPlain = !/["'#{}&*!|>]/.test(typed) && (typed.startsWith('[[') || !typed.includes('['));
  return isEnd && isPlain ? { from: offset - typed.length, typed, key, form } : null;
}

/** The key of the list whose items these lines end with. */
function keyAbove(source: string): string | null {
  for (const line of source.split('\n').reverse()) {
    const entry = ENTRY.exec(line.trimEnd());
    if (entry) return entry[2] ? null : (entry[1] ?? null);
    if (line.trim() !== '' && !ITEM.test(line)) return null;
  }
  return null;
}

/** The keys that the YAML has. */
export function keysIn(source: string): Set<string> {
  return new Set(source.split('\n').flatMap((line) => /^([\p{L}_][\p{L}\p{N}_-]*):/u.exec(line)?.[1] ?? []));
}
