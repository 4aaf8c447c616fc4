// The look of live preview. Rendered blocks take the styles of the article (`prose.css`).
import { EditorView } from '@codemirror/view';

const tint = (part: number) => `color-mix(in srgb, var(--tone) ${part}%, transparent)`;
const LIST_STEP = 1.6;

const lists = Object.fromEntries(
  [1, 2, 3, 4, 5, 6].flatMap((depth) => [
    [`.cm-line.cm-list-${depth}`, { paddingInlineStart: `calc(${depth * LIST_STEP}em + var(--space-1))` }],
    [`.cm-list.cm-list-${depth}`, { textIndent: `${-depth * LIST_STEP}em` }],
    [`.cm-list-${depth} .cm-list-lead`, { width: `${(depth - 1) * LIST_STEP}em` }],
  ]),
);

const TONES: Record<string, string[]> = {
  tip: ['tip', 'hint', 'success', 'check', 'done', 'important'],
  warning: ['warning', 'caution', 'attention', 'question', 'faq', 'help', 'todo'],
  danger: ['danger', 'error', 'bug', 'failure', 'fail', 'missing'],
  quote: ['quote', 'cite', 'example', 'abstract', 'summary', 'tldr'],
};
const tones = Object.fromEntries(
  Object.entries(TONES).map(([tone, kinds]) => [`.cm-callout-line:is(${kinds.map((kind) => `[data-callout=${kind}]`).join()})`, { '--tone': `var(--${tone})` }]),
);

export const liveLook = EditorView.theme({
  ...lists,
  '.cm-list-lead': { display: 'inline-block', overflow: 'hidden', textIndent: '0', whiteSpace: 'pre', verticalAlign: 'bottom' },
  '.cm-list-text .cm-list-lead': { width: '0 !important' },
  '.cm-list-mark': { display: 'inline-block', minWidth: `${LIST_STEP}em`, textIndent: '0', color: 'var(--ink-soft)', fontVariantNumeric: 'tabular-nums' },
  '.cm-list-mark .md-mark': { color: 'inherit' },
  '.cm-bullet': { position: 'relative' },
  '.cm-bullet, .cm-bullet *': { color: 'transparent !important' },
  '.cm-bullet::before': { content: '"•" / ""', position: 'absolute', insetInlineStart: '0.1em', color: 'var(--ink-faint)' },
  '.cm-task': { width: '1em', height: '1em', margin: '0 0.6em 0 0', textIndent: '0', verticalAlign: '-0.12em', accentColor: 'var(--accent)', cursor: 'pointer' },

  '.cm-line .cm-inline-code': { padding: '0.12em 0.32em', backgroundColor: 'var(--sunken)', borderRadius: '4px' },
  '.cm-code-line .cm-inline-code, .cm-table-line .cm-inline-code': { padding: '0', background: 'none' },
  '.cm-code-language': { color: 'var(--ink-faint)', font: 'var(--text-tiny) / 1.4 var(--font-text)', userSelect: 'none' },
  '.md-label': { fontSize: 'inherit' },
  '.cm-code-line.cm-fence-line': { fontSize: 'var(--text-tiny)', lineHeight: '1.4' },
  '.cm-line.cm-setext-rule': { lineHeight: '0.5' },
  '.cm-rule': { display: 'inline-block', width: '4em', borderTop: '1px solid var(--line-strong)', verticalAlign: 'middle' },
  '.cm-rule-line:has(.cm-rule)': { textAlign: 'center' },
  '.cm-link-part': { whiteSpace: 'pre' },

  '.cm-line.cm-callout-line': {
    '--tone': 'var(--note)',
    backgroundColor: tint(7),
    borderInlineStart: '3px solid var(--tone)',
    paddingInlineStart: 'var(--space-4)',
    paddingInlineEnd: 'var(--space-4)',
  },
  '.cm-callout-line .md-quote': { color: 'var(--ink)' },
  '.cm-callout-line.cm-callout-title': { borderStartEndRadius: 'var(--radius)', paddingTop: 'var(--space-2)' },
  '.cm-callout-line.cm-callout-last': { borderEndEndRadius: 'var(--radius)', paddingBottom: 'var(--space-2)' },
  '.cm-callout-title, .cm-callout-title .md-quote': { color: 'var(--tone)', fontWeight: '620' },
  ...tones,

  '.cm-page-link:not(.cm-missing)': { cursor: 'pointer' },
  '.cm-live': { display: 'flow-root', padding: 'var(--space-2) var(--space-1)', lineHeight: '1.7', cursor: 'default', whiteSpace: 'normal', wordBreak: 'normal' },
  '.cm-live > *': { margin: '0' },
  '.cm-live .scroller': { cursor: 'text' },
  '.cm-live [data-written]': { cursor: 'pointer' },
  '.cm-embed': { maxHeight: 'min(60dvh, 32rem)', overflowY: 'auto', scrollbarWidth: 'thin' },
  '.cm-embed > .embed-title + *': { marginTop: '0' },
  '.cm-embed > .cm-live-problem': { margin: '0' },
  '.cm-live-problem': { color: 'var(--ink-faint)', fontSize: 'var(--text-small)' },
  '.cm-live-failed > .cm-live-problem': { color: 'var(--danger)' },
  '.cm-live-display': { textAlign: 'center' },
  '.cm-live-display :is(pre, .query, .source-block)': { textAlign: 'start' },
  '.cm-live-display > pre': { margin: '0' },
  '.cm-shown-picture': { display: 'inline-block', maxWidth: '100%', verticalAlign: 'bottom' },
  '.cm-shown-picture.cm-picture-below': { display: 'block', padding: 'var(--space-2) 0', width: 'fit-content' },
  '.cm-shown-picture > img': { maxWidth: '100%', maxHeight: '60dvh', height: 'auto', objectFit: 'contain', borderRadius: 'var(--radius)', verticalAlign: 'bottom' },
  '.cm-shown-picture.cm-picture-broken': { padding: '0 var(--space-2)', border: '1px solid var(--line)', borderRadius: 'var(--radius)', color: 'var(--ink-faint)', fontSize: 'var(--text-small)' },
});
