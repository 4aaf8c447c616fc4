// Keeps one comment on a pull request up to date: the file named by the argument, which begins with a mark. A pull request
// about which there is nothing to say gets no comment, but an earlier one is brought up to date.
//
// Environment: TOKEN, PULL, ATTENTION; GITHUB_API_URL and GITHUB_REPOSITORY, which GitHub sets.
import { readFileSync } from 'node:fs';

const { TOKEN, PULL, ATTENTION, GITHUB_API_URL, GITHUB_REPOSITORY } = process.env;
const MARK = '<!-- ubp diff -->';

async function call(method, url, body) {
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'user-agent': 'ubp-pages-check',
      'x-github-api-version': '2022-11-28',
    },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) {
    const error = new Error(`${method} ${new URL(url).pathname}: ${response.status} ${response.statusText}`);
    throw Object.assign(error, { status: response.status });
  }
  return response;
}

/** The number of the comment that an earlier run made. Comments of people may quote the mark. */
async function earlier(comments) {
  for (let url = `${comments}?per_page=100`; url; ) {
    const response = await call('GET', url);
    for (const comment of await response.json()) {
      if (comment.user?.type === 'Bot' && comment.body?.startsWith(MARK)) return Number(comment.id);
    }
    const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    // The token goes nowhere else.
    url = next && new URL(next).origin === new URL(comments).origin ? next : undefined;
  }
  return undefined;
}

async function keep(file) {
  if (!/^\d+$/.test(PULL ?? '')) {
    console.log('::notice::this is not a pull request, so there is nothing to comment on');
    return;
  }
  const body = readFileSync(file, 'utf8');
  if (!body.startsWith(MARK)) throw new Error(`${file} is not a comment of ubp diff`);
  const comments = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues/${PULL}/comments`;
  const old = await earlier(comments);
  if (old) await call('PATCH', `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues/comments/${old}`, { body });
  else if (Number(ATTENTION) > 0) await call('POST', comments, { body });
}

try {
  await keep(process.argv[2]);
} catch (error) {
  // The token of a pull request from a fork may not comment. The summary of the job has the answer.
  if (error.status === 403 || error.status === 404) {
    console.log(`::notice::no comment, because the token may not write one: ${error.message}`);
  } else {
    console.log(`::error::${error.message}`);
    process.exitCode = 1;
  }
}
