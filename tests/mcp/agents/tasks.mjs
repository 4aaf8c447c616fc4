// The tasks, done as an agent does them that reads only the text of answers: each call depends on the answers before it.
// A task returns whether it succeeded.

const hash = (text) => text.match(/content_hash: `?([\w:]+)/)?.[1];
const sectionOf = (text, wanted) => [...text.matchAll(/section:? `([^`]+)`/g)].map((found) => found[1]).find((id) => wanted.test(id));

// The text of a section: the first code fence after its id.
const fenced = (text, id) => {
  const after = text.slice(text.search(new RegExp(`section:? \`${id}\``)));
  const [, fence] = after.match(/\n(`{3,})/);
  const begin = after.indexOf('\n', after.indexOf(`\n${fence}`) + 1) + 1;
  return after.slice(begin, after.indexOf(`\n${fence}`, begin) + 1);
};

export const TASKS = [
  {
    name: 'find log rotation, change it, see what is affected',
    async run(agent) {
      const found = await agent.call('search', { query: 'when is a log file rotated', limit: 3 });
      const id = sectionOf(found, /rotation/) ?? 'logging/rotation';
      const page = await agent.call('get_page', { page: 'logging.md', section: id });
      if (agent.takes('update_page', 'old')) {
        await agent.call('update_page', { page: 'logging.md', old: 'closed at 10 MB', new: 'closed at 20 MB', expected_hash: hash(page) });
      } else {
        const content = fenced(page, id).replace('10 MB', '20 MB');
        await agent.call('update_page', { page: 'logging.md', mode: 'replace_section', section: id, content, expected_hash: hash(page) });
      }
      const affected = await agent.call('get_impact', { page: 'logging.md', limit: 5 });
      const now = await agent.call('get_page', { page: 'logging.md', section: id });
      return /20 MB/.test(now) && /audit|index|backups|hotkeys|architecture/.test(affected);
    },
  },
  {
    name: 'an overview of the project in 4,000 tokens',
    async run(agent) {
      const list = await agent.call('list_pages', { max_tokens: 1500 });
      let index = await agent.call('get_page', { page: 'index.md', max_tokens: 700 });
      if (!/on call reads first/.test(index)) index = await agent.call('get_page', { page: 'index.md', section: 'shop/operations' });
      let around = await agent.call('get_context', { page: 'index.md', depth: 1, max_tokens: 1800 });
      const neighbours = (text) => (text.match(/^## (->|<-)/gm) ?? []).length;
      if (neighbours(around) < 5) around = await agent.call('get_context', { page: 'index.md', depth: 1, max_tokens: 6000 });
      return /on call reads first/.test(index) && neighbours(around) >= 5 && (list.match(/\.md`/g) ?? []).length >= 40;
    },
  },
  {
    name: 'which pages are stale, correct one',
    async run(agent) {
      const stale = await agent.call('check_staleness', {});
      const page = await agent.call('get_page', { page: 'backups.md' });
      const id = 'backups/schedule';
      if (agent.takes('update_page', 'old')) {
        await agent.call('update_page', { page: 'backups.md', old: 'at 03:00', new: 'at 04:00', expected_hash: hash(page) });
      } else {
        // Replacing a section includes its subsections, so they have to be sent as well.
        const below = fenced(page, 'backups/schedule/secrets');
        const content = `${fenced(page, id).replace('03:00', '04:00').trimEnd()}\n\n${below}`;
        await agent.call('update_page', { page: 'backups.md', mode: 'replace_section', section: id, content, expected_hash: hash(page) });
      }
      const now = await agent.call('get_page', { page: 'backups.md' });
      const given = agent.takes('review_page', 'expected_hash') ? { expected_hash: hash(now) } : {};
      if (agent.takes('review_page', 'expected_sources')) given.expected_sources = stale.match(/"expected_sources": ?"([\w:]+)"/)[1];
      await agent.call('review_page', { pages: ['backups.md'], still_accurate: true, ...given });
      return /backups\.md/.test(stale) && /04:00/.test(now) && /vault of the team/.test(now);
    },
  },
  {
    name: 'remember a decision, recall it later',
    async run(agent) {
      const topic = 'Why sessions last twelve hours';
      await agent.call('remember', { type: 'project-tech', topic, content: 'Shifts last twelve hours, and nobody wants to sign in twice.' });
      return /Shifts last twelve hours/.test(await agent.call('recall', { query: 'how long does a session last, and why' }));
    },
  },
  {
    name: 'a question about two linked pages',
    async run(agent) {
      const found = await agent.call('search', { query: 'when does a session end because its token was not refreshed', limit: 5 });
      const first = await agent.call('get_page', { page: 'session-lifetime.md' });
      const second = await agent.call('get_page', { page: 'token-refresh.md' });
      return /token-refresh/.test(found + first) && /three failures/.test(found + second) && /12 hours/.test(found + first);
    },
  },
  {
    name: 'rename a page that 13 pages link to',
    async run(agent) {
      const page = await agent.call('get_page', { page: 'Hotkeys', section: 'hotkeys' });
      const asked = { page: 'hotkeys.md', title: 'Keyboard', expected_hash: hash(page) };
      await agent.call('rename_page', { ...asked, dry_run: true });
      await agent.call('rename_page', asked);
      return /\[\[keyboard/i.test(await agent.call('get_page', { page: 'billing/overview.md', section: 'billing-overview' }));
    },
  },
  {
    name: 'broken links of the project',
    async run(agent) {
      const status = await agent.call('status', {});
      const broken = await agent.call('doctor', {});
      return /104/.test(status) && /104/.test(broken) && /runbook/.test(broken);
    },
  },
  {
    name: 'decisions by status and date',
    async run(agent) {
      await agent.call('query_inspect', { glob: 'adr/*.md' });
      const sql = "SELECT path, status, date FROM files WHERE status = 'accepted' ORDER BY date DESC";
      return /adr\/0009\.md/.test(await agent.call('query', { glob: 'adr/*.md', sql }));
    },
  },
  {
    name: 'before changing audit.ts',
    async run(agent) {
      const described = await agent.call('refs', { file: 'src/audit.ts' });
      const affected = await agent.call('get_impact', { file: 'src/audit.ts', depth: 2 });
      return /audit\.md/.test(described) && /architecture\.md/.test(affected);
    },
  },
  {
    name: 'a new page, its links, no duplicate',
    async run(agent) {
      await agent.call('search', { query: 'rate limits of the public API', limit: 3 });
      const made = await agent.call('create_page', { title: 'Rate limits', folder: 'checkout', content: 'A client may ask 100 times a minute, see [[checkout/api]]. Refusals are told in Logging.' });
      const suggested = await agent.call('suggest_links', { page: 'checkout/Rate limits.md', threshold: 0.2, limit: 3 });
      await agent.call('accept', { source: 'checkout/Rate limits.md', target: 'logging.md', expected_hash: hash(made) });
      return /logging\.md/.test(suggested) && /\[\[logging/i.test(await agent.call('get_page', { page: 'checkout/Rate limits.md' }));
    },
  },
  {
    name: 'find a phrase, and report that another is missing',
    async run(agent) {
      const there = await agent.call('fulltext_search', { query: '"retry budget is exhausted"', limit: 30 });
      const nowhere = await agent.call('fulltext_search', { query: '"retry budget is unlimited"', limit: 5 });
      const pages = new Set([...there.matchAll(/`([\w/]+\.md):\d+`/g)].map((found) => found[1]));
      // If the answer does not mention it, the agent has to read the results.
      if (!/no page has the phrase/.test(nowhere)) await agent.call('search', { query: 'unlimited retry budget', limit: 3 });
      return pages.size >= 20;
    },
  },
  {
    name: 'delete a page and the links to it',
    async run(agent) {
      const page = await agent.call('get_page', { page: 'slides.md' });
      const asked = { page: 'slides.md', unlink: true, expected_hash: hash(page) };
      await agent.call('delete_page', { ...asked, dry_run: true });
      await agent.call('delete_page', { ...asked, confirm: true });
      return !/\[\[slides/.test(await agent.call('get_page', { page: 'billing/overview.md', section: 'billing-overview' }));
    },
  },
  {
    name: 'one entry of a changelog of 50 kB',
    async run(agent) {
      const found = await agent.call('search', { query: 'when did the parcel label get a QR code', limit: 3 });
      const id = sectionOf(found, /changelog/) ?? '';
      if (!/QR code/.test(found) || !id) return /QR code/.test(await agent.call('get_page', { page: 'changelog.md' }));
      return /QR code/.test(await agent.call('get_page', { page: 'changelog.md', section: id }));
    },
  },
];
