// The page in place of one that cannot be reached. The service worker makes it, so it needs no other file.
import { offline as english } from '../words/en/offline';
import { offline as japanese } from '../words/ja/offline';

/** Opens the page once the server answers. */
const REOPEN = "setInterval(() => fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(() => location.reload(), () => {}), 2000)";

/** `links` are list items with pages that can be read. */
export function notice(why: 'offline' | 'stopped', links = ''): Response {
  const language = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag === 'en' || tag === 'ja') ?? 'en';
  const words = language === 'ja' ? japanese : english;
  const isServer = why === 'stopped';
  const heading = isServer ? words.notRunning : words.title;
  const text = (isServer ? words.start : words.notKept).replace(/`([^`]+)`/g, '<code>$1</code>');
  const nonce = crypto.randomUUID();
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${heading}</title>
<style>
:root { color-scheme: light dark }
body { margin: 0; background: light-dark(#fcfcfb, #13161c); color: light-dark(#1b2130, #e7e9ef); font: 1.0625rem/1.65 system-ui, sans-serif }
main { max-width: 40rem; margin: 15vh auto; padding: 0 1.5rem }
h1 { margin: 0 0 0.5rem; font-size: 2.25rem; line-height: 1.2 }
h2 { margin: 2rem 0 0.5rem; font-size: 1.25rem }
p { color: light-dark(#454d5f, #b9c0ce) }
a { color: light-dark(#2547c4, #a3b8ff) }
</style>
</head>
<body>
<main>
<h1>${heading}</h1>
<p>${text}</p>
<p><a href="">${words.again}</a></p>
${links ? `<h2>${words.kept}</h2>\n<ul>\n${links}\n</ul>` : ''}
</main>
${isServer ? `<script nonce="${nonce}">${REOPEN}</script>` : ''}
</body>
</html>
`;
  return new Response(html, {
    status: 503,
    headers: {
      'content-type': 'text/html;charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
  });
}
