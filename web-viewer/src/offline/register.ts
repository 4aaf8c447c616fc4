// Registers the service worker, and removes one that is not wanted any more.
import { mount } from 'svelte';
import type { Site } from '../site';
import Offline from './Offline.svelte';

/** The name of the service worker, at the top of the site. */
const WORKER = 'ubp-offline.js';

export async function beInstallable({ mode, root, hub, installable }: Site): Promise<void> {
  const { serviceWorker } = navigator;
  if (!serviceWorker || globalThis.self !== globalThis.top) return;
  const scope = hub?.root ?? root;
  const worker = new URL(WORKER, scope).href;
  const register = () => serviceWorker.register(worker, { scope, updateViaCache: 'none' });
  if (mode === 'export' && installable) {
    mount(Offline, { target: document.body });
    const isFirst = !serviceWorker.controller;
    await register();
    if (!isFirst) return;
    // The worker has not seen the pictures of this page.
    await new Promise((changed) => serviceWorker.addEventListener('controllerchange', changed, { once: true }));
    for (const { currentSrc } of document.images) if (currentSrc.startsWith(scope)) await fetch(currentSrc).catch(() => {});
  } else if (mode === 'export') {
    const former = await serviceWorker.getRegistration(scope);
    if (former?.scope !== scope || former.active?.scriptURL !== worker) return;
    await former.unregister();
    for (const name of await caches.keys()) if (name.startsWith(`ubp ${scope} `)) await caches.delete(name);
  } else if (matchMedia('(display-mode: standalone), (display-mode: minimal-ui), (display-mode: window-controls-overlay)').matches) await register();
  // In tabs, a worker would stay when the server is long gone, and another program may use its port.
  else addEventListener('appinstalled', () => void register());
}
