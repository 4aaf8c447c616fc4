// Tests that clients which can show a form ask the person about a proposal at once.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { CLIENTS } from './support/clients.mjs';
import { argumentsFor, environment, program, serveHttp } from './support/server.mjs';
import { checkAnswer, checkTool } from './support/tools.mjs';
import { vault } from './support/vault.mjs';

const form = (decision, comment) => ({ action: 'accept', content: comment ? { decision, comment } : { decision } });

// Runs `work` with a client of a project whose server has these options. `answer` answers for the person.
async function withClient(kind, transport, options, answer, work) {
  const project = vault();
  const face = kind.open(answer);
  let server;
  try {
    if (transport === 'stdio') {
      const streams = { command: program, args: argumentsFor(project.folder, options), env: environment(), stderr: 'ignore' };
      await face.client.connect(face.stdio(streams));
    } else {
      server = await serveHttp(project.folder, { options });
      await face.client.connect(face.http(server.url));
    }
    const { tools } = await face.client.listTools();
    const tool = tools.find((one) => one.name === 'ubp_update_page');
    checkTool(tool);
    const propose = async (content) => {
      const args = { page: 'draft.md', mode: 'append', content, reason: 'It was missing.' };
      const result = await face.call('ubp_update_page', args);
      checkAnswer(tool, args, result);
      return result;
    };
    const page = () => readFileSync(join(project.folder, 'pages/draft.md'), 'utf8');
    await work({ face, propose, page, project });
  } finally {
    await face.client.close();
    await server?.stop();
    project.remove();
  }
}

for (const kind of CLIENTS) {
  for (const transport of ['stdio', 'http']) {
    test(`${kind.name} over ${transport} asks the person about a proposal at once`, async () => {
      const asked = [];
      let reply;
      const answer = async (params) => {
        asked.push(params);
        return reply();
      };
      await withClient(kind, transport, ['--write'], answer, async ({ face, propose, page, project }) => {
        const before = page();
        const ends = async (said, state, told) => {
          reply = () => said;
          const line = `Line ${asked.length}.`;
          const { structuredContent, content } = await propose(line);
          const { message, requestedSchema } = asked.at(-1);
          for (const words of [/^`ubp-suite 1` wants to:/, /edit `draft\.md`/, /It was missing\./, /\+Line \d\./]) assert.match(message, words);
          assert.deepEqual(Object.keys(requestedSchema.properties), ['decision', 'comment']);
          assert.deepEqual(requestedSchema.properties.decision.enum, ['accept', 'reject', 'later']);
          assert.equal(structuredContent.outcome.state, state);
          assert.match(content[0].text, told);
          const shown = (await face.call('ubp_get_proposal', { proposal: structuredContent.proposal })).structuredContent;
          assert.equal(shown.state, state);
          return { line, outcome: structuredContent.outcome };
        };
        const rejected = await ends(form('reject', 'Why?'), 'rejected', /rejected this\.[^]*Why\?/);
        assert.equal(rejected.outcome.decision.comment, 'Why?');
        await ends({ action: 'cancel' }, 'pending', /did not decide/);
        assert.equal(page(), before);
        const { line } = await ends(form('accept'), 'accepted', /it is written now/);
        assert.ok(page().includes(line));
        const count = asked.length;
        await face.call('ubp_get_page', { page: 'draft.md' });
        await face.call('ubp_list_proposals', {});
        assert.equal(asked.length, count, 'only a new proposal is a question');

        const edited = `${page()}\nThe person's own line.\n`;
        reply = () => {
          project.write('pages/draft.md', edited);
          return form('accept');
        };
        const late = await propose('A late line.');
        assert.equal(late.structuredContent.outcome.state, 'conflict');
        assert.match(late.content[0].text, /it was not written/);
        assert.equal(page(), edited);
      });
    });

    test(`${kind.name} over ${transport} makes other calls while the person reads`, async () => {
      let decide;
      const decision = new Promise((resolve) => (decide = resolve));
      let isAsked;
      const asked = new Promise((resolve) => (isAsked = resolve));
      const answer = () => {
        isAsked();
        return decision;
      };
      await withClient(kind, transport, ['--write'], answer, async ({ face, propose, page }) => {
        const waiting = propose('A line more.');
        await asked;
        const read = await face.call('ubp_get_page', { page: 'login.md' });
        assert.equal(read.structuredContent.filepath, 'login.md');
        assert.doesNotMatch(page(), /A line more/);
        decide(form('accept'));
        assert.equal((await waiting).structuredContent.outcome.state, 'accepted');
        assert.match(page(), /A line more/);
      });
    });
  }

  test(`${kind.name} is not asked if it shows no forms, or if changes are made at once`, async () => {
    await withClient(kind, 'stdio', ['--write'], undefined, async ({ propose, page }) => {
      const { structuredContent } = await propose('A line more.');
      assert.ok(structuredContent.proposal && !('outcome' in structuredContent));
      assert.doesNotMatch(page(), /A line more/);
    });
    const answer = () => assert.fail('asked');
    await withClient(kind, 'stdio', ['--write=apply'], answer, async ({ face, page }) => {
      const { content_hash: expected_hash } = (await face.call('ubp_get_page', { page: 'draft.md' })).structuredContent;
      await face.call('ubp_update_page', { page: 'draft.md', mode: 'append', content: 'A line more.', expected_hash });
      assert.match(page(), /A line more/);
    });
  });
}
