// Measures what tasks cost an agent: calls, tokens read (text of answers) and tokens written (arguments). A token is counted
// as four characters.
//
//     node tests/mcp/agents/bench.mjs --ubp target/release/ubp [--before OLD] [--json] [--show TASK]

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { parseArgs } from 'node:util';

import { project } from './project.mjs';
import { TASKS } from './tasks.mjs';

const { values: options } = parseArgs({
  options: { ubp: { type: 'string' }, before: { type: 'string' }, json: { type: 'boolean' }, show: { type: 'string' } },
});
const program = options.ubp ?? process.env.UBP_UNDER_TEST;
if (!program) throw new Error('missing option: --ubp PROGRAM');

const tokens = (text) => Math.ceil(text.length / 4);

async function connected(ubp, folder, args) {
  const client = new Client({ name: 'ubp-bench', version: '1' });
  await client.connect(new StdioClientTransport({ command: ubp, args: ['-C', folder, 'mcp-server', ...args], stderr: 'ignore' }));
  return client;
}

class Agent {
  constructor(client, tools) {
    Object.assign(this, { client, tools, calls: 0, read: 0, fields: 0, written: 0 });
  }

  // Older programs have tools without the prefix `ubp_`.
  named(name) {
    return this.tools.find((tool) => tool.name === `ubp_${name}`) ?? this.tools.find((tool) => tool.name === name);
  }

  takes(name, parameter) {
    return parameter in (this.named(name)?.inputSchema.properties ?? {});
  }

  async call(name, args) {
    const answer = await this.client.callTool({ name: this.named(name).name, arguments: args });
    const text = answer.content[0].text;
    this.calls += 1;
    this.read += tokens(text);
    this.fields += tokens(JSON.stringify(answer.structuredContent ?? {}));
    this.written += tokens(JSON.stringify(args));
    if (options.show) process.stderr.write(`\n>>> ${name} ${JSON.stringify(args)}\n${text}`);
    if (answer.isError) throw new Error(`${name} ${JSON.stringify(args)}: ${text}`);
    return text;
  }
}

async function measured(ubp) {
  const results = [];
  const listings = {};
  for (const task of TASKS.filter((task) => !options.show || task.name.includes(options.show))) {
    const { folder, remove } = project();
    const client = await connected(ubp, folder, ['--write=apply', '--tools', 'all,query,memory']);
    try {
      const agent = new Agent(client, (await client.listTools()).tools);
      const complete = async () => (await client.callTool({ name: 'ubp_status', arguments: {} })).structuredContent.index;
      for (let state = await complete(); !state.fresh || state.pending > 0; state = await complete()) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      let done = false;
      let failed;
      try {
        done = await task.run(agent);
      } catch (error) {
        failed = error.message;
      }
      const { calls, read, fields, written } = agent;
      results.push({ task: task.name, done, calls, read, fields, written, failed });
    } finally {
      await client.close();
      remove();
    }
  }
  const { folder, remove } = project();
  for (const [name, args] of [['core', ['--tools', 'core']], ['default', []], ['default --write=apply', ['--write=apply']]]) {
    const client = await connected(ubp, folder, args);
    listings[name] = tokens(JSON.stringify((await client.listTools()).tools));
    await client.close();
  }
  remove();
  return { results, listings };
}

const now = await measured(program);
const before = options.before ? await measured(options.before) : undefined;
if (options.json) {
  console.log(JSON.stringify({ now, before }, null, 2));
} else {
  const cost = (result) => `${result.done ? ' ' : '!'}${String(result.calls).padStart(3)} ${String(result.read).padStart(6)} ${String(result.written).padStart(5)}`;
  console.log(`${'task'.padEnd(56)} ${before ? 'calls   read wrote  ' : ''}calls   read wrote`);
  const sum = (list) => ({ done: true, ...Object.fromEntries(['calls', 'read', 'written'].map((key) => [key, list.reduce((all, one) => all + one[key], 0)])) });
  const row = (name, was, is) => console.log(`${name.padEnd(56)} ${was ? `${cost(was)}  ` : ''}${cost(is)}`);
  now.results.forEach((result, at) => row(result.task, before?.results[at], result));
  row('all', before && sum(before.results), sum(now.results));
  for (const { task, failed } of now.results) if (failed) console.log(`failed: ${task}: ${failed}`);
  for (const [name, size] of Object.entries(now.listings)) {
    console.log(`${`the listing, ${name}`.padEnd(56)} ${before ? `${String(before.listings[name]).padStart(11)}      ` : ''} ${String(size).padStart(10)}`);
  }
}
