// The model for search by meaning, in the folder `meaning` of the plugin. Obsidian does not install it: it is larger than all
// other files of a plugin together, so the user puts it there.
import { normalizePath, type DataAdapter } from 'obsidian';
import type { ModelReader } from '../../../web-viewer/src/client/protocol';

const FILES = { module: 'ubp_semantic_bg.wasm', model: 'model.onnx', tokenizer: 'tokenizer.json', description: 'model.json' };
const WEIGHTS = 'model.onnx.data';

/** Null if the model is not installed completely. */
export async function findModel(adapter: DataAdapter, pluginFolder: string): Promise<ModelReader | null> {
  const at = (name: string) => normalizePath(`${pluginFolder}/meaning/${name}`);
  const size = async (name: string) => (await adapter.stat(at(name)))?.size ?? 0;
  const sizes = await Promise.all(Object.values(FILES).map(size));
  if (sizes.some((bytes) => bytes === 0)) return null;
  const weights = await size(WEIGHTS);
  const bytes = sizes.reduce((sum, one) => sum + one, weights);
  const part = async (name: string) => new Uint8Array(await adapter.readBinary(at(name)));
  return {
    bytes,
    async read() {
      const [module, model, tokenizer, description, data] = await Promise.all([part(FILES.module), part(FILES.model), part(FILES.tokenizer), part(FILES.description), weights > 0 ? part(WEIGHTS) : undefined]);
      return { module, model, weights: data, tokenizer, description };
    },
  };
}
