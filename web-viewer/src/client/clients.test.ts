import { describe, expect, it } from 'vitest';
import { ClientError, type Meaning } from './client';
import { HttpClient } from './http';
import type { Reply, Request, Task } from './protocol';
import { WasmClient, type Port } from './wasm';

/** A worker with scripted answers. */
class FakePort implements Port {
  readonly tasks: Task[] = [];
  isTerminated = false;
  #onMessage: ((event: MessageEvent<Reply>) => void) | undefined;
  #onError: ((event: ErrorEvent) => void) | undefined;

  constructor(private readonly answer: (task: Task, port: FakePort) => unknown) {}

  addEventListener(type: string, listener: unknown): void {
    if (type === 'message') this.#onMessage = listener as (event: MessageEvent<Reply>) => void;
    if (type === 'error') this.#onError = listener as (event: ErrorEvent) => void;
  }

  postMessage({ id, task }: Request): void {
    this.tasks.push(task);
    void Promise.resolve()
      .then(() => this.answer(task, this))
      .then(
        (value) => this.tell({ id, value }),
        (error: { code: string; message: string; hint: string | null }) => this.tell({ id, error }),
      );
  }

  tell(data: Reply): void {
    this.#onMessage?.({ data } as MessageEvent<Reply>);
  }

  crash(message: string): void {
    this.#onError?.({ message } as ErrorEvent);
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

const model = { model: 'm', weights: null, tokenizer: 't', description: 'd', bytes: 23 };
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('the engine in a worker', () => {
  it('opens a database, reports progress, and matches answers to calls by id', async () => {
    const port = new FakePort((task, self) => {
      if (task.do === 'open-database') self.tell({ opening: { step: 'loading', done: 1, total: 2 } });
      return task.do === 'call' ? { echoed: task.params } : null;
    });
    const openings: unknown[] = [];
    const client = await WasmClient.openDatabase(() => port, 'https://host/data.db', null, (opening) => openings.push(opening));
    const [first, second] = await Promise.all([client.call('list_pages', { limit: 1 }), client.call('list_pages', { limit: 2 })]);
    expect(openings).toEqual([{ step: 'loading', done: 1, total: 2 }]);
    expect([first, second]).toEqual([{ echoed: { limit: 1 } }, { echoed: { limit: 2 } }]);
  });

  it('passes on errors with code and hint', async () => {
    const port = new FakePort((task) => {
      if (task.do === 'call') throw { code: 'page_not_found', message: 'No such page.', hint: 'Look elsewhere.' };
    });
    const client = await WasmClient.openDatabase(() => port, 'u', null);
    const error = await client.call('get_page', { page: 'x' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ code: 'page_not_found', message: 'No such page.', hint: 'Look elsewhere.' });
  });

  it('stops the worker if the project cannot be opened', async () => {
    const port = new FakePort(() => {
      throw { code: 'not_loaded', message: 'Gone.', hint: null };
    });
    await expect(WasmClient.openDatabase(() => port, 'u', null)).rejects.toMatchObject({ code: 'not_loaded' });
    expect(port.isTerminated).toBe(true);
  });

  it('loads the model once and reports progress', async () => {
    const port = new FakePort((task, self) => {
      if (task.do === 'load-meaning') self.tell({ event: 'meaning', detail: { state: 'loading', loaded: 10, bytes: 23 } });
    });
    const client = await WasmClient.openDatabase(() => port, 'u', model);
    const told: Meaning['state'][] = [];
    client.on('meaning', ({ state }) => told.push(state));
    expect(client.meaning).toEqual({ state: 'offered', bytes: 23 });
    client.loadMeaning();
    client.loadMeaning();
    await settled();
    client.loadMeaning();
    expect(port.tasks.filter((task) => task.do === 'load-meaning')).toHaveLength(1);
    expect(told).toEqual(['loading', 'loading', 'ready']);
  });

  it('offers the model again after it could not be loaded', async () => {
    let isThere = false;
    const port = new FakePort((task) => {
      if (task.do === 'load-meaning' && !isThere) throw { code: 'not_loaded', message: 'Offline.', hint: null };
    });
    const client = await WasmClient.openDatabase(() => port, 'u', model);
    client.loadMeaning();
    await settled();
    expect(client.meaning).toEqual({ state: 'failed', message: 'Offline.' });
    isThere = true;
    client.loadMeaning();
    await settled();
    expect(client.meaning).toEqual({ state: 'ready' });
  });

  it('replaces a broken engine by a new one with the same project and model', async () => {
    const ports: FakePort[] = [];
    const start = () => {
      const isFirst = ports.length === 0;
      const port = new FakePort((task) => {
        if (task.do === 'call' && isFirst) throw { code: 'internal', message: 'A defect.', hint: null };
        return task.do === 'call' ? 'answered' : null;
      });
      ports.push(port);
      return port;
    };
    const client = await WasmClient.openDatabase(start, 'u', model);
    client.loadMeaning();
    await settled();
    await expect(client.call('list_pages', {})).rejects.toMatchObject({ code: 'internal', message: 'A defect.' });
    expect(await client.call('list_pages', {})).toBe('answered');
    await settled();
    expect(ports.map((port) => [port.isTerminated, port.tasks.map((task) => task.do)])).toEqual([
      [true, ['open-database', 'load-meaning', 'call']],
      [false, ['open-database', 'load-meaning', 'call']],
    ]);
    expect(client.meaning).toEqual({ state: 'ready' });
  });

  it('opens the changed files of a folder again when it replaces an engine', async () => {
    const ports: FakePort[] = [];
    const start = () => {
      const isFirst = ports.length === 0;
      const port = new FakePort((task) => {
        if (task.do === 'call' && isFirst) throw { code: 'internal', message: 'A defect.', hint: null };
        return null;
      });
      ports.push(port);
      return port;
    };
    const file = (path: string, modified: number) => ({ path, file: null, modified });
    const files = ['a.md', 'b.md', 'c.md'].map((path) => file(path, 1));
    const reader = { bytes: 5, read: async () => ({ model: new Uint8Array(), weights: undefined, tokenizer: new Uint8Array(), description: new Uint8Array() }) };
    const client = await WasmClient.openFiles(start, { name: 'vault', files, media: new Map() }, reader);
    const changes: unknown[] = [];
    client.on('changed', (change) => changes.push(change));
    client.loadMeaning();
    await client.changeFiles([file('b.md', 2), file('d.md', 2)], ['c.md']);
    expect(changes).toEqual([{ paths: ['c.md', 'b.md', 'd.md'] }]);
    await expect(client.call('list_pages', {})).rejects.toMatchObject({ code: 'internal' });
    await client.call('list_pages', {});
    await settled();
    expect(ports[1]!.tasks[0]).toEqual({ do: 'open-files', name: 'vault', files: [file('a.md', 1), file('b.md', 2), file('d.md', 2)] });
    expect(ports.map((port) => port.tasks.map((task) => task.do).sort())).toEqual([
      ['call', 'change-files', 'open-files', 'use-model'],
      ['call', 'open-files', 'use-model'],
    ]);
  });

  it('rejects pending calls when the worker dies or is closed', async () => {
    const port = new FakePort((task) => (task.do === 'call' ? new Promise(() => undefined) : null));
    const client = await WasmClient.openDatabase(() => port, 'u', null);
    const waiting = client.call('list_pages', {});
    await Promise.resolve();
    port.crash('out of memory');
    await expect(waiting).rejects.toMatchObject({ code: 'engine_stopped', message: 'out of memory' });
    const second = client.call('list_pages', {});
    client.close();
    await expect(second).rejects.toMatchObject({ code: 'engine_stopped' });
  });
});

describe('a server', () => {
  const answering = (status: number, body: unknown) => {
    const asked: { url: string; init: RequestInit | undefined }[] = [];
    const fetcher = (url: unknown, init?: RequestInit) => {
      asked.push({ url: String(url), init });
      return Promise.resolve(new Response(typeof body === 'string' ? body : JSON.stringify(body), { status }));
    };
    return { client: new HttpClient('https://host/sub/', fetcher as typeof fetch), asked };
  };

  it('receives POST requests below its root', async () => {
    const { client, asked } = answering(200, { pages: [] });
    expect(await client.call('list_pages', { limit: 3 })).toEqual({ pages: [] });
    expect(asked[0]).toMatchObject({ url: 'https://host/sub/api/list_pages', init: { method: 'POST', body: '{"limit":3}' } });
  });

  it('reports errors of operations, and other errors with a message', async () => {
    const known = answering(404, { code: 'page_not_found', message: 'No.', hint: 'Try.' });
    await expect(known.client.call('get_page', { page: 'x' })).rejects.toMatchObject({ code: 'page_not_found', hint: 'Try.' });
    const unknown = answering(502, '<html>');
    await expect(unknown.client.call('get_page', { page: 'x' })).rejects.toMatchObject({ code: 'http_502' });
    const silent = new HttpClient('https://host/', () => Promise.reject(new TypeError('failed')));
    await expect(silent.call('list_pages', {})).rejects.toMatchObject({ code: 'unreachable' });
  });
});
