// Chooses the client for a page.
import { startWorker } from '#worker';
import { may, type Site } from '../site';
import type { UbpClient } from './client';
import { HttpClient } from './http';
import { HubClient } from './hub.svelte';
import type { ModelUrls, Opening } from './protocol';
import { SiteClient } from './site';
import { WasmClient } from './wasm';
import type { Folder } from '../folder/read';

/** The model of this site, if any. */
export function modelOf(site: Site): ModelUrls | null {
  if (!site.semantic) return null;
  const { model, weights, tokenizer, description, bytes } = site.semantic;
  const at = (path: string) => new URL(path, site.root).href;
  return { model: at(model), weights: weights ? at(weights) : null, tokenizer: at(tokenizer), description: at(description), bytes };
}

/** `onOpening` hears how far the engine is; null when it has opened the project. */
export async function connect(site: Site, onOpening: (opening: Opening | null) => void): Promise<UbpClient | null> {
  if (site.mode === 'server') return new HttpClient(site.root, undefined, (name) => may(site, name));
  if (site.mode === 'hub') return new HubClient(site.root);
  if (!site.database) return null;
  const { url } = site.database;
  const model = modelOf(site);
  const open = () => WasmClient.openDatabase(startWorker, new URL(url, site.root).href, model, onOpening).finally(() => onOpening(null));
  if (!site.list) return open();
  return new SiteClient({ root: site.root, list: site.list }, document, model ? { state: 'offered', bytes: model.bytes } : { state: 'none' }, open);
}

export function openFolder(folder: Folder, site: Site, onOpening: (opening: Opening) => void): Promise<UbpClient> {
  return WasmClient.openFiles(startWorker, folder, modelOf(site), onOpening);
}
