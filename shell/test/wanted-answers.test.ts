import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findCity } from '@alpenglow/domain/contracts';
import { createApi } from '@alpenglow/ui';
import { describe, expect, it, test, vi } from 'vitest';
import { apiFilterOf, filterOf } from '../../mf-listings/src/lists/filters.ts';
import { wantedAnswers } from '../server/data/wanted-answers.ts';

const { preloadData } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../mf-listings/package.json'), 'utf8'),
) as { preloadData: Record<string, string[]> };

/** The path of the request that a call of the browser's client makes. */
async function requestOf(call: (api: ReturnType<typeof createApi>) => Promise<unknown>): Promise<string> {
  const fetched = vi.fn(() => Promise.resolve(new Response('{"success":true,"data":[]}')));
  vi.stubGlobal('fetch', fetched);
  await call(createApi());
  vi.unstubAllGlobals();
  return String((fetched.mock.calls[0] as unknown[] | undefined)?.[0]);
}

describe('what the remote of lists says that its first screens ask for is what they ask for', () => {
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
    const filter = apiFilterOf(filterOf(new URLSearchParams(search)));
    expect(wantedAnswers(preloadData, pathname, search && `?${search}`)[0]).toBe(
      await requestOf((api) => api.listAds(filter, { cursor: null })),
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
    const filter = apiFilterOf({ ...filterOf(new URLSearchParams(search)), ...here });
    const wanted = wantedAnswers(preloadData, pathname, search && `?${search}`);
    expect(wanted[0]).toBe(await requestOf((api) => api.listAds(filter, { cursor: null })));
    expect(wanted[1]).toBe(await requestOf((api) => api.adCounts(here)));
  });

  it('home', async () => {
    expect(wantedAnswers(preloadData, '/', '')).toEqual([
      await requestOf((api) => api.listAds({})),
      await requestOf((api) => api.adCounts()),
    ]);
  });
});

it('the first pictures are preloaded in the size in which cards show them', () => {
  const root = path.join(import.meta.dirname, '../../mf-listings');
  const { preloadPictures } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    preloadPictures: { sizes: string; pages: string[] };
  };
  expect(readFileSync(path.join(root, 'src/ads/ad-card.tsx'), 'utf8')).toContain(`'${preloadPictures.sizes}'`);
  expect(Object.keys(preloadData)).toEqual(expect.arrayContaining(preloadPictures.pages));
});

describe('what cannot be asked for', () => {
  test.each([
    ['a place we do not have', { '/city/{state}/{city}': ['/api/ads{?state,city}'] }, '/city/nv/atlantis'],
    ['another path', { '/listings': ['/api/ads'] }, '/listings/more'],
    [
      'a file elsewhere',
      { '/x': ['https://evil.example/api/ads', '//evil.example', '/mf/registry.json', '/api/ads?token={t}'] },
      '/x',
    ],
    ['nothing', undefined, '/x'],
  ])('%s', (_, stated, pathname) => {
    expect(wantedAnswers(stated, pathname, '')).toEqual([]);
  });

  it('too much', () => {
    expect(wantedAnswers({ '/x': ['/api/ads{?q}'] }, '/x', `?q=${'a'.repeat(800)}`)).toEqual([]);
    expect(wantedAnswers({ '/x': Array.from({ length: 9 }, () => '/api/ads') }, '/x', '')).toHaveLength(4);
  });
});
