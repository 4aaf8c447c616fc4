// Adds the app around the page of the document. The page itself is not touched, so that it can be read before this runs.
import './styles/tokens.css';
import './styles/base.css';
import './styles/links.css';
import './styles/prose.css';
import './styles/code.css';
import './styles/around.css';
import './styles/still.css';
import './styles/viewer.css';
import './styles/print.css';
import { mount } from 'svelte';
import Dropping from './folder/Dropping.svelte';
import PageList from './pages/PageList.svelte';
import Rail from './reading/Rail.svelte';
import { Navigator } from './routing/navigator.svelte';
import Bar from './shell/Bar.svelte';
import Beside from './shell/Beside.svelte';
import { hubCommands, shellCommands } from './shell/commands';
import { isApple } from './shell/keys';
import Layers from './shell/Layers.svelte';
import Stage from './shell/Stage.svelte';
import { hasWorkspace, readSite } from './site';
import { Session } from './state/session.svelte';
import { showSettings, speakChosen } from './state/settings.svelte';
import { afterLanguage, follow } from './words/follow.svelte';
import { words } from './words/words';

function part(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element;
}

const session = new Session(readSite(document));
const navigator = new Navigator(session, part('ubp_content'));
const props = { session, navigator };
const onApple = isApple(globalThis.navigator.userAgent);

// A relative address would be resolved again on every page.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]')) icon.href = String(icon.href);

// Pages of a site are in its language, whatever the language of the app is.
if (session.site.mode === 'export') part('ubp_content').lang ||= document.documentElement.lang;

function start(): void {
  navigator.adopt();
  showSettings();
  follow(() => {
    part('ubp_side').ariaLabel = words.shell.pages;
    part('ubp_rail').ariaLabel = words.shell.about;
    const skip = document.querySelector('.skip');
    if (skip) skip.textContent = words.shell.skip;
  });
  follow(() => navigator.retell());
  if (session.site.mode === 'hub') {
    document.documentElement.dataset['mode'] = 'hub';
    void import('./hub/mount').then(({ mountHub }) => mountHub(session, navigator, part));
  } else if (hasWorkspace(session.site)) {
    document.documentElement.dataset['mode'] = 'server';
    void import('./viewer/mount').then(({ mountViewer }) => mountViewer(session, navigator, part));
  } else {
    const shell = { ...props, commands: () => [...Object.values(shellCommands(session, navigator)), ...hubCommands(session, onApple)] };
    mount(Bar, { target: part('ubp_bar'), props: shell });
    mount(Beside, { target: part('ubp_side'), props: { place: 'side', session, part: PageList, props } });
    mount(Beside, { target: part('ubp_rail'), props: { place: 'rail', session, part: Rail, props } });
    mount(Stage, { target: part('ubp_app'), props });
    mount(Layers, { target: document.body, props: shell });
    // A server's project is there, and a folder would need the engine.
    if (session.site.mode !== 'server') mount(Dropping, { target: document.body, props });
    void navigator.start();
    // The engine says what it says in the language that is shown.
    afterLanguage(() => {
      session.forget();
      void navigator.refresh();
    });
  }
}

void speakChosen().then(start);
if (session.site.installable || globalThis.navigator.serviceWorker?.controller) void import('./offline/register').then(({ beInstallable }) => beInstallable(session.site));
