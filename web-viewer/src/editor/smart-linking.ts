// Candidates while a link is typed: pages and files of code after `[[`, headings and symbols after `#`, blocks after `#^`, types after `|`.
// The engine selects and orders the pages.
import {
  CompletionContext,
  autocompletion,
  pickedCompletion,
  startCompletion,
  type Completion,
  type CompletionResult,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { Prec, StateEffect, StateField, type EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { ClientError, type Output } from '../client/client';
import { filesOf } from '../state/project-files';
import { fold } from '../text/fold';
import { typedLetters } from '../text/match';
import { acceptSoon } from './accept-soon';
import { attachmentsFor } from './attachment-names';
import { blocksOf } from './block-names';
import { matchingPaths, pathChoice } from './properties/sources';
import { pageContext, type PageContext } from './page-context';
import { rulesAt } from './page-rules';
import { around } from './tree';
import { writing } from '../words/writing';

const MOST = 8;

export interface Candidate extends Completion {
  kind: 'page' | 'file' | 'create' | 'heading' | 'symbol' | 'block' | 'type' | 'property';
  /** For a page or a file, where its name is ambiguous; the text of a block; a note on a property or symbol. */
  where?: string;
  level?: number;
}

/** The part of a link that is being typed. */
export interface Typing {
  /** The start of the part to complete. */
  from: number;
  stage: 'page' | 'heading' | 'type';
  /** Whether the link shows its target in place. */
  embeds: boolean;
  /** The text before it: the page of a heading. */
  page: string;
}

const NOT_TEXT = /^(InlineCode|FencedCode|CodeBlock|CodeText|Comment|CommentBlock|HTMLBlock|HTMLTag|ProcessingInstruction|FrontmatterContent)/;

/** Whether links are links before `pos`: not in code, comments, HTML or front matter. */
export function isText(state: EditorState, pos: number): boolean {
  return around(state, pos, -1, NOT_TEXT) === null;
}

export function typingAt(state: EditorState, pos: number, labelFirst: boolean): Typing | null {
  const line = state.doc.lineAt(pos);
  const found = /(!?)\[\[([^[\]]*)$/.exec(line.text.slice(0, pos - line.from));
  if (!found) return null;
  if (!isText(state, pos)) return null;
  const [, bang, inside = ''] = found;
  const embeds = bang === '!';
  const start = pos - inside.length;
  const pipe = inside.lastIndexOf('|');
  if (pipe >= 0) return { from: start + pipe + 1, stage: labelFirst ? 'page' : 'type', embeds, page: '' };
  const hash = inside.indexOf('#');
  if (hash >= 0) return { from: start + inside.lastIndexOf('#') + 1, stage: 'heading', embeds, page: inside.slice(0, hash) };
  return { from: start, stage: 'page', embeds, page: '' };
}

/** The end of the part that contains the cursor at `pos`, and whether the link is closed. */
function partAhead(state: EditorState, pos: number, stage: Typing['stage']): { end: number; isClosed: boolean } {
  const line = state.doc.lineAt(pos);
  const ahead = line.text.slice(pos - line.from);
  const close = ahead.indexOf(']]');
  const open = ahead.indexOf('[[');
  if (close < 0 || (open >= 0 && open < close)) return { end: pos, isClosed: false };
  const inside = ahead.slice(0, close);
  const next = stage === 'type' ? -1 : inside.search(stage === 'page' ? /[#|\\]/ : /[|\\]/);
  return { end: pos + (next >= 0 ? next : close), isClosed: true };
}

const linked = StateEffect.define<number>();

/** The end of a link that was just completed: `#` and `|` typed there still belong to the link. */
const justLinked = StateField.define<number | null>({
  create: () => null,
  update(at, transaction) {
    for (const effect of transaction.effects) if (effect.is(linked)) return effect.value;
    if (at === null || transaction.selection || transaction.changes.touchesRange(at)) return null;
    // The answer to a save may change the front matter.
    return transaction.changes.mapPos(at);
  },
});

function insert(view: EditorView, completion: Completion, stage: Typing['stage'], text: string, from: number, to: number): void {
  const { end, isClosed } = partAhead(view.state, to, stage);
  const whole = isClosed ? text : `${text}]]`;
  const after = view.state.sliceDoc(end, end + 2);
  const cursor = from + whole.length + (isClosed && after === ']]' ? 2 : 0);
  const isEnd = !isClosed || after === ']]';
  view.dispatch({
    changes: { from, to: end, insert: whole },
    selection: { anchor: cursor },
    effects: isEnd ? [linked.of(cursor)] : [],
    annotations: pickedCompletion.of(completion),
    userEvent: 'input.complete',
    scrollIntoView: true,
  });
}

/** A page that matches, and the name that means this page from here: if the best name does not, its path. */
export interface SpelledPage {
  page: Output<'complete'>['pages'][number];
  written: string;
}

export async function spelledPages(context: PageContext, text: string, limit: number): Promise<SpelledPage[]> {
  const { client } = context.host;
  const [, prefix = '', rest = ''] = /^([^\s:]+:)(.*)$/s.exec(text) ?? [];
  const away = prefix && (await context.host.pagesElsewhere(prefix.slice(0, -1), rest, limit));
  const found = away || (await client.call('complete', { text, limit })).pages;
  const spellings = found.map(({ name, filepath }) => [away ? prefix + name : name, filepath.replace(/\.(md|markdown)$/i, ''), filepath]);
  const links = spellings.flat().map((name) => `[[${name}]]`);
  const answers = links.length > 0 ? (await client.call('resolve_links', { page: context.filepath, links, pictures: [] })).links : [];
  return found.map((page, index) => {
    const spelled = spellings[index] ?? [];
    return { page, written: spelled.find((_, which) => answers[index * 3 + which]?.filepath === page.filepath) ?? page.filepath };
  });
}

/** Attachments, then pages. A file that exists is not offered as a new page. */
async function embeds(context: PageContext, typed: string): Promise<Candidate[]> {
  const [files, others] = await Promise.all([attachmentsFor(filesOf(context.host.client), typed, MOST), context.host.isAway(typed.trim()) ? [] : pages(context, typed)]);
  const found = files.map(
    ({ written, folder }): Candidate => ({
      kind: 'file',
      label: written,
      where: folder,
      commitCharacters: typed.trim() !== '' && fold(written).startsWith(fold(typed.trim())) ? ['|'] : [],
      apply: (view, completion, from, to) => insert(view, completion, 'page', written, from, to),
    }),
  );
  const kept = others.filter(({ kind }) => kind !== 'create' || found.length === 0);
  // Pages keep a place: they can be embedded too.
  return [...found.slice(0, MOST - Math.min(kept.length, MOST / 4)), ...kept].slice(0, MOST);
}

async function pages(context: PageContext, typed: string): Promise<Candidate[]> {
  const text = typed.trim();
  const candidates = (await spelledPages(context, text, MOST)).map(({ page, written }): Candidate => {
    const begins = text !== '' && [page.name, written].some((name) => fold(name).startsWith(fold(text)));
    return {
      kind: 'page',
      label: page.name,
      where: page.filepath,
      commitCharacters: begins ? ['#', '|'] : [],
      apply: (view, completion, from, to) => insert(view, completion, 'page', written, from, to),
    };
  });
  const code = await sources(context, text);
  const found = [...candidates.slice(0, MOST - Math.min(code.length, MOST / 2)), ...code].slice(0, MOST);
  if (!text || code.length > 0 || candidates.some(({ label }) => fold(label) === fold(text)) || context.host.isAway(text)) return found;
  return [...found.slice(0, MOST - 1), create(context, text)];
}

/** Files of code, for what is typed like a path or the name of a file. */
async function sources(context: PageContext, text: string): Promise<Candidate[]> {
  if (!/[/.]/.test(text)) return [];
  const { files } = await filesOf(context.host.client).known('source');
  // These characters end a link.
  const linkable = files.filter(({ path }) => !/[[\]|#]/.test(path));
  return matchingPaths(linkable.map(({ path }) => pathChoice(path, '')), text).map(({ text: path }): Candidate => ({
    kind: 'file',
    label: path,
    commitCharacters: fold(path).startsWith(fold(text)) ? ['#', '|'] : [],
    apply: (view, completion, from, to) => insert(view, completion, 'page', path, from, to),
  }));
}

async function symbols(context: PageContext, file: string, typed: string): Promise<Candidate[]> {
  const text = typed.trim();
  const { symbols: found } = await context.host.client.call('list_symbols', { file, text, limit: MOST });
  return found.map(({ name, kind }): Candidate => ({
    kind: 'symbol',
    label: name,
    where: kind,
    commitCharacters: text !== '' && fold(name).startsWith(fold(text)) ? ['|'] : [],
    apply: (view, completion, from, to) => insert(view, completion, 'heading', name, from, to),
  }));
}

function create(context: PageContext, name: string): Candidate {
  return {
    kind: 'create',
    label: writing.editor.createNew(name),
    apply: (view, completion, from, to) => {
      insert(view, completion, 'page', name, from, to);
      context.host.create(name).then(
        (path) => {
          context.answers.changed();
          context.tell(writing.editor.created(path));
        },
        (error: unknown) => context.tell(ClientError.from(error).message),
      );
    },
  };
}

async function headings(context: PageContext, page: string, typed: string): Promise<Candidate[]> {
  const answer = page.trim() ? await context.answers.now(`[[${page.trim()}]]`) : null;
  if (answer?.source_path) return symbols(context, answer.source_path, typed);
  const target = page.trim() ? answer?.filepath : context.filepath;
  if (!target || context.host.isAway(target)) return [];
  if (typed.trimStart().startsWith('^')) return blocks(context, target, typed);
  const { headings: all } = await context.host.client.call('render_page', { filepath: target });
  const wanted = fold(typed).trim();
  return all
    .filter(({ text }) => !wanted || typedLetters(typed, text).length > 0)
    .sort((a, b) => Number(fold(b.text).includes(wanted)) - Number(fold(a.text).includes(wanted)))
    .slice(0, MOST)
    .map(({ text, level }): Candidate => {
      // These characters would end the heading.
      const name = text.replace(/[#|^[\]\\]/g, ' ').replace(/\s+/g, ' ').trim();
      return {
        kind: 'heading',
        label: text,
        level,
        commitCharacters: wanted && fold(text).startsWith(wanted) ? ['|'] : [],
        apply: (view, completion, from, to) => insert(view, completion, 'heading', name, from, to),
      };
    });
}

async function blocks(context: PageContext, page: string, typed: string): Promise<Candidate[]> {
  const wanted = fold(typed.trim().slice(1));
  return (await blocksOf(context, page))
    .filter(({ name, text }) => fold(name).includes(wanted) || fold(text).includes(wanted))
    .slice(0, MOST)
    .map(({ name, text }): Candidate => ({
      kind: 'block',
      label: name,
      where: text,
      apply: (view, completion, from, to) => insert(view, completion, 'heading', name, from, to),
    }));
}

/** First the types that the templates of the page's type name. */
async function types(context: PageContext, typed: string): Promise<Candidate[]> {
  const wanted = fold(typed).trim();
  const { links } = await rulesAt(context);
  return [...new Set([...links, ...context.answers.linkTypes])]
    .filter((type) => fold(type).includes(wanted) || fold(type.replaceAll('_', ' ')).includes(wanted))
    .slice(0, MOST)
    .map((type) => ({
      kind: 'type',
      label: type,
      apply: (view: EditorView, completion: Completion, from: number, to: number) => insert(view, completion, 'type', type, from, to),
    }));
}

async function candidates(query: CompletionContext): Promise<CompletionResult | null> {
  const context = query.state.facet(pageContext);
  if (!context) return null;
  const typing = typingAt(query.state, query.pos, context.answers.labelFirst);
  if (!typing) return null;
  const typed = query.state.sliceDoc(typing.from, query.pos);
  try {
    const found =
      await (typing.stage === 'type' ? types(context, typed) : typing.stage === 'heading' ? headings(context, typing.page, typed) : typing.embeds ? embeds(context, typed) : pages(context, typed));
    if (found.length === 0) return null;
    const letters = (completion: Completion) =>
      (completion as Candidate).kind === 'create' ? [] : typedLetters(typed, completion.label).flat();
    return { from: typing.from, options: found, filter: false, getMatch: letters };
  } catch {
    // Without an answer there are no candidates; the link can still be typed.
    return null;
  }
}

/** `[[` is closed automatically, and `]` skips existing brackets. Never during a composition. */
const brackets = EditorView.inputHandler.of((view, from, to, text) => {
  const { state } = view;
  if (view.compositionStarted || state.readOnly || from !== to || state.selection.ranges.length > 1) return false;
  const before = state.sliceDoc(Math.max(0, from - 2), from);
  const after = state.sliceDoc(from, from + 2);
  if ((text === '|' || text === '#') && state.field(justLinked) === from && before === ']]') {
    const table = text === '|' && around(state, from, -1, /^Table$/) ? '\\' : '';
    view.dispatch({ changes: { from: from - 2, insert: table + text }, selection: { anchor: from - 2 + table.length + 1 }, userEvent: 'input.type' });
    startCompletion(view);
    return true;
  }
  if (text === '[' && before.endsWith('[') && before !== '[[' && after !== ']]' && !/^[\p{L}\p{N}[]/u.test(after)) {
    if (!typingAt(state.update({ changes: { from, insert: '[' } }).state, from + 1, false)) return false;
    const rest = after.startsWith(']') ? ']' : ']]';
    view.dispatch({ changes: { from, insert: `[${rest}` }, selection: { anchor: from + 1 }, userEvent: 'input.type' });
    return true;
  }
  const line = state.doc.lineAt(from);
  if (text === ']' && after.startsWith(']') && /\[\[[^[\]]*\]?$/.test(line.text.slice(0, from - line.from))) {
    view.dispatch({ selection: { anchor: from + 1 }, userEvent: 'input.type' });
    return true;
  }
  return false;
});

/** Deletes both sides of an empty link at once. */
function deleteEmptyLink(view: EditorView): boolean {
  const { main, ranges } = view.state.selection;
  if (!main.empty || ranges.length > 1 || view.compositionStarted) return false;
  if (view.state.sliceDoc(Math.max(0, main.head - 2), main.head + 2) !== '[[]]') return false;
  view.dispatch({ changes: { from: main.head - 1, to: main.head + 2 }, userEvent: 'delete.backward' });
  return true;
}

function detail(completion: Completion): Node | null {
  const { kind, where, level, label } = completion as Candidate;
  const note = document.createElement('span');
  note.className = 'cm-candidate-note';
  if (kind === 'page') {
    const plain = where?.replace(/\.(md|markdown)$/i, '') ?? '';
    if (plain === label) return null;
    note.textContent = plain;
  } else if (kind === 'file') note.textContent = where && !label.includes('/') ? where : '';
  else if (kind === 'block' || kind === 'property' || kind === 'symbol') note.textContent = where ?? '';
  else if (kind === 'heading') note.textContent = `H${level}`;
  else if (kind === 'type') {
    note.className = 'cm-candidate-type link';
    note.dataset['type'] = label;
    note.textContent = writing.editor.linkNote;
  } else return null;
  return note;
}

/** One source for all candidates, so that Enter and Tab, pressed while they load, wait for one answer. */
const firstOf = (sources: readonly CompletionSource[]) => async (query: CompletionContext): Promise<CompletionResult | null> => {
  for (const source of sources) {
    // Without an answer there are no candidates; the text can still be typed.
    const found = await Promise.resolve(source(query)).catch(() => null);
    if (found) return found;
  }
  // Without a result, CodeMirror forgets that candidates were asked for again in the meantime. An empty one of a former text is
  // outdated, so that it asks again.
  return query.view && query.view.state.doc !== query.state.doc ? { from: query.pos, options: [] } : null;
};

/** Whether a source asks for candidates: it answers null at once where it has nothing to offer. */
function asks(source: CompletionSource, query: CompletionContext): boolean {
  const found = source(query);
  // The list asks the same, and deals with a failure.
  void Promise.resolve(found).catch(() => null);
  return found !== null;
}

/** `others` are sources of candidates outside of links. */
export const smartLinking = (others: readonly CompletionSource[]): Extension => [
  justLinked,
  Prec.high(brackets),
  // Before the keys of the list: while keys are queued, Enter and Tab are queued too, even if the list has just been shown.
  acceptSoon(({ state }) => {
    const at = state.selection.main.head;
    return typingAt(state, at, false) !== null || others.some((source) => asks(source, new CompletionContext(state, at, false)));
  }),
  autocompletion({
    override: [firstOf([...others, candidates])],
    activateOnTypingDelay: 0,
    interactionDelay: 0,
    updateSyncTime: 60,
    maxRenderedOptions: MOST,
    icons: false,
    tooltipClass: () => 'cm-candidates',
    optionClass: (completion) => `cm-candidate-${(completion as Candidate).kind}`,
    addToOptions: [{ render: detail, position: 80 }],
  }),
  Prec.highest(keymap.of([{ key: 'Backspace', run: deleteEmptyLink }])),
];
