// An agent: an MCP client of its own `ubp mcp-server --write`, beside a viewer on the same project.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const program = process.env.UBP_PROGRAM;

export class Agent {
  #asked = new Map();
  #last = 0;

  /** `client` is how it names itself. */
  static async start(project, client = { name: 'scribe', version: '1.2' }) {
    const agent = new Agent(project);
    await agent.#ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: client });
    agent.#send({ method: 'notifications/initialized' });
    return agent;
  }

  constructor(project) {
    assert.ok(program, 'UBP_PROGRAM must be the path of ubp');
    this.project = project;
    this.process = spawn(resolve(program), ['-C', project, 'mcp-server', '--write'], { stdio: ['pipe', 'pipe', 'ignore'] });
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      this.#asked.get(message.id)?.(message);
      this.#asked.delete(message.id);
    });
  }

  #send(message) {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #ask(method, params) {
    const id = ++this.#last;
    const answer = new Promise((done) => this.#asked.set(id, done));
    this.#send({ id, method, params });
    return answer;
  }

  /** Calls a tool, by its name without `ubp_`. */
  async call(tool, params = {}) {
    const { result, error } = await this.#ask('tools/call', { name: `ubp_${tool}`, arguments: params });
    if (error || result.isError) throw new Error(error?.message ?? result.content[0].text);
    return result.structuredContent;
  }

  /** Calls a tool that changes something; resolves to the id of the proposal. */
  async propose(tool, params) {
    const { proposal } = await this.call(tool, params);
    assert.ok(proposal, `${tool} proposed nothing`);
    return proposal;
  }

  /** Reads a page as agents do before they delete it; resolves to its `content_hash`. */
  async hashOf(page) {
    return (await this.call('get_page', { page })).content_hash;
  }

  async end() {
    if (this.process.exitCode !== null) return;
    const ended = new Promise((done) => this.process.once('exit', done));
    this.process.stdin.end();
    await ended;
  }
}
