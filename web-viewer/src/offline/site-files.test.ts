import { describe, expect, it } from 'vitest';
import { isPageOf, keyOf, titleOf } from './site-files';

describe('the address under which a page is kept', () => {
  it.each([
    ['https://h/a/index.html', 'https://h/a/'],
    ['https://h/a/index', 'https://h/a/'],
    ['https://h/a/', 'https://h/a/'],
    ['https://h/index.html?x=1#y', 'https://h/'],
    ['https://h/a/My%20Page.html', 'https://h/a/My%20Page'],
    ['https://h/a/My%20Page', 'https://h/a/My%20Page'],
    ['https://h/a/reindex.html', 'https://h/a/reindex'],
  ])('of %s is %s', (address, key) => expect(keyOf(address)).toBe(key));
});

describe('a page belongs to the site', () => {
  const page = (mode: string, root: string) => `<head><script type="application/json" id="ubp-site">{"mode":"${mode}","root":"${root}","name":"A"}</script></head>`;

  it.each([
    ['whose top is the scope', 'https://h/a/x/y.html', page('export', '../'), true],
    ['at the top', 'https://h/a/', page('export', './'), true],
    ['but not one of a site in a folder', 'https://h/a/x/y.html', page('export', './'), false],
    ['but not one of a site around it', 'https://h/a/y.html', page('export', '../'), false],
    ['but not one of a server', 'https://h/a/y.html', page('server', './'), false],
    ['but no other document', 'https://h/a/y.html', '<p>Sign in</p>', false],
  ])('%s', (_what, address, html, expected) => expect(isPageOf('https://h/a/', address, html)).toBe(expected));
});

it('finds the title of a page without the name of the site', () => {
  expect(titleOf('<title>A – B</title><meta property="og:title" content="A &amp; B">')).toBe('A &amp; B');
  expect(titleOf('<title>A</title>')).toBeNull();
});
