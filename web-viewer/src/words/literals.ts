// Finds text for people that is written in the code of the app in place of a message catalogue. Used by tests.
import { parse } from 'svelte/compiler';

export interface Literal {
  line: number;
  text: string;
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

interface Context {
  /** Whether every text there is shown to people; otherwise only what looks like words is reported. */
  isShown: boolean;
  /** Whether the code runs once, so that a message would stay in the language of that moment. */
  runsOnce: boolean;
}

const SHOWN_ATTRIBUTES = new Set(['aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'title', 'placeholder', 'alt', 'label', 'text']);
/** Attributes, properties and arguments that no person reads. */
const TECHNICAL = new Set(
  'class className id style cssText name type href src rel target role d viewBox fill stroke font transform inputmode autocomplete enterkeyhint autocapitalize value list popover focusable staleness kind place side part step key keys chords node mark marks resolve before after sql query code reason'.split(' '),
);
const TECHNICAL_CALLS = new Set(
  'querySelector querySelectorAll closest matches matchMedia getElementById getChild includes startsWith endsWith indexOf split join replace replaceAll replaceSync has get call addEventListener removeEventListener createElement getPropertyValue setProperty'.split(' '),
);
/** Calls whose texts are shown. */
const SHOWING_CALLS = /^(?!.*listeners\.)(.*\.)?(tell|warn|announce|told)$/;
const SHOWN_PROPERTIES = new Set(['textContent', 'innerText', 'title', 'ariaLabel', 'placeholder', 'alt', 'label', 'message', 'hint', 'about']);
/** Classes of CodeMirror, selectors and fonts. */
const STYLES = /^cm-|\[[\w-]+(=|\])|^\d+ \d+px /;
/** Combinations of keys, and names of single keys. */
const KEYS = /^((Mod|Ctrl|Control|Meta|Alt|Shift)[-+])+.*$|^(Tab|Enter|Escape|Esc|esc|alt ↵|Backspace|Delete|Space|Mod|Ctrl|Control|Meta|Alt|Shift|(Arrow|Page)\w+|F\d+)$/;

const hasLetters = (text: string) => /\p{L}/u.test(text);
/** A sentence, or a label: it begins with a capital, or has several words. */
const looksLikeWords = (text: string) => (/^[^\p{L}\p{N}./#[{<]*\p{Lu}\p{Ll}/u.test(text) && !/^\w*[a-z][A-Z]/.test(text)) || /\p{L}{2,}[,;:.]? \p{L}{2,}/u.test(text);
const nameOf = (node: Node | undefined): string => {
  if (!node) return '';
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node['name']);
  if (node.type === 'Literal') return String(node['value']);
  return node.type === 'MemberExpression' ? nameOf(node['property'] as Node) : '';
};

class Finder {
  readonly found: Literal[] = [];
  /** Messages that are read where the language cannot change them any more. */
  readonly kept: Literal[] = [];
  readonly #source: string;
  readonly #offset: number;

  constructor(source: string, offset: number) {
    this.#source = source;
    this.#offset = offset;
  }

  #note(into: Literal[], { start }: Node, text: string): void {
    into.push({ line: this.#source.slice(0, start - this.#offset).split('\n').length, text: text.replace(/\s+/g, ' ').trim() });
  }

  #text(node: Node, text: string, { isShown }: Context): void {
    if (!KEYS.test(text) && !STYLES.test(text) && (isShown ? hasLetters(text) : looksLikeWords(text))) this.#note(this.found, node, text);
  }

  walk(value: unknown, context: Context): void {
    if (Array.isArray(value)) for (const node of value) this.walk(node, context);
    else if (typeof value === 'object' && value !== null && 'type' in value) this.#node(value as Node, context);
  }

  #all(node: Node, context: Context): void {
    for (const key of Object.keys(node)) if (!/^(loc|leadingComments|trailingComments|metadata|css|parent|typeAnnotation|returnType|typeParameters|typeArguments)$/.test(key)) this.walk(node[key], context);
  }

  #node(node: Node, context: Context): void {
    const { type } = node;
    if (/^(TS(?!NonNull|As|Satisfies)|Import|StyleSheet|Comment|StyleDirective|ExportAll)/.test(type)) return;
    switch (type) {
      case 'Text':
        return this.#text(node, String(node['data']), { ...context, isShown: true });
      case 'Attribute':
        return this.#attribute(node, context);
      case 'ExpressionTag':
        return this.walk(node['expression'], context);
      case 'Literal':
        if (typeof node['value'] === 'string') this.#text(node, node['value'], context);
        return;
      case 'TemplateLiteral': {
        const quasis = node['quasis'] as { value: { cooked: string } }[];
        this.#text(node, quasis.map(({ value }) => value.cooked).join(' '), context);
        return this.walk(node['expressions'], { ...context, isShown: false });
      }
      case 'MemberExpression':
        if (context.runsOnce && /^(words|writing)$/.test(nameOf(node['object'] as Node)) && (node['object'] as Node).type === 'Identifier') this.#note(this.kept, node, nameOf(node));
        return this.walk(node['object'], { ...context, isShown: false });
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
        return this.walk(node['body'], { isShown: context.isShown && type === 'ArrowFunctionExpression', runsOnce: false });
      case 'Property':
      case 'PropertyDefinition': {
        const name = nameOf(node['key'] as Node);
        if (TECHNICAL.has(name)) return this.#once(node['value'], context);
        return this.walk(node['value'], { isShown: SHOWN_PROPERTIES.has(name), runsOnce: context.runsOnce && type === 'Property' });
      }
      case 'AssignmentExpression': {
        const name = nameOf(node['left'] as Node);
        if (!TECHNICAL.has(name)) this.walk(node['right'], { ...context, isShown: SHOWN_PROPERTIES.has(name) });
        return;
      }
      case 'NewExpression':
      case 'CallExpression':
        return this.#call(node, context);
      case 'ConditionalExpression':
        this.#once(node['test'], context);
        return this.walk([node['consequent'], node['alternate']], context);
      case 'BinaryExpression':
        if (node['operator'] === '+') return this.#all(node, context);
        return this.#once([node['left'], node['right']], context);
      case 'SwitchCase':
        return this.walk(node['consequent'], context);
    }
    this.#all(node, { ...context, isShown: context.isShown && /^(Logical|TS|Parenthesized|Array)/.test(type) });
  }

  /** Texts there are not for people, but messages may be read there. */
  #once(value: unknown, context: Context): void {
    const before = this.found.length;
    this.walk(value, context);
    this.found.length = before;
  }

  #attribute(node: Node, context: Context): void {
    const name = String(node['name']);
    const isShown = SHOWN_ATTRIBUTES.has(name);
    if (node['value'] === true || (!isShown && (TECHNICAL.has(name) || /^(data|aria)-/.test(name)))) return;
    for (const part of [node['value']].flat() as Node[]) {
      if (part.type === 'Text') this.#text(part, String(part['data']), { ...context, isShown });
      else this.walk(part, { ...context, isShown });
    }
  }

