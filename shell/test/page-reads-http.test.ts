import type { PageReader } from '@alpenglow/domain/contracts';
import { pageReadRoutes } from '@alpenglow/query-api';
import { afterEach, expect, it } from 'vitest';
import { serveRoutes } from '../../tests/support/served-routes.ts';
import { createPageReadsOverHttp } from '../server/data/page-reads-http.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const STATISTICS = {
  ...{ frontEnd: 'mf-listings', hash: '0123456789abcdef', lastDay: '2026-11-30', errors: [], vitals: [] },
  views: { started: 2, failed: 1 },
};
const recordedCalls: unknown[][] = [];
const READS: PageReader = {
  readApiResponse: (path) => (
    recordedCalls.push([path]),
    Promise.resolve(
      path === '/api/ads?q=a+b&state=NV' ? { body: '{"data":"é"}', position: '0000000000000000001' } : null,
    )
  ),
  readFrontEndStatistics: (firstDay) => (recordedCalls.push([firstDay]), Promise.resolve([STATISTICS])),
  findAd: () => Promise.resolve(null),
  isFormerAd: (adId) => Promise.resolve(adId === 'gone'),
  findThread: (idOrSlug) => (recordedCalls.push([idOrSlug]), Promise.resolve(null)),
  findArticle: (slug) => (recordedCalls.push([slug]), Promise.resolve(null)),
  listFeedArticles: (limit) => (recordedCalls.push([limit]), Promise.resolve([])),
  listSitemapThreads: (...parameters) => (recordedCalls.push(parameters), Promise.resolve([])),
  listSitemapArticles: (limit) => (recordedCalls.push([limit]), Promise.resolve([])),
  listSitemapAds: (...parameters) => (
    recordedCalls.push(parameters),
    Promise.resolve([
      { id: 'b', slug: 't', title: 'T', state: 'NV', city: 'Las Vegas', updatedAt: '2026-11-20T10:00:00.000Z' },
    ])
  ),
  listSitemapBoundaries: (size) => Promise.resolve([String(size)]),
};
async function serve(): Promise<string> {
  const served = await serveRoutes('/internal/pages', pageReadRoutes(READS));
  stops.push(() => served.stop());
  return served.url;
}

it('reads return the same over HTTP', async () => {
  const reads = createPageReadsOverHttp([await serve()]);
  expect(await reads.readApiResponse('/api/ads?q=a+b&state=NV')).toEqual({
    body: '{"data":"é"}',
    position: '0000000000000000001',
  });
  expect(await reads.readApiResponse('/api/ads/1')).toBeNull();
  expect(await reads.findAd('../x')).toBeNull();
  recordedCalls.length = 0;
  expect(await reads.listSitemapAds('', null, 10)).toHaveLength(1);
  await reads.listSitemapAds('a', 'c', 20);
  expect(recordedCalls).toEqual([
    ['', null, 10],
    ['a', 'c', 20],
  ]);
  expect(await reads.listSitemapBoundaries(45_000)).toEqual(['45000']);
  recordedCalls.length = 0;
  expect(await reads.readFrontEndStatistics('2026-11-30')).toEqual([STATISTICS]);
  expect(recordedCalls).toEqual([['2026-11-30']]);
  await expect(reads.readFrontEndStatistics('2026-99-30')).rejects.toThrow();
  recordedCalls.length = 0;
  expect([
    await reads.findThread('tea-0000000001'),
    await reads.findArticle('meeting-safely'),
    await reads.listFeedArticles(20),
  ]).toEqual([null, null, []]);
  expect([
    await reads.listSitemapThreads('', 2_500),
    await reads.listSitemapThreads('0193a1b2-0000-7000-8000-000000000001', 10),
    await reads.listSitemapArticles(50_000),
  ]).toEqual([[], [], []]);
  expect(recordedCalls).toEqual([
    ['tea-0000000001'],
    ['meeting-safely'],
    [20],
    ['', 2_500],
    ['0193a1b2-0000-7000-8000-000000000001', 10],
    [50_000],
  ]);
});

it('skips a query-api that is not available; without any, a read fails', async () => {
  const reads = createPageReadsOverHttp(['http://127.0.0.1:1', await serve()]);
  for (let i = 0; i < 4; i += 1) expect(await reads.listSitemapBoundaries(1)).toEqual(['1']);
  await expect(createPageReadsOverHttp(['http://127.0.0.1:1']).findAd('a')).rejects.toThrow(
    'query-api is not available',
  );
});

it('rejects a limit above the page size of the sitemap', async () => {
  const url = await serve();
  for (const query of ['limit=5001', 'limit=0', 'limit=x', 'limit=10&after=%27', ''])
    expect((await fetch(`${url}/internal/pages/sitemap/ads?${query}`)).status, query).toBe(400);
});
