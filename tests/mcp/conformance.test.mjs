// The official conformance suite, over HTTP, for the protocols 2025-11-25 and 2026-07-28. General scenarios run
// unchanged. Scenarios that call a fixture with an equivalent here run with the names replaced. All others need a
// server with fixtures; each of these is listed with the reason.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { renaming } from './support/proxy.mjs';
import { serveHttp } from './support/server.mjs';
import { vault } from './support/vault.mjs';

const modules = (path) => {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    const file = fileURLToPath(new URL(`node_modules/${path}`, folder));
    if (existsSync(file)) return file;
    if (folder.pathname === '/') return undefined;
  }
};

// Newer versions of the suite need Node 22, which is available as an npm package.
function newerNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  return modules(`node-${process.platform}-${process.arch}/bin/node`);
}

const SUITES = [
  { name: '0.1.13', package: 'conformance-stable', node: process.execPath, versions: [undefined] },
  { name: '0.2.0-alpha.12', package: 'conformance-next', node: newerNode(), versions: ['2025-11-25', '2026-07-28'] },
];

// Scenarios for every server.
const GENERAL = [
  'server-initialize', 'server-session-lifecycle', 'server-stateless', 'ping', 'completion-complete', 'tools-list',
  'server-sse-multiple-streams', 'resources-list', 'sep-2164-resource-not-found', 'prompts-list',
  'dns-rebinding-protection', 'caching', 'http-header-validation',
];

const A_PAGE = 'ubp://page/login.md';

// The fixed names in scenarios, with our names.
const RENAMED = {
  'tools-call-simple-text': [['test_simple_text', 'ubp_status']],
  // Fails because its required argument is missing.
  'tools-call-error': [['test_error_handling', 'ubp_refs']],
  'tools-call-with-progress': [['test_tool_with_progress', 'ubp_rebuild']],
  'server-sse-polling': [['test_reconnection', 'ubp_status']],
  'resources-read-text': [['test://static-text', A_PAGE]],
  'resources-templates-read': [['test://template/123/data', 'ubp://page/data-123.md']],
  'resources-subscribe': [['test://watched-resource', A_PAGE]],
  'resources-unsubscribe': [['test://watched-resource', A_PAGE]],
  'prompts-get-simple': [['test_simple_prompt', 'review_stale_pages']],
};

const NO_LOGGING = 'the protocol deprecated logging; the server writes to standard error';
const ASKS_NOTHING = 'the server sends no such requests to clients: no sampling and no roots';
const ASKS_ONE_THING = 'needs tools with given questions; ours asks about proposals alone, and asking.test.mjs answers it';
const TEXT_ALONE = 'answers are text and structured content: no images, audio or embedded resources';

const NOT_OURS = {
  'logging-set-level': NO_LOGGING,
  'tools-call-with-logging': NO_LOGGING,
  'tools-call-image': TEXT_ALONE,
  'tools-call-audio': TEXT_ALONE,
  'tools-call-embedded-resource': TEXT_ALONE,
  'tools-call-mixed-content': TEXT_ALONE,
  'resources-read-binary': 'resources are pages, which are text',
  'prompts-get-embedded-resource': TEXT_ALONE,
  'prompts-get-with-image': TEXT_ALONE,
  'prompts-get-with-args': 'needs a prompt with two given arguments; ours have one each, and clients.test.mjs gets them',
  'tools-call-sampling': ASKS_NOTHING,
  'tools-call-elicitation': ASKS_ONE_THING,
  'elicitation-sep1034-defaults': ASKS_ONE_THING,
  'elicitation-sep1330-enums': ASKS_ONE_THING,
  'json-schema-2020-12': 'needs a tool whose schema has $defs and $ref; ours have none, because some clients reject them',
  'http-custom-header-server-validation': 'no tool maps arguments to headers (x-mcp-header)',
};
const isNotOurs = (scenario) => scenario in NOT_OURS || scenario.startsWith('input-required-result-');

// Checks within general scenarios that need a fixture.
const UNTESTABLE = {
  'sep-2575-server-rejects-undeclared-capability': ASKS_ONE_THING,
  'sep-2575-missing-capability-http-400': ASKS_ONE_THING,
  'sep-2575-http-server-no-independent-requests-on-stream': ASKS_ONE_THING,
  'sep-2575-server-no-log-without-loglevel': NO_LOGGING,
};

const checksIn = (folder) =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [
      name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
      JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')),
    ]),
  );

for (const suite of SUITES) {
  for (const version of suite.versions) {
    describe(`conformance ${suite.name}${version ? `, protocol ${version}` : ''}`, () => {
      const forVersion = version ? ['--spec-version', version] : [];
      const scratch = mkdtempSync(join(tmpdir(), 'ubp-conformance-'));
      let project;
      let server;

      const conformance = (...args) =>
        new Promise((resolve) => {
          const program = [modules(`${suite.package}/dist/index.js`), ...args, ...forVersion];
          // It exits with 1 if anything failed; the checks show what.
          execFile(suite.node, program, { maxBuffer: 1 << 28 }, (_, out, err) => resolve(out + err));
        });
      const run = async (url, scenarios) => {
        const folder = mkdtempSync(join(scratch, 'run-'));
        const said = await conformance('server', '--url', url.href, ...scenarios, '-o', folder);
        return { checks: checksIn(folder), said };
      };
      const assertPassed = (scenario, { checks, said }) => {
        const made = checks[scenario];
        assert.ok(made?.length > 0, said);
        const wrong = made.filter(({ id, status, details }) => {
          const passed = status === 'SUCCESS' || status === 'SKIPPED' || status === 'INFO';
          return !passed && !(id in UNTESTABLE && details?.untestable);
        });
        assert.deepEqual(wrong, []);
        assert.ok(made.some((check) => check.status === 'SUCCESS'), said);
      };

      before(async () => {
        assert.ok(suite.node, 'needs Node 22, and node_modules has none for this platform');
        project = vault();
        project.write('pages/data-123.md', '# 123\n\nThe data of 123.\n');
        server = await serveHttp(project.folder);
      });
      after(async () => {
        await server?.stop();
        project?.remove();
        rmSync(scratch, { recursive: true });
      });

      test('every scenario of the suite', async (t) => {
        const args = suite.versions.length > 1 ? ['list', '--server'] : ['list'];
        const listed = (await conformance(...args)).split('Client scenarios')[0];
        const scenarios = [...listed.matchAll(/^ {2}- (\S+)/gm)].map((match) => match[1]);
        assert.ok(scenarios.length > 30, listed);
        const whole = await run(server.url, ['--suite', 'all']);
        for (const scenario of scenarios) {
          if (GENERAL.includes(scenario)) {
            await t.test(scenario, () => assertPassed(scenario, whole));
          } else if (scenario in RENAMED) {
            await t.test(`${scenario}, renamed`, async () => {
              const proxy = await renaming(server.url, RENAMED[scenario]);
              const result = await run(proxy.url, ['--scenario', scenario]);
              await proxy.close();
              assertPassed(scenario, result);
            });
          } else {
            assert.ok(isNotOurs(scenario), `${scenario} is new: say in this file whether it applies`);
          }
        }
      });
    });
  }
}
