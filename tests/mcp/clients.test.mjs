// Tests a real server with the official TypeScript clients: every request that they can make, over standard
// input and output and over HTTP.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { CLIENTS } from './support/clients.mjs';
import { ALL, argumentsFor, environment, eventually, program, serveHttp } from './support/server.mjs';
import { DEFAULT_TOOLS, argumentsOf, checkAnswer, checkTool } from './support/tools.mjs';
import { vault } from './support/vault.mjs';

const LOGIN = 'ubp://page/login.md';

// A connected client, with the resources to close afterwards.
async function connect(kind, transport, folder, options = ALL) {
  const face = kind.open();
  if (transport === 'stdio') {
    const streams = { command: program, args: argumentsFor(folder, options), env: environment(), stderr: 'ignore' };
    await face.client.connect(face.stdio(streams));
    return { ...face, close: () => face.client.close() };
  }
  const server = await serveHttp(folder, { options });
  await face.client.connect(face.http(server.url));
  const close = async () => {
    await face.client.close();
    const end = await server.stop();
    assert.deepEqual(end, { code: 0, signal: null }, server.said());
    assert.equal(server.printed(), '', 'standard output contains only the protocol');
  };
  return { ...face, close };
}

const error = (result) => result._meta?.['unified-blueprint/error'];

for (const kind of CLIENTS) {
  for (const transport of ['stdio', 'http']) {
    describe(`${kind.name} over ${transport}`, () => {
      let project;
      let face;
      let client;

      before(async () => {
        project = vault();
        face = await connect(kind, transport, project.folder);
        client = face.client;
      });
      after(async () => {
        await face?.close();
        project.remove();
      });

      test('negotiates the protocol and receives the server info', () => {
        assert.equal(client.getServerVersion().name, 'ubp');
        assert.match(client.getInstructions(), /ubp_search/);
        const offered = client.getServerCapabilities();
        assert.ok(offered.tools && offered.prompts && offered.completions && offered.resources.subscribe);
        const agreed = client.getNegotiatedProtocolVersion?.();
        if (agreed) assert.equal(agreed, kind.version);
      });

      test('calls every tool, and each answer matches its schema', async () => {
        const { tools } = await client.listTools();
        assert.ok(tools.length >= DEFAULT_TOOLS.length + 8, `${tools.length} tools`);
        const ask = async (name, args) => (await face.call(name, args)).structuredContent;
        // Read-only tools come first, so that changes cannot hide their failures.
        for (const tool of [...tools].sort((a, b) => b.annotations.readOnlyHint - a.annotations.readOnlyHint)) {
          checkTool(tool);
          const args = await argumentsOf(tool.name, ask);
          checkAnswer(tool, args, await face.call(tool.name, args));
        }
        const page = readFileSync(join(project.folder, 'pages/draft.md'), 'utf8');
        assert.match(page, /A line more\.\n$/);
      });

      test('receives errors that an agent can fix as results', async () => {
        const wrong = [
          ['ubp_search', {}, 'invalid_params'],
          ['ubp_search', { query: 5 }, 'invalid_params'],
          ['ubp_search', { query: 'x', limit: 10_000 }, 'invalid_params'],
          ['ubp_search', { query: 'x', colour: 'red' }, 'invalid_params'],
          ['ubp_get_page', { page: 'Logni' }, 'page_not_found'],
          ['ubp_get_page', { filepath: '../../etc/passwd' }, undefined],
          ['ubp_update_page', { page: 'login.md', mode: 'append', content: 'x', expected_hash: `sha256:${'0'.repeat(64)}` }, 'conflict'],
          ['ubp_delete_page', { page: 'login.md' }, undefined],
        ];
        for (const [name, args, code] of wrong) {
          const result = await face.call(name, args);
          const given = JSON.stringify([name, args, result]);
          assert.equal(result.isError, true, given);
          const { code: found, message } = error(result);
          assert.ok(found && message, given);
          if (code) assert.equal(found, code, given);
          assert.ok(result.content[0].text.startsWith(`error (${found}): ${message}`), given);
          assert.equal(result.structuredContent, undefined, given);
        }
        await assert.rejects(face.call('no_such_tool', {}), { code: -32602, message: /unknown tool/ });
      });

      test('lists, reads and completes pages as resources', async () => {
        const { resources } = await client.listResources();
        const uris = resources.map((resource) => resource.uri);
        assert.ok(uris.includes(LOGIN) && uris.includes('ubp://page/guides/%E6%97%A5%E6%9C%AC%E8%AA%9E.md'), `${uris}`);
        for (const { uri } of resources) {
          const { contents } = await client.readResource({ uri });
          const file = join(project.folder, 'pages', decodeURIComponent(uri.slice('ubp://page/'.length)));
          assert.deepEqual([contents[0].uri, contents[0].text], [uri, readFileSync(file, 'utf8')]);
        }
        const { resourceTemplates } = await client.listResourceTemplates();
        assert.deepEqual(resourceTemplates.map((template) => template.uriTemplate), ['ubp://page/{+path}']);
        for (const uri of ['ubp://page/none.md', 'ubp://page/../src/auth/login.ts', 'file:///etc/passwd']) {
          await assert.rejects(client.readResource({ uri }), (failure) => typeof failure.code === 'number', uri);
        }
        const { completion } = await client.complete({
          ref: { type: 'ref/resource', uri: 'ubp://page/{+path}' },
          argument: { name: 'path', value: 'log' },
        });
        assert.ok(completion.values.includes('login.md'), `${completion.values}`);
      });

      test('gets prompts and completes their arguments', async () => {
        const { prompts } = await client.listPrompts();
        const filled = { review_stale_pages: {}, write_page_from_code: { file: 'src/auth' }, explain_area: { area: 'Login' } };
        assert.deepEqual(prompts.map((prompt) => prompt.name).sort(), Object.keys(filled).sort());
        for (const [name, args] of Object.entries(filled)) {
          const { messages } = await client.getPrompt({ name, arguments: args });
          const { text } = messages[0].content;
          assert.match(text, /ubp_/);
          for (const value of Object.values(args)) assert.ok(text.includes(value), text);
        }
        await assert.rejects(client.getPrompt({ name: 'explain_area' }), { code: -32602 });
        const complete = async (name, argument, value) =>
          (await client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: argument, value } })).completion.values;
        assert.ok((await complete('explain_area', 'area', 'ses')).includes('Sessions'));
        assert.ok((await complete('write_page_from_code', 'file', 'src/')).includes('src/auth/login.ts'));
      });

      test('is notified of changes of subscribed pages only', async () => {
        const heard = [];
        let listings = 0;
        const stop = await face.watch([LOGIN], { updated: (uri) => heard.push(uri), listChanged: () => (listings += 1) });
        project.write('pages/sessions.md', '# Sessions\n\nAnother text.\n');
        project.write('pages/login.md', '# Login\n\nAnother text.\n');
        await eventually(() => heard.includes(LOGIN), 'news of the page');
        project.write('pages/new.md', '# New\n');
        await eventually(() => listings > 0, 'news of the list');
        assert.deepEqual([...new Set(heard)], [LOGIN]);
        await stop();
      });

      if (kind.progress) {
        test('receives the progress of a rebuild', async () => {
          const seen = [];
          await face.call('ubp_rebuild', {}, { onprogress: (progress) => seen.push(progress) });
          assert.ok(seen.length > 0);
          seen.slice(1).forEach((now, n) => assert.ok(now.progress > seen[n].progress, JSON.stringify(seen)));
          seen.forEach((now) => assert.ok(now.progress <= now.total && now.message, JSON.stringify(now)));
        });
      }
    });
  }
}

