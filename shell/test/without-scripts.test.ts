import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LOCALES } from '@alpenglow/ui/locales';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPreloadPaths } from '../server/data/preload-paths.ts';
import { TEXTS } from '../server/texts.ts';
import { NO_READS, startTestShell, type TestShell } from './test-shell.ts';

/** The parts of the server that only browsers without scripts need: forms, later pages, and the choice of English. */
let shell: TestShell;
beforeAll(async () => {
  shell = await startTestShell(NO_READS);
});
afterAll(() => shell.stop());

describe('a submitted form', () => {
  it.each([
    ['place=', '/listings'],
    ['place=Anywhere&category=massage&q=&sort=bumped', '/listings?category=massage'],
    ['place=%C3%9Cberall&sort=newest', '/listings?sort=newest'],
    ['place=Las+Vegas%2C+Nevada&category=', '/city/nv/las-vegas'],
    ['place=las%20vegas,nv&q=+late++dinner+', '/city/nv/las-vegas?q=late++dinner'],
    ['place=nevada&category=escort', '/listings?state=NV&category=escort'],
    ['place=NV', '/listings?state=NV'],
    ['place=neva', '/listings?state=NV'],
    ['place=las+veg', '/city/nv/las-vegas'],
    // The page of the name explains that there is no such place, or offers the cities with this name.
    ['place=Atlantis', '/city/Atlantis'],
    ['place=Las+Vegas&photo=true&minPrice=100', '/city/nv/las-vegas?minPrice=100&photo=true'],
    ['place=NV&minPrice=1.500&maxPrice=%242%2C500.50', '/listings?state=NV&minPrice=1500&maxPrice=2500'],
    ['place=NV&minPrice=cheap', '/listings?state=NV&minPrice=cheap'],
    ['place=%2F%2Fevil.example', '/city/%2F%2Fevil.example'],
    ['place=Atlantis&cursor=abc&other=1', '/city/Atlantis'],
  ])('with %s leads to %s', async (query, target) => {
    for (const prefix of ['', '/de']) {
      const { status, headers } = await shell.get(`${prefix}/listings?${query}`);
      expect([status, headers.location]).toEqual([301, prefix + target]);
    }
  });

  it('contains the text of an empty place field in the language of the page', () => {
    for (const locale of LOCALES) {
      const file = path.join(import.meta.dirname, `../../mf-listings/src/locales/${locale}.json`);
      const { anywhere } = JSON.parse(readFileSync(file, 'utf8')) as { anywhere: string };
      expect(TEXTS[locale]('anywhere')).toBe(anywhere);
    }
  });
});

describe('a page after the first one', () => {
  it.each([
    ['/listings?category=massage&cursor=abc', '/listings?category=massage'],
    ['/city/nv/las-vegas?cursor=abc', '/city/nv/las-vegas'],
    ['/community?cursor=abc', '/community'],
    ['/community/us/nv?cursor=abc&sort=newest', '/community/us/nv'],
    ['/blog?cursor=abc', '/blog'],
    ['/blog/las-vegas?cursor=abc', '/blog/las-vegas'],
  ])('%s is not indexed, but its links are followed', async (target, canonical) => {
    const { text } = await shell.get(target);
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(text).toContain(`<link rel="canonical" href="https://www.example.org${canonical}">`);
  });

  it.each([
    ['mf-listings', '/listings', '?q=tea&cursor=abc', ['/api/ads?q=tea&cursor=abc']],
    ['mf-community', '/community', '?cursor=abc', ['/api/community/threads?cursor=abc']],
    [
      'mf-community',
      '/community/us/nv/reno',
      '?cursor=abc',
      ['/api/community/threads?country=us&state=NV&city=Reno&cursor=abc'],
    ],
    ['mf-community', '/blog', '?tag=safety&cursor=abc', ['/api/blog/articles?tag=safety&cursor=abc']],
    ['mf-community', '/community', '?q=+tea+', ['/api/community/threads', '/api/search?q=tea']],
  ])('of %s: the data of %s%s is in the HTML', (remote, pathname, search, paths) => {
    const manifest = JSON.parse(
      readFileSync(path.join(import.meta.dirname, `../../${remote}/package.json`), 'utf8'),
    ) as { preloadData: Record<string, string[]> };
    expect(getPreloadPaths(manifest.preloadData, pathname, search)).toEqual(paths);
  });
});

describe('the choice of English', () => {
  it.each([
    ['/en', '/'],
    ['/en/', '/'],
    ['/en/listings?q=tea', '/listings?q=tea'],
    ['/en?from=mail', '/?from=mail'],
  ])('%s leads to %s, and applies to URLs without a language', async (target, location) => {
    const { status, headers } = await shell.get(target, { 'accept-language': 'de' });
    expect([status, headers.location]).toEqual([302, location]);
    expect(headers['set-cookie']?.[0]).toMatch(/^locale=en; Max-Age=31536000; Path=\/; .*SameSite=Lax/u);
  });

  it.each(['/en//evil.example', '/en/\\evil.example', '/english'])('%s is an unknown page', async (target) => {
    const { status, headers } = await shell.get(target);
    expect([status, headers.location]).toEqual([404, undefined]);
  });
});