  #call(node: Node, context: Context): void {
    const callee = node['callee'] as Node;
    const name = nameOf(callee);
    const [first, second] = node['arguments'] as Node[];
    if (/^\$(derived|effect)$/.test(name) || /^\$(derived|effect)$/.test(nameOf(callee['object'] as Node | undefined))) return this.walk(node['arguments'], { isShown: false, runsOnce: false });
    this.walk(callee, { ...context, isShown: false });
    // The first argument is its code.
    if (name === 'ClientError') return this.walk((node['arguments'] as Node[]).slice(1), { ...context, isShown: true });
    // Errors of other classes are for programmers.
    if (node.type === 'NewExpression' && name === 'Error') return this.#once(node['arguments'], context);
    if (name === 'setAttribute') return SHOWN_ATTRIBUTES.has(nameOf(first)) ? this.walk(second, { ...context, isShown: true }) : undefined;
    if (TECHNICAL_CALLS.has(name)) return this.#once(node['arguments'], context);
    this.walk(node['arguments'], { ...context, isShown: SHOWING_CALLS.test(`${nameOf(callee['object'] as Node | undefined)}.${callee.type === 'MemberExpression' && (callee['property'] as Node).type === 'PrivateIdentifier' ? '#' : ''}${name}`) });
  }
}

/** Texts of a file that are in no catalogue, and messages that it keeps although the language may change. */
export function literalsIn(path: string, source: string): { found: Literal[]; kept: Literal[] } {
  const isComponent = path.endsWith('.svelte');
  const opening = '<script lang="ts">';
  const { instance, module, fragment } = parse(isComponent ? source : `${opening}${source}\n</script>`, { modern: true });
  const finder = new Finder(source, isComponent ? 0 : opening.length);
  for (const script of [instance, module]) if (script) finder.walk((script.content as unknown as { body: unknown }).body, { isShown: false, runsOnce: true });
  finder.walk(fragment.nodes, { isShown: false, runsOnce: false });
  return finder;
}
