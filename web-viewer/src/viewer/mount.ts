// Mounts everything around the page and its editor, in a project that is more than read.
import { mount } from 'svelte';
import type { Navigator } from '../routing/navigator.svelte';
import Beside from '../shell/Beside.svelte';
import type { Session } from '../state/session.svelte';
import About from './About.svelte';
import Desk from './Desk.svelte';
import Overlays from './Overlays.svelte';
import PageHead from './PageHead.svelte';
import Room from './Room.svelte';
import Second from './second/Second.svelte';
import Sidebar from './side/Sidebar.svelte';
import StatusBar from './StatusBar.svelte';
import TabBar from './tabs/TabBar.svelte';
import TopBar from './TopBar.svelte';
import { tickTasks } from './task-boxes';
import { Workspace } from './workspace.svelte';
import { follow } from '../words/follow.svelte';
import { spoken } from '../words/language.svelte';
import { writing } from '../words/writing';

function added(tag: string, id: string, label: keyof typeof writing.desk.parts, before: Element | null, parent: Element): HTMLElement {
  const element = document.createElement(tag);
  element.id = id;
  follow(() => void (element.ariaLabel = writing.desk.parts[label]));
  parent.insertBefore(element, before);
  return element;
}

export async function mountViewer(session: Session, navigator: Navigator, part: (id: string) => HTMLElement): Promise<void> {
  await spoken();
  const workspace = new Workspace(session, navigator);
  const app = part('ubp_app');
  const content = part('ubp_content');
  const props = { workspace };
  mount(TopBar, { target: part('ubp_bar'), props });
  mount(Beside, { target: part('ubp_side'), props: { place: 'side', session, part: Sidebar, props } });
  mount(TabBar, { target: added('nav', 'ubp_tabs', 'tabs', content, app), props });
  mount(PageHead, { target: added('section', 'ubp_head', 'head', content, app), props });
  const desk = added('main', 'ubp_desk', 'desk', part('ubp_rail'), app);
  desk.tabIndex = -1;
  mount(Desk, { target: desk, props });
  mount(Beside, { target: part('ubp_rail'), props: { place: 'rail', session, part: About, props } });
  mount(Second, { target: added('section', 'ubp_second', 'second', null, app), props });
  mount(StatusBar, { target: added('footer', 'ubp_status', 'status', null, app), props });
  mount(Room, { target: app, props });
  mount(Overlays, { target: document.body, props });
  tickTasks(workspace, content);
  await navigator.start();
  await workspace.tabs.resume();
  workspace.follow();
}
