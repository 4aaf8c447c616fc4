// All extensions of the page editor.
import { completionStatus } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { deleteMarkupBackward, insertNewlineContinueMarkup } from '@codemirror/lang-markdown';
import { foldKeymap, indentUnit } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, placeholder, type KeyBinding } from '@codemirror/view';
import { attachments } from './attachments';
import { blockLines } from './blocks';
import { sharing } from './coediting/place';
import { conflictPlace } from './conflict';
import { followLink, following } from './following';
import { findCount } from './find-count';
import { folding } from './folding';
import { indent, outdent } from './indenting';
import { pageLanguage } from './language';
import { linkMarks } from './link-marks';
import { livePreview } from './live/live';
import { look } from './look';
import { missingHeadings } from './missing-headings';
import { notices } from './notices';
import { pastedTables } from './pasted-table';
import { properties } from './properties/panel';
import { yamlCandidates } from './properties/yaml-candidates';
import { closePreview, preview, previewLink } from './preview';
import { fullWidth } from './full-width';
import { refusing } from './refusing';
import { smartLinking } from './smart-linking';
import { nextCell, previousCell } from './tables';
import { tickTask } from './live/small-widgets';
import { toolbar } from './toolbar';
import { wrapping } from './wrapping';
import english from '../words/en/writer';
import { writing } from '../words/writing';

/** Keys of the app around the editor, or of its own commands. */
const TAKEN = new Set(['Alt-ArrowLeft', 'Alt-ArrowRight', 'Mod-[', 'Mod-]', 'Mod-i', 'Mod-Enter', 'Shift-Mod-k', 'Mod-b', 'Mod-k', 'Mod-s', 'Mod-n', 'Mod-e', 'Shift-Alt-m']);

function ours({ key, win, linux, mac }: KeyBinding): boolean {
  return ![key, win, linux, mac].some((name) => name !== undefined && TAKEN.has(name));
}

/** Texts of CodeMirror's own parts, in the language that is shown when they ask. */
const phrases = Object.defineProperties(
  {},
  Object.fromEntries(Object.keys(english.editor.phrases).map((name) => [name, { get: () => writing.editor.phrases[name as keyof typeof english.editor.phrases] }])),
) as Record<string, string>;

function beginningHint(): HTMLElement {
  const hint = document.createElement('span');
  hint.textContent = writing.editor.placeholder;
  return hint;
}

export function pageExtensions(label: () => string, isEditable: boolean, isLive: boolean): Extension {
  return [
    history(),
    pageLanguage(),
    folding,
    properties,
    linkMarks,
    livePreview(isLive),
    blockLines,
    smartLinking([missingHeadings, yamlCandidates]),
    fullWidth,
    attachments,
    pastedTables,
    wrapping,
    following,
    preview,
    toolbar,
    notices,
    conflictPlace,
    sharing.of([]),
    refusing,
    search({ top: true }),
    findCount,
    EditorState.phrases.of(phrases),
    highlightSelectionMatches({ minSelectionLength: 3, wholeWords: true }),
    highlightSpecialChars(),
    placeholder(beginningHint),
    indentUnit.of('  '),
    EditorState.tabSize.of(4),
    // The editor uses one kind of line break; the file keeps its own.
    EditorState.lineSeparator.of('\n'),
    EditorView.lineWrapping,
    EditorState.readOnly.of(!isEditable),
    EditorView.contentAttributes.of(() => ({ 'aria-label': label(), spellcheck: 'true', autocorrect: 'on', autocapitalize: 'sentences' })),
    keymap.of([
      { key: 'Mod-Enter', run: followLink },
      { key: 'Mod-Enter', run: tickTask },
      { key: 'Mod-Shift-Enter', run: previewLink },
      { key: 'Escape', run: (view) => completionStatus(view.state) === null && closePreview(view) },
      { key: 'Enter', run: insertNewlineContinueMarkup },
      { key: 'Backspace', run: deleteMarkupBackward },
      { key: 'Tab', run: nextCell, shift: previousCell },
      { key: 'Tab', run: indent, shift: outdent },
      ...searchKeymap.filter(ours),
      ...historyKeymap,
      ...foldKeymap,
      ...defaultKeymap.filter(ours),
    ]),
    look,
  ];
}
