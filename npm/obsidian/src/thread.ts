// The thread of the engine. It has everything that it needs: the base module is in this script, and the page sends the files of
// the semantic module.
import initBase from '#engine/base';
import * as semanticModule from '#engine/semantic';
import packed from '#engine/base.packed';
import { serve, type MakeEncoder } from '../../../web-viewer/src/client/engine-thread';
import { VectorCache } from './vector-cache';

async function unpacked(): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The name of the worker is that of the database. */
declare const name: string;

async function semantic(compiled: Uint8Array | undefined): Promise<MakeEncoder> {
  const [cache] = await Promise.all([VectorCache.open(name), semanticModule.default({ module_or_path: compiled as Uint8Array<ArrayBuffer> })]);
  return ({ model, weights, tokenizer, description }) => cache.before(new semanticModule.Encoder(model, tokenizer, new TextDecoder().decode(description), weights));
}

serve({
  base: unpacked().then((bytes) => initBase({ module_or_path: bytes })),
  semantic,
  load: (path) => Promise.reject(new Error(`${path}: the plugin does not download files`)),
});
