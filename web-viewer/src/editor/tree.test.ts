import { syntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pageLanguage } from './language';
import { around } from './tree';

// A busy machine must not end parsing early.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

it('reaches text that is not parsed yet', () => {
  const doc = `${'Some text.\n\n'.repeat(1_000)}\`\`\`\ncode`;
  const state = EditorState.create({ doc, extensions: [pageLanguage()] });
  expect(syntaxTree(state).length).toBeLessThan(doc.length);
  expect(around(state, doc.length, -1, /^FencedCode$/)?.from).toBe(doc.length - '```\ncode'.length);
  expect(around(state, 3, 1, /^FencedCode$/)).toBeNull();
});
