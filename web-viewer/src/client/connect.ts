// Chooses the client for a page.
import { startWorker } from '#worker';
import type { Site } from '../site';
import type { UbpClient } from './client';
import { HttpClient } from './http';
import type { ModelUrls, Opening } from './protocol';
import { WasmClient } from './wasm';
import type { Folder } from '../folder/read';

/** The model of this site, if any. */
export function modelOf(site: Site): ModelUrls | null {
  if (!site.semantic) return null;
  const { model, weights, tokenizer, description, bytes } = site.semantic;
  const at = (path: string) => new URL(path, site.root).href;
  return { model: at(model), weights: weights ? at(weights) : null, tokenizer: at(tokenizer), description: at(description), bytes };
}

export async function connect(site: Site, onOpening: (opening: Opening) => void): Promise<UbpClient | null> {
  if (site.mode === 'server') return new HttpClient(site.root);
  if (!site.database) return null;
  return WasmClient.openDatabase(startWorker, new URL(site.database.url, site.root).href, modelOf(site), onOpening);
}

export function openFolder(folder: Folder, site: Site, onOpening: (opening: Opening) => void): Promise<UbpClient> {
  return WasmClient.openFiles(startWorker, folder, modelOf(site), onOpening);
}
