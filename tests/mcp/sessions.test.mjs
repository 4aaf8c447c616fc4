// Tests that what clients ask and get is recorded, and that `ubp sessions` shows it as they got it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { CLIENTS } from './support/clients.mjs';
import { argumentsFor, environment, eventually, program, serveHttp } from './support/server.mjs';
import { vault } from './support/vault.mjs';

const ubp = (project, ...args) => JSON.parse(execFileSync(program, ['-C', project.folder, 'sessions', ...args, '--json'], { env: environment(), encoding: 'utf8' }));

for (const kind of CLIENTS) {
  for (const transport of ['stdio', 'http']) {
    test(`${kind.name} over ${transport} has a session with every answer`, async () => {
      const project = vault();
      const face = kind.open();
      let server;
      try {
        if (transport === 'stdio') {
          const streams = { command: program, args: argumentsFor(project.folder, []), env: environment(), stderr: 'ignore' };
          await face.client.connect(face.stdio(streams));
        } else {
          server = await serveHttp(project.folder, { options: [] });
          await face.client.connect(face.http(server.url));
        }
        const calls = [
          ['ubp_search', { query: 'how long does a session live' }],
          ['ubp_get_page', { page: 'Login', max_tokens: 300 }],
          ['ubp_get_page', { page: 'no such page' }],
        ];
        const texts = [];
        for (const [tool, args] of calls) texts.push((await face.call(tool, args)).content[0].text);
        // Answers are recorded after they were sent.
        const one = await eventually(() => {
          const { sessions } = ubp(project);
          return sessions.length === 1 && sessions[0].answer_count === calls.length ? sessions[0] : null;
        }, 'one session with three answers');
        assert.equal(one.agent, 'ubp-suite 1');
        assert.equal(one.error_count, 1);
        const { answers } = ubp(project, one.session);
        assert.deepEqual(answers.map(({ tool, params }) => [tool, params]), calls);
        assert.equal(answers[0].given[0].kind, 'text');
        assert.deepEqual(answers.map(({ error }) => error), [null, null, 'page_not_found']);
        for (const [at, text] of texts.entries()) assert.equal(ubp(project, one.session, '--answer', String(at + 1)).text, text);
        const folder = join(project.folder, '.ubp/sessions');
        const [file] = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
        assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600);
        assert.equal(readFileSync(join(folder, '.gitignore'), 'utf8'), '*\n');
      } finally {
        await face.client.close();
        await server?.stop();
        project.remove();
      }
    });
  }
}
