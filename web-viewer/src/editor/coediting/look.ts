// How the cursors of others look.
import { EditorView } from '@codemirror/view';

/** Hues of their colours, as in the status bar; the last one is that of agents. */
const HUES = [212, 22, 145, 285, 340, 180, 48, 255, 310];

export const look = EditorView.theme({
  '.cm-guest': { position: 'relative', borderInlineStart: '2px solid var(--guest)', marginInline: '-1px', pointerEvents: 'none' },
  '.cm-guest-name': {
    position: 'absolute',
    insetInlineStart: '-2px',
    bottom: '100%',
    zIndex: '4',
    padding: '0 5px',
    borderRadius: '3px 3px 3px 0',
    backgroundColor: 'var(--guest)',
    color: '#fff',
    font: '600 11px / 16px var(--font-text)',
    whiteSpace: 'nowrap',
    animation: 'cm-guest-fades 4s forwards',
  },
  '@keyframes cm-guest-fades': { '0%, 75%': { opacity: '1' }, '100%': { opacity: '0' } },
  '.cm-guest-selection': { backgroundColor: 'color-mix(in srgb, var(--guest) 22%, transparent)' },
  ...Object.fromEntries(HUES.map((hue, colour) => [`.cm-guest-${colour}`, { '--guest': `hsl(${hue} 65% 42%)` }])),
});

