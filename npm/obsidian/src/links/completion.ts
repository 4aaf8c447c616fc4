// Completes the type of a link after its pipe.
import { EditorSuggest, type App, type Editor, type EditorPosition, type EditorSuggestContext, type EditorSuggestTriggerInfo, type TFile } from 'obsidian';
import { LINK_TYPES } from '../../../../web-viewer/src/text/link-types';
import type { VaultEngine } from '../engine';
import type { Settings } from '../settings';
import { typeBadge } from './shown';

/** A link whose first label is being typed. */
const OPEN = /(?:^|[^!])\[\[[^[\]|]+\|([\p{L}\p{N}_-]*)$/u;

export class TypeCompletion extends EditorSuggest<string> {
  readonly #engine: VaultEngine;
  readonly #settings: () => Settings;

  constructor(app: App, engine: VaultEngine, settings: () => Settings) {
    super(app);
    this.#engine = engine;
    this.#settings = settings;
  }

  override onTrigger(cursor: EditorPosition, editor: Editor, file: TFile | null): EditorSuggestTriggerInfo | null {
    if (!this.#settings().completeTypes || !file) return null;
    const query = OPEN.exec(editor.getLine(cursor.line).slice(0, cursor.ch))?.[1];
    if (query === undefined) return null;
    return { start: { line: cursor.line, ch: cursor.ch - query.length }, end: cursor, query };
  }

  override async getSuggestions({ query, file }: EditorSuggestContext): Promise<string[]> {
    const page = this.#engine.pageOf(file.path);
    if (page === null) return [];
    // A new note is not in the index yet.
    const known = await this.#engine.call('resolve_links', { page }).catch(() => ({ link_types: LINK_TYPES, label_first: false }));
    if (known.label_first) return [];
    return known.link_types.filter((type) => type.toLowerCase().startsWith(query.toLowerCase()));
  }

  override renderSuggestion(type: string, element: HTMLElement): void {
    element.append(typeBadge(element.ownerDocument, type));
  }

  override selectSuggestion(type: string): void {
    if (!this.context) return;
    const { editor, start, end } = this.context;
    const after = editor.getLine(end.line).slice(end.ch);
    const isClosed = /^[^[\]]*\]\]/.test(after);
    editor.replaceRange(isClosed ? type : `${type}]]`, start, end);
    // After the brackets, unless there is more text in the link.
    const skip = isClosed && !after.startsWith(']]') ? 0 : 2;
    editor.setCursor({ line: start.line, ch: start.ch + type.length + skip });
    this.close();
  }
}
