import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ResponseOf } from '@alpenglow/domain/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findAdsCache } from '../src/api/find-ads-cache.ts';
import { listAds } from '../src/api/ad-calls.ts';
import { createApi } from '../src/api/client.ts';
import { createPositionStore } from '../src/api/position-store.ts';

const stored = new Map<string, string>();
const storage = {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => void stored.set(key, value),
  removeItem: (key: string) => void stored.delete(key),
};
const list = { success: true, data: [], nextCursor: null } as unknown as ResponseOf<'listAds'>;
let server: Server;
let baseUrl: string;

beforeEach(async () => {
  stored.clear();
  vi.stubGlobal('localStorage', storage);
  openPageOn('localhost');
  server = createServer((_, res) => res.end(JSON.stringify(list)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  server.close();
});

function stopServer(): void {
  server.closeAllConnections();
  server.close();
}
const openPageOn = (hostname: string) => vi.stubGlobal('location', { hostname });
const createClient = () => createApi({ baseUrl, positions: createPositionStore(null) });

test('on localhost, a list is read from local storage while the backend is not reachable', async () => {
  const api = createClient();
  await listAds(api, { state: 'NV' });
  stopServer();
  expect(await listAds(api, { state: 'NV' })).toEqual(list);
  await expect(listAds(api, { state: 'NY' })).rejects.toThrow('Network error');
});

test('on other hosts, no list is stored', async () => {
  openPageOn('www.example.org');
  const api = createClient();
  await listAds(api, { state: 'NV' });
  expect([...stored.keys()]).toEqual([]);
  stopServer();
  await expect(listAds(api, { state: 'NV' })).rejects.toThrow('Network error');
});

test('the cache holds ten lists for an hour', async () => {
  const cache = await findAdsCache();
  vi.useFakeTimers();
  for (let n = 1; n <= 11; n += 1) cache?.set(`/ads?page=${n}`, list);
  expect(cache?.get('/ads?page=1')).toBeNull();
  expect(cache?.get('/ads?page=2')).toEqual(list);
  vi.advanceTimersByTime(3_600_000);
  expect(cache?.get('/ads?page=2')).toBeNull();
});

test('invalid stored data is ignored', async () => {
  stored.set('ads_cache', '{broken');
  expect((await findAdsCache())?.get('/ads')).toBeNull();
});
