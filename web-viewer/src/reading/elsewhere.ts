// Links to pages of other projects of a hub, `[[project:page]]`: for the project they lead nowhere, and the hub knows where to.
import { HttpClient } from '../client/http';
import { words } from '../words/words';

/** Most links in one request. */
const MOST = 400;

/** Gives these links of a page an address, if a page of another project has that name. */
export async function leadElsewhere(links: readonly HTMLAnchorElement[], page: string, root: string, href: (page: string, anchor: string) => string): Promise<void> {
  const targets = [...new Set(links.map((link) => link.dataset['target'] ?? ''))].slice(0, MOST);
  const answer = await new HttpClient(root).call('resolve_links', { page, links: targets.map((target) => `[[${target}]]`), pictures: [] }).catch(() => null);
  const ends = new Map(targets.map((target, at) => [target, answer?.links[at] ?? null]));
  for (const link of links) {
    const end = ends.get(link.dataset['target'] ?? '');
    if (!end?.filepath) continue;
    link.className = 'link elsewhere';
    link.dataset['type'] = end.link_type;
    link.href = href(end.filepath, end.place ?? '');
    link.title = words.hub.elsewhere(end.filepath.split(':')[0] ?? '');
    link.removeAttribute('role');
    link.removeAttribute('aria-disabled');
  }
}
