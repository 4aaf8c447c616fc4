// The thread of the engine in a page of a site: its modules are files next to this one. The semantic module is loaded into the
// same thread on first use.
import initBase from '#engine/base';
import baseUrl from '#engine/base.wasm?url';
import semanticUrl from '#engine/semantic.wasm?url';
import { serve, type MakeEncoder } from './engine-thread';
import type { LostFile } from './protocol';

serve({ base: initBase({ module_or_path: baseUrl }), semantic, load });

async function semantic(): Promise<MakeEncoder> {
  const module = await import('#engine/semantic');
  await module.default({ module_or_path: semanticUrl });
  return ({ model, weights, tokenizer, description }) => new module.Encoder(model, tokenizer, new TextDecoder().decode(description), weights);
}

/** Loads a file and reports progress. A failed request is an error that names the file. */
async function load(url: string, progress: (done: number, total: number) => void): Promise<Uint8Array> {
  const response = await fetch(url).catch(() => null);
  if (!response?.ok || !response.body) {
    const file = decodeURI(new URL(url).pathname);
    throw Object.assign(new Error(file), { code: 'not_loaded', lost: { file, status: response?.status } satisfies LostFile });
  }
  const total = Number(response.headers.get('content-encoding') ? 0 : response.headers.get('content-length'));
  const parts: Uint8Array[] = [];
  let done = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done: end, value } = await reader.read();
    if (end) break;
    parts.push(value);
    done += value.length;
    progress(done, Math.max(total, done));
  }
  const whole = new Uint8Array(done);
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}