for (const kind of CLIENTS) {
  for (const transport of ['stdio', 'http']) {
    test(`${kind.name} over ${transport} cancels a long call and continues`, async () => {
      const project = vault({ filler: 600 });
      const face = await connect(kind, transport, project.folder);
      try {
        const isWhole = async () => (await face.call('ubp_status', {})).structuredContent.index.fresh;
        await eventually(isWhole, 'the first index', 60_000);
        const stop = new AbortController();
        const began = Date.now();
        const call = face.call('ubp_rebuild', {}, { signal: stop.signal, onprogress: () => stop.abort(new Error('enough')) });
        setTimeout(() => stop.abort(new Error('enough')), 100);
        await assert.rejects(call, /enough|abort/i);
        const found = async () => (await face.call('ubp_fulltext_search', { query: 'session' })).structuredContent.total_found;
        assert.ok((await found()) > 0);
        assert.ok(Date.now() - began < 30_000);
      } finally {
        await face.close();
        project.remove();
      }
    });
  }

  test(`${kind.name} sees only read-only tools unless the server may write`, async () => {
    const project = vault();
    const face = await connect(kind, 'stdio', project.folder, []);
    try {
      const { tools } = await face.client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name).sort(), DEFAULT_TOOLS);
      assert.ok(tools.every((tool) => tool.annotations.readOnlyHint));
      await assert.rejects(face.call('ubp_create_page', { title: 'No' }), { code: -32602 });
    } finally {
      await face.close();
      project.remove();
    }
  });

  test(`${kind.name} proposes changes, and hears what a person decided`, async () => {
    const project = vault();
    const face = await connect(kind, 'stdio', project.folder, ['--write']);
    const page = () => readFileSync(join(project.folder, 'pages/draft.md'), 'utf8');
    const ubp = (...args) => execFileSync(program, ['-C', project.folder, ...args], { env: environment(), encoding: 'utf8' });
    try {
      const { tools } = await face.client.listTools();
      const tool = (name) => tools.find((one) => one.name === name);
      const ask = async (name, args) => {
        checkTool(tool(name));
        const result = await face.call(name, args);
        checkAnswer(tool(name), args, result);
        return result.structuredContent;
      };
      const before = page();
      const edit = { page: 'draft.md', mode: 'append', content: 'A line more.', reason: 'It was missing.' };
      const first = await ask('ubp_update_page', edit);
      const { proposal } = await ask('ubp_update_page', { page: 'draft.md', old: 'A line more.', new: 'One line more.' });
      assert.notEqual(proposal, first.proposal);
      assert.equal(page(), before);
      assert.equal((await ask('ubp_get_proposal', { proposal })).reason, 'It was missing.');
      ubp('proposals', 'accept', proposal, '--comment', 'Thank you.');
      assert.match(page(), /One line more\.\n$/);
      const other = (await ask('ubp_create_page', { title: 'Not needed', content: 'Text.' })).proposal;
      const third = (await ask('ubp_create_page', { title: 'Nor this', content: 'Text.' })).proposal;
      ubp('proposals', 'reject', other, '--comment', 'Why?');
      assert.equal((await ask('ubp_withdraw_proposal', { proposal: third })).withdrawn, third);
      const heard = (await ask('ubp_list_proposals', {})).proposals.map((one) => [one.state, one.decision.comment]);
      assert.deepEqual(heard, [['withdrawn', null], ['rejected', 'Why?'], ['accepted', 'Thank you.']]);
    } finally {
      await face.close();
      project.remove();
    }
  });
}
