// Vaults for the tests.

const WORDS = 'index search token page link graph vector engine query section heading browser module worker folder file text meaning answer question 認証 検索 索引 設計'.split(' ');
const TYPES = ['depends_on', 'implements', 'extends', 'conflicts_with'];

/** Notes that link to each other, the same for every call. */
export function generated(count) {
  let seed = 7;
  const next = (below) => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) % below;
  const words = (many) => Array.from({ length: many }, () => WORDS[next(WORDS.length)]).join(' ');
  return Array.from({ length: count }, (_, at) => {
    const links = Array.from({ length: 4 }, (_, n) => `- ${words(5)} [[Note ${next(count)}${n === 0 ? `|${TYPES[next(TYPES.length)]}` : ''}]] ${words(4)}`);
    const parts = Array.from({ length: 3 }, (_, n) => `## Part ${n} ${words(2)}\n\n${words(60)}.`);
    return { path: `folder ${at % 20}/Note ${at}.md`, text: `# Note ${at}\n\n${links.join('\n')}\n\n${parts.join('\n\n')}\n` };
  });
}

/** A small vault in which everything occurs. */
export const small = [
  { path: 'Login.md', text: '---\ntags: [auth]\n---\n# Login\n\nA user signs in. The Session store keeps the result, see [[User database|depends_on]] and [[Sessions|depends_on|the sessions]].\n\nPlain: [[Sessions]], [[Sessions|the store]], [depends_on](Sessions.md), `[[Sessions|depends_on]]`.\n\nA kiosk has no form, and the Kiosk needs no Kiosk.\n' },
  { path: 'User database.md', text: '# User database\n\nAccounts and passwords.\n' },
  { path: 'Sessions.md', text: '---\naliases: [Session store]\n---\n# Sessions\n\nA session ends after an hour.\n\n## Limits\n\nAt most ten sessions for each user.\n' },
  { path: 'plans/Single sign-on.md', text: '# Single sign-on\n\nReplaces the form. [[Login|extends]] with other providers.\n\nIt needs [[Login]] twice, and the User database.\n' },
  { path: 'plans/Kiosk.md', text: '# Kiosk\n\nNobody signs in: [[Login|conflicts_with]].\n' },
  { path: 'picture.png', text: '' },
  { path: '.obsidian/app.json', text: '{}' },
  { path: '.trash/Old.md', text: '# Old\n\n[[Login]]\n' },
];
