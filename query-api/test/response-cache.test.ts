import { START_POSITION } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { createListCache } from '../src/ads/response-cache.ts';

const createCache = () => createListCache(() => ({ position: START_POSITION, id: null }));
const bodyOf = async (response: ReturnType<ReturnType<typeof createCache>['get']>) =>
  JSON.parse((await response).body.toString()) as unknown;

test('simultaneous requests share one response, and a failure is not cached', async () => {
  const cache = createCache();
  await expect(cache.get('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  let calls = 0;
  const load = async () => (calls += 1);
  expect(await Promise.all([1, 2, 3].map(() => bodyOf(cache.get('a', load))))).toEqual([1, 1, 1]);
  expect(await bodyOf(cache.get('a', load))).toBe(1);
});

test('a response that is created during an invalidation is returned but not cached', async () => {
  const cache = createCache();
  let finish = (_text: string): void => undefined;
  const before = cache.get('a', () => new Promise((resolve) => (finish = resolve)));
  cache.invalidate();
  const after = cache.get('a', () => Promise.resolve('new'));
  finish('old');
  expect([await bodyOf(before), await bodyOf(after)]).toEqual(['old', 'new']);
  expect(await bodyOf(cache.get('a', () => Promise.resolve('newest')))).toBe('new');
});
