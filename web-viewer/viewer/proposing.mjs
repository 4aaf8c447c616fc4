// What tests of proposals share: a project, an agent process beside its viewer, and the browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { after } from 'node:test';
import { Agent } from './agent.mjs';
import { until, withViewer } from './editing.mjs';

const agents = [];
// Before their projects are removed.
after(() => Promise.all(agents.map((agent) => agent.end())));
export const own = withViewer();

export const HOME = '---\ntags: [start]\n---\n\n# Home\n\nThe limit is 5 attempts per hour, see [[Sign in]].\n\nBetween them.\n\nSessions end after a day.\n';
export const FILES = {
  'pages/Home.md': HOME,
  'pages/guides/Sign in.md': '# Sign in\n\nBack to [[Home]].\n',
  'pages/notes/Log.md': '# Log\n\nFirst entry.\n',
};
export const LIMIT = { page: 'Home', old: 'The limit is 5 attempts per hour, see [[Sign in]].', new: 'The limit is 10 attempts per day, see [[Log]].', reason: 'The code allows ten attempts.' };
export const SESSIONS = { page: 'Home', old: 'Sessions end after a day.', new: 'Sessions end after an hour.' };

export async function agentOf(viewer, client) {
  const agent = await Agent.start(viewer.root, client);
  agents.push(agent);
  return agent;
}

/** A viewer on a project, an agent beside it, and the browser on a page. */
export async function begin({ options, files = FILES, path = 'Home.md' } = {}) {
  const viewer = await own.start(files);
  const agent = await agentOf(viewer);
  const editor = await own.open(viewer, path, options ? { options } : {});
  const { page } = editor;
  const badge = page.locator('#ubp_status .queue');
  return {
    viewer,
    agent,
    editor,
    page,
    badge,
    stage: page.locator('#ubp_stage'),
    rows: page.locator('#ubp_stage [data-row] .title'),
    detail: page.locator('#ubp_stage .detail'),
    /** Waits until this many proposals are counted in the status bar. */
    counted: (count) => (count === 0 ? badge.waitFor({ state: 'detached' }) : until(async () => (await badge.textContent({ timeout: 15_000 })).trim() === `${count} proposal${count === 1 ? '' : 's'}`, `the badge counts ${count}`, 15_000)),
    review: async () => {
      await page.keyboard.press('Alt+Shift+p');
      await page.getByRole('heading', { level: 1, name: 'Proposals' }).waitFor();
    },
    done: async () => {
      assert.deepEqual(editor.trouble, [], 'the page reported errors');
      await editor.context.close();
      for (const beside of agents.filter(({ project }) => project === viewer.root)) await beside.end();
      await own.end(viewer);
    },
  };
}

export const ubp = (viewer, ...args) => execFileSync(resolve(process.env.UBP_PROGRAM), ['-C', viewer.root, 'proposals', ...args], { encoding: 'utf8', stdio: 'pipe' });
export const stateOf = async (agent, proposal) => (await agent.call('get_proposal', { proposal })).state;
