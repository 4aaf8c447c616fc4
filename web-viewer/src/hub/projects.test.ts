import { describe, expect, it } from 'vitest';
import type { Project } from '../client/hub.svelte';
import { matching } from './projects.svelte';

const project = (name: string, more: Partial<Project> = {}): Project => ({ project: name, address: `p/${name}/`, folder: `/src/${name}`, tags: [], version: null, read_only: false, pages: 1, error: null, ...more });

describe('the filter of projects', () => {
  const all = [project('auth'), project('shop', { tags: ['money'] }), project('lib', { version: 'v1.2.0', folder: '/cache/x' }), project('決済')];
  const named = (typed: string) => matching(all, typed).map(({ project }) => project);

  it.each([
    ['', ['auth', 'shop', 'lib', '決済']],
    [' SHO ', ['shop']],
    ['#money', ['shop']],
    ['mon', ['shop']],
    ['v1.2', ['lib']],
    ['cache', ['lib']],
    ['決', ['決済']],
    ['none', []],
  ])('%j', (typed, expected) => expect(named(typed)).toEqual(expected));
});
