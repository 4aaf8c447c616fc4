import { afterEach, describe, expect, it, vi } from 'vitest';
import { HubClient, interleaved } from './hub.svelte';

const asked: { url: string; params: unknown }[] = [];

/** Answers every request with this. */
function answering(answer: unknown): void {
  asked.length = 0;
  vi.stubGlobal('fetch', (url: URL, { body }: { body: string }) => {
    asked.push({ url: url.href, params: JSON.parse(body) });
    return Promise.resolve(new Response(JSON.stringify(answer)));
  });
}
afterEach(() => vi.unstubAllGlobals());

const ROOT = 'http://127.0.0.1:4747/';
const link = (filepath: string | null, title: string) => ({ filepath, source_path: null, title, link_type: 'references' });

describe('lists of several projects', () => {
  it('take turns, so that no project comes before all others', () => {
    expect(interleaved([['a1', 'a2', 'a3'], [], ['b1']])).toEqual(['a1', 'b1', 'a2', 'a3']);
    expect(interleaved([])).toEqual([]);
  });
});

describe('all projects as one client', () => {
  it('complete names of pages in all of them', async () => {
    answering({ projects: [{ project: 'auth', pages: [{ filepath: 'auth:login.md' }] }, { project: 'shop', pages: [{ filepath: 'shop:a.md' }, { filepath: 'shop:b.md' }] }] });
    const client = new HubClient(ROOT, 'shop');
    const { pages } = await client.call('complete', { text: 'a' });
    expect(pages.map(({ filepath }) => filepath)).toEqual(['auth:login.md', 'a.md', 'b.md']);
    expect(asked[0]?.url).toBe(`${ROOT}api/complete`);
  });

  it('complete names of one other project', async () => {
    answering({ project: 'auth', pages: [{ filepath: 'auth:login.md' }] });
    const client = new HubClient(ROOT, 'shop');
    expect((await client.names('auth', 'lo', 5))?.map(({ filepath }) => filepath)).toEqual(['auth:login.md']);
    expect(asked[0]?.params).toEqual({ text: 'lo', limit: 5, projects: ['auth'] });
    expect(await client.names('shop', 'lo', 5)).toBeNull();
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ code: 'invalid_params', message: 'unknown' }), { status: 400 })));
    expect(await client.names('none', 'lo', 5)).toBeNull();
  });

  it('complete names in a hub with one project', async () => {
    answering({ project: 'shop', pages: [{ filepath: 'shop:a.md' }] });
    const { pages } = await new HubClient(ROOT).call('complete', { text: 'a' });
    expect(pages.map(({ filepath }) => filepath)).toEqual(['shop:a.md']);
  });

  it('search, and tell which projects were not searched', async () => {
    answering({ results: [{ filepath: 'shop:a.md' }, { filepath: 'auth:login.md' }], nearby: [{ filepath: 'shopping:c.md' }], failed_projects: [{ project: 'broken', error: 'x' }] });
    const client = new HubClient(ROOT, 'shop');
    const { results, nearby } = await client.call('search', { query: 'a' });
    expect([...results, ...nearby].map(({ filepath }) => filepath)).toEqual(['a.md', 'auth:login.md', 'shopping:c.md']);
    expect(client.failed).toEqual(['broken']);
    answering({ results: [], nearby: [] });
    await client.call('search', { query: 'b' });
    expect(client.failed).toEqual([]);
  });

  it('tell the links between a page and other projects', async () => {
    answering({ backlinks: [link('shop:a.md', 'A'), link('auth:login.md', 'Login')], outlinks: [link('auth:tokens.md', 'Tokens'), link(null, 'bank:x'), link(null, 'bank:x'), link('shop:a.md', 'A')] });
    const links = await new HubClient(ROOT, 'shop').links('cart.md');
    expect(links).toEqual({ page: 'cart.md', backlinks: [link('auth:login.md', 'Login')], broken: 2, missing: ['bank:x'] });
    expect(asked[0]?.params).toEqual({ page: 'shop:cart.md', answers: false });
  });
});
