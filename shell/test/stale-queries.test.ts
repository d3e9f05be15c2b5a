import type { LiveMessage } from '@alpenglow/domain/contracts';
import { adKeys, blogKeys, communityKeys } from '@alpenglow/ui';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { beforeEach, expect, it } from 'vitest';
import { refetchQueries, markInactiveAsStale } from '../src/live/stale-queries.ts';

const list = adKeys.list({});
const other = adKeys.list({ state: 'NV' });
const [ad, another] = [adKeys.detail('a', null), adKeys.detail('b', null)];

let client: QueryClient;
let fetchedKeys: string[];

/** Makes a query active, as a component does that displays its data. */
function show(
  queryKey: readonly unknown[],
  respond: () => Promise<unknown> = () => Promise.resolve('fresh'),
): () => void {
  return new QueryObserver(client, {
    queryKey,
    queryFn: () => {
      fetchedKeys.push(JSON.stringify(queryKey));
      return respond();
    },
    staleTime: Infinity,
  }).subscribe(() => undefined);
}
const isStale = (queryKey: readonly unknown[]) => client.getQueryState(queryKey)?.isInvalidated;
const times = (queryKey: readonly unknown[]) => fetchedKeys.filter((key) => key === JSON.stringify(queryKey)).length;

beforeEach(() => {
  client = new QueryClient();
  fetchedKeys = [];
});

it('an ad message marks inactive data as stale: every list and the affected ad', () => {
  for (const key of [list, other, ad, another]) client.setQueryData(key, 'old');
  show(list);
  markInactiveAsStale(client, { seq: '01', type: 'ad_updated', adId: 'a' } as LiveMessage);
  expect([list, other, ad, another].map(isStale)).toEqual([false, true, true, false]);
  expect(fetchedKeys).toEqual([]);
});

it('after a gap, active data is refetched immediately, and inactive data when it becomes active', async () => {
  for (const key of [list, other, ad]) client.setQueryData(key, 'old');
  show(list);
  show(ad);
  await refetchQueries(client, { isStart: false });
  expect([times(list), times(other), times(ad)]).toEqual([1, 0, 1]);
  expect(isStale(other)).toBe(true);
});

it('a fetch in progress is repeated after it ends', async () => {
  let respond: (value: string) => void = () => undefined;
  show(list, () => new Promise((resolve) => (respond = resolve)));
  const again = refetchQueries(client, { isStart: true });
  expect(times(list)).toBe(1);
  respond('early');
  await Promise.resolve();
  await expect.poll(() => times(list)).toBe(2);
  respond('fresh');
  await again;
  expect(client.getQueryData(list)).toBe('fresh');
});

it('a thread message marks inactive community data as stale, but no ads', () => {
  const [threads, thread] = [communityKeys.list({}), communityKeys.thread('b-0000000001', null)];
  for (const key of [list, ad, threads, thread, communityKeys.locations]) client.setQueryData(key, 'old');
  show(thread);
  markInactiveAsStale(client, { seq: '01', type: 'reply_posted', threadId: 'a', number: 1, threadPlace: null, at: '' });
  expect([list, ad, threads, thread, communityKeys.locations].map(isStale)).toEqual([false, false, true, false, true]);
  expect(fetchedKeys).toEqual([]);
});

it('after a gap, threads and articles are refetched too, both at the start and later', async () => {
  const keys = [communityKeys.list({}), communityKeys.thread('b-0000000001', null), blogKeys.list({})];
  for (const key of keys) {
    client.setQueryData(key, 'old');
    show(key);
  }
  client.setQueryData(['profile'], 'old');
  show(['profile']);
  await refetchQueries(client, { isStart: true });
  await refetchQueries(client, { isStart: false });
  expect(keys.map(times)).toEqual([2, 2, 2]);
  expect(times(['profile'])).toBe(0);
});

it('after the gap at the start, single ads are not refetched', async () => {
  client.setQueryData(ad, 'old');
  show(ad);
  await refetchQueries(client, { isStart: true });
  expect(fetchedKeys).toEqual([]);
});
