// Mounts the first page of a hub in place of the list of links that the server sends.
import { mount } from 'svelte';
import { HubClient } from '../client/hub.svelte';
import type { Navigator } from '../routing/navigator.svelte';
import { shellCommands } from '../shell/commands';
import Layers from '../shell/Layers.svelte';
import type { Session } from '../state/session.svelte';
import HubBar from './HubBar.svelte';
import Start from './Start.svelte';

export async function mountHub(session: Session, navigator: Navigator, part: (id: string) => HTMLElement): Promise<void> {
  const { root } = session.site;
  const content = part('ubp_content');
  content.replaceChildren();
  mount(HubBar, { target: part('ubp_bar') });
  mount(Start, { target: content, props: { hub: new HubClient(root), root } });
  mount(Layers, { target: document.body, props: { session, navigator, commands: () => [shellCommands(session, navigator).search] } });
  await session.start();
}
