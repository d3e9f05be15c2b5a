import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findCity } from '@alpenglow/domain/contracts';
import { adCounts, createApi, listAds } from '@alpenglow/ui';
import { SHORT_LIST, withoutParameter } from '@alpenglow/ui/query-string';
import { describe, expect, it, test, vi } from 'vitest';
import { toApiFilter, parseFilter } from '../../mf-listings/src/lists/filters.ts';
import { getPreloadPaths } from '../server/data/preload-paths.ts';

const { preloadData } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../mf-listings/package.json'), 'utf8'),
) as { preloadData: Record<string, string[]> };

/**
 * Calls the browser's API client with a fake `fetch`. Returns the path that the client requests, without the parameter
 * for short lists, because lists in the HTML are always short.
 */
async function requestOf(call: (api: ReturnType<typeof createApi>) => Promise<unknown>): Promise<string> {
  const fetched = vi.fn(() => Promise.resolve(new Response('{"success":true,"data":[]}')));
  vi.stubGlobal('fetch', fetched);
  await call(createApi());
  vi.unstubAllGlobals();
  return withoutParameter(String((fetched.mock.calls[0] as unknown[] | undefined)?.[0]), SHORT_LIST);
}

describe('the paths that mf-listings declares for its first screens equal those that it requests', () => {
  test.each([
    '/listings',
    '/listings?state=nv',
    '/listings?city=las-vegas&state=Nevada',
    '/listings?city=Las+Vegas',
    '/listings?state=zz&city=nowhere&category=other&x=1',
    '/listings?sort=price_desc&online=true&verified=true&photo=true&maxPrice=300&minPrice=50&q=late%20dinner%20%26%20talk&category=massage&city=Las%20Vegas&state=NV',
    '/listings?q=%C3%A9t%C3%A9+%22a%22&sort=newest',
  ])('%s', async (address) => {
    const [pathname = '', search = ''] = address.split('?');
    const filter = toApiFilter(parseFilter(new URLSearchParams(search)));
    expect(getPreloadPaths(preloadData, pathname, search && `?${search}`)[0]).toBe(
      await requestOf((api) => listAds(api, filter, { cursor: null })),
    );
  });

  test.each([
    '/city/nv/las-vegas',
    '/city/NV/Las%20Vegas',
    '/city/las-vegas',
    '/city/florida/st-petersburg?category=escort&sort=newest&state=NV',
  ])('%s', async (address) => {
    const [pathname = '', search = ''] = address.split('?');
    const [, , first = '', second] = decodeURIComponent(pathname).split('/');
    const place = second === undefined ? findCity(first) : findCity(second, first);
    const here = { state: place?.state.code ?? '', city: place?.city ?? '' };
    const filter = toApiFilter({ ...parseFilter(new URLSearchParams(search)), ...here });
    const paths = getPreloadPaths(preloadData, pathname, search && `?${search}`);
    expect(paths[0]).toBe(await requestOf((api) => listAds(api, filter, { cursor: null })));
    expect(paths[1]).toBe(await requestOf((api) => adCounts(api, here)));
  });

  it('the home page', async () => {
    expect(getPreloadPaths(preloadData, '/', '')).toEqual([
      await requestOf((api) => listAds(api, {})),
      await requestOf((api) => adCounts(api)),
    ]);
  });
});

it('the first pictures are preloaded in the size that cards use', () => {
  const root = path.join(import.meta.dirname, '../../mf-listings');
  const { preloadPictures } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    preloadPictures: { sizes: string; pages: string[] };
  };
  expect(readFileSync(path.join(root, 'src/ads/ad-card.tsx'), 'utf8')).toContain(`'${preloadPictures.sizes}'`);
  expect(Object.keys(preloadData)).toEqual(expect.arrayContaining(preloadPictures.pages));
});

describe('paths that are not preloaded', () => {
  test.each([
    ['an unknown place', { '/city/{state}/{city}': ['/api/ads{?state,city}'] }, '/city/nv/atlantis'],
    ['a path without a pattern', { '/listings': ['/api/ads'] }, '/listings/more'],
    [
      'a URL of another origin or outside the API',
      { '/x': ['https://evil.example/api/ads', '//evil.example', '/mf/registry.json', '/api/ads?token={t}'] },
      '/x',
    ],
    ['nothing', undefined, '/x'],
  ])('%s', (_, declared, pathname) => {
    expect(getPreloadPaths(declared, pathname, '')).toEqual([]);
  });

  it('too many paths, or a path that is too long', () => {
    expect(getPreloadPaths({ '/x': ['/api/ads{?q}'] }, '/x', `?q=${'a'.repeat(800)}`)).toEqual([]);
    expect(getPreloadPaths({ '/x': Array.from({ length: 9 }, () => '/api/ads') }, '/x', '')).toHaveLength(4);
  });
});
