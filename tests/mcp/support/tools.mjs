// One call of every tool. In this order, all of them succeed on one project.

import assert from 'node:assert/strict';
import Ajv from 'ajv/dist/2020.js';

// `ask(name, arguments)` returns the structured answer of another tool.
const hashOf = async (ask, page) => (await ask('ubp_get_page', { page })).content_hash;

const CALLS = {
  ubp_search: () => ({ query: 'how long does a session live', limit: 3 }),
  ubp_fulltext_search: () => ({ query: '公開鍵' }),
  ubp_get_page: () => ({ page: 'Login', section: 'login/lockout' }),
  ubp_get_context: () => ({ page: 'login.md', depth: 2 }),
  ubp_list_pages: () => ({ tags: ['auth'], sort: 'title' }),
  ubp_get_graph: () => ({ page: 'Login' }),
  ubp_graph_traverse: () => ({ page: 'Tokens', direction: 'incoming' }),
  ubp_get_impact: () => ({ file: 'src/auth/login.ts' }),
  ubp_status: () => ({}),
  ubp_check_staleness: () => ({}),
  ubp_refs: () => ({ file: 'src/auth/login.ts' }),
  ubp_doctor: () => ({}),
  ubp_suggest_links: () => ({ page: 'guides/onboarding.md', threshold: 0.1 }),
  ubp_add: () => ({ pages: ['draft.md'] }),
  ubp_rebuild: () => ({}),
  ubp_review_page: async (ask) => (await ask('ubp_check_staleness', { page: 'login.md' })).pages[0].settle_with.params,
  ubp_accept: async (ask) => ({
    source: 'guides/onboarding.md',
    target: 'tokens.md',
    expected_hash: await hashOf(ask, 'guides/onboarding.md'),
  }),
  ubp_dismiss: () => ({ source: 'draft.md', target: 'tokens.md' }),
  ubp_add_comment: () => ({ page: 'draft.md', text: 'Is this a draft?' }),
  ubp_list_comments: () => ({ page: 'draft.md' }),
  ubp_list_templates: () => ({}),
  ubp_create_page: () => ({ title: 'Two factors', folder: 'guides', content: 'A code beside the password. [[Login]]' }),
  ubp_update_page: async (ask) => ({
    page: 'draft.md',
    mode: 'append',
    content: 'A line more.',
    expected_hash: await hashOf(ask, 'draft.md'),
  }),
  ubp_replace: () => ({ old: 'A line more.', new: 'One line more.', dry_run: true }),
  ubp_audit: () => ({ limit: 5 }),
  ubp_undo: async (ask) => ({ entry: (await ask('ubp_audit', {})).entries[0].group, dry_run: true }),
  ubp_rename_page: async (ask) => ({
    page: 'old-name.md',
    title: 'Better name',
    expected_hash: await hashOf(ask, 'old-name.md'),
  }),
  ubp_delete_page: async (ask) => ({
    page: 'obsolete.md',
    confirm: true,
    expected_hash: await hashOf(ask, 'obsolete.md'),
  }),
};

// The tools of a read-only server without options.
export const DEFAULT_TOOLS = [
  'ubp_check_staleness', 'ubp_doctor', 'ubp_fulltext_search', 'ubp_get_context', 'ubp_get_graph', 'ubp_get_impact', 'ubp_get_page',
  'ubp_graph_traverse', 'ubp_list_pages', 'ubp_refs', 'ubp_search', 'ubp_status', 'ubp_suggest_links',
];

export async function argumentsOf(name, ask) {
  assert.ok(name in CALLS, `${name} has no call in support/tools.mjs`);
  return CALLS[name](ask);
}

// Strict, so that keywords and formats that some clients do not support fail here.
function validator(schema) {
  return new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true }).compile(schema);
}

// Checks the description of a tool.
export function checkTool(tool) {
  assert.equal(tool.inputSchema.type, 'object');
  assert.equal(tool.inputSchema.additionalProperties, false, `${tool.name} accepts unknown fields`);
  validator(tool.inputSchema);
  assert.equal(tool.outputSchema.type, 'object');
  validator(tool.outputSchema);
  assert.ok(tool.description.length > 20, tool.name);
  assert.equal(typeof tool.annotations.readOnlyHint, 'boolean');
}

// Checks the answer of a tool.
export function checkAnswer(tool, args, result) {
  assert.ok(!result.isError, `${tool.name}: ${JSON.stringify(result.content)}`);
  const takes = validator(tool.inputSchema);
  assert.ok(takes(args), `${tool.name} takes ${JSON.stringify(args)}: ${JSON.stringify(takes.errors)}`);
  const gives = validator(tool.outputSchema);
  assert.ok(gives(result.structuredContent), `${tool.name}: ${JSON.stringify(gives.errors)}`);
  assert.ok(Object.keys(result.structuredContent).length > 0, tool.name);
  assert.ok(result.content.length === 1 && result.content[0].type === 'text', tool.name);
  assert.ok(result.content[0].text.trim().length > 0, tool.name);
}
