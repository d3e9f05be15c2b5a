import type { PageReads } from '@alpenglow/domain/contracts';
import { pageReadRoutes } from '@alpenglow/query-api';
import { afterEach, expect, it } from 'vitest';
import { serveRoutes } from '../../tests/support/served-routes.ts';
import { createPageReadsOverHttp } from '../server/data/page-reads-http.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const asked: unknown[][] = [];
const READS: PageReads = {
  answer: (path) => (
    asked.push([path]),
    Promise.resolve(
      path === '/api/ads?q=a+b&state=NV' ? { body: '{"data":"é"}', position: '0000000000000000001' } : null,
    )
  ),
  ad: () => Promise.resolve(null),
  thread: (idOrSlug) => (asked.push([idOrSlug]), Promise.resolve(null)),
  article: (slug) => (asked.push([slug]), Promise.resolve(null)),
  feed: (limit) => (asked.push([limit]), Promise.resolve([])),
  sitemapThreads: (...given) => (asked.push(given), Promise.resolve([])),
  sitemapArticles: (limit) => (asked.push([limit]), Promise.resolve([])),
  sitemapAds: (...given) => (
    asked.push(given),
    Promise.resolve([{ id: 'b', title: 'T', state: 'NV', city: 'Las Vegas', updatedAt: '2026-11-20T10:00:00.000Z' }])
  ),
  sitemapEnds: (size) => Promise.resolve([String(size)]),
};
async function serve(): Promise<string> {
  const served = await serveRoutes('/internal/pages', pageReadRoutes(READS));
  stops.push(() => served.stop());
  return served.url;
}

it('the reads are the same over HTTP', async () => {
  const reads = createPageReadsOverHttp([await serve()]);
  expect(await reads.answer('/api/ads?q=a+b&state=NV')).toEqual({
    body: '{"data":"é"}',
    position: '0000000000000000001',
  });
  expect(await reads.answer('/api/ads/1')).toBeNull();
  expect(await reads.ad('../x')).toBeNull();
  asked.length = 0;
  expect(await reads.sitemapAds('', null, 10)).toHaveLength(1);
  await reads.sitemapAds('a', 'c', 20);
  expect(asked).toEqual([
    ['', null, 10],
    ['a', 'c', 20],
  ]);
  expect(await reads.sitemapEnds(45_000)).toEqual(['45000']);
  asked.length = 0;
  expect([await reads.thread('tea-0000000001'), await reads.article('meeting-safely'), await reads.feed(20)]).toEqual([
    null,
    null,
    [],
  ]);
  expect([
    await reads.sitemapThreads('', 2_500),
    await reads.sitemapThreads('0193a1b2-0000-7000-8000-000000000001', 10),
    await reads.sitemapArticles(50_000),
  ]).toEqual([[], [], []]);
  expect(asked).toEqual([
    ['tea-0000000001'],
    ['meeting-safely'],
    [20],
    ['', 2_500],
    ['0193a1b2-0000-7000-8000-000000000001', 10],
    [50_000],
  ]);
});

it('a query-api that is gone is passed over; without any, a read fails', async () => {
  const reads = createPageReadsOverHttp(['http://127.0.0.1:1', await serve()]);
  for (let i = 0; i < 4; i += 1) expect(await reads.sitemapEnds(1)).toEqual(['1']);
  await expect(createPageReadsOverHttp(['http://127.0.0.1:1']).ad('a')).rejects.toThrow('query-api cannot be asked');
});

it('no one reads more at once than a page of the sitemap', async () => {
  const url = await serve();
  for (const query of ['limit=5001', 'limit=0', 'limit=x', 'limit=10&after=%27', ''])
    expect((await fetch(`${url}/internal/pages/sitemap/ads?${query}`)).status, query).toBe(400);
});
