// Puts the application around the page that the document came with. The page itself is not touched: it is there to be
// read before this runs.
import './styles/tokens.css';
import './styles/base.css';
import './styles/links.css';
import './styles/prose.css';
import './styles/still.css';
import './styles/viewer.css';
import './styles/print.css';
import { mount } from 'svelte';
import Bar from './parts/Bar.svelte';
import Beside from './parts/Beside.svelte';
import Layers from './parts/Layers.svelte';
import Side from './parts/Side.svelte';
import Stage from './parts/Stage.svelte';
import { Navigator } from './routing/navigator.svelte';
import { readSite } from './site';
import { Session } from './state/session.svelte';
import { settings } from './state/settings.svelte';

function part(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element;
}

const session = new Session(readSite(document));
const navigator = new Navigator(session, part('content'));
const props = { session, navigator };

// A relative address would be looked up anew at every page.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]')) icon.href = String(icon.href);

navigator.adopt();
settings.show();
if (session.site.mode === 'server') {
  document.documentElement.dataset['mode'] = 'server';
  void import('./viewer/mount').then(({ mountViewer }) => mountViewer(session, navigator, part));
} else {
  mount(Bar, { target: part('bar'), props });
  mount(Side, { target: part('side'), props });
  mount(Beside, { target: part('rail'), props });
  mount(Stage, { target: part('app'), props });
  mount(Layers, { target: document.body, props });
  void navigator.start();
}
