import type { LiveMessage } from '@alpenglow/domain/contracts';
import { adKeys, blogKeys, communityKeys } from '@alpenglow/ui';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { beforeEach, expect, it } from 'vitest';
import { askAgain, markHidden } from '../src/live/stale-queries.ts';

const list = adKeys.list({});
const other = adKeys.list({ state: 'NV' });
const [ad, another] = [adKeys.detail('a', null), adKeys.detail('b', null)];

let client: QueryClient;
let asked: string[];

/** A query that stands on the page. */
function show(
  queryKey: readonly unknown[],
  answer: () => Promise<unknown> = () => Promise.resolve('fresh'),
): () => void {
  return new QueryObserver(client, {
    queryKey,
    queryFn: () => {
      asked.push(JSON.stringify(queryKey));
      return answer();
    },
    staleTime: Infinity,
  }).subscribe(() => undefined);
}
const isStale = (queryKey: readonly unknown[]) => client.getQueryState(queryKey)?.isInvalidated;
const times = (queryKey: readonly unknown[]) => asked.filter((one) => one === JSON.stringify(queryKey)).length;

beforeEach(() => {
  client = new QueryClient();
  asked = [];
});

it('a message makes stale what is not shown: every list, and the ad it is about', () => {
  for (const key of [list, other, ad, another]) client.setQueryData(key, 'old');
  show(list);
  markHidden(client, { seq: '01', type: 'ad_updated', adId: 'a' } as LiveMessage);
  expect([list, other, ad, another].map(isStale)).toEqual([false, true, true, false]);
  expect(asked).toEqual([]);
});

it('after a gap, what is shown is asked for again, and what is not shown when it is', async () => {
  for (const key of [list, other, ad]) client.setQueryData(key, 'old');
  show(list);
  show(ad);
  await askAgain(client, { isStart: false });
  expect([times(list), times(other), times(ad)]).toEqual([1, 0, 1]);
  expect(isStale(other)).toBe(true);
});

it('what was on its way is asked for once more when it has come', async () => {
  let answer: (value: string) => void = () => undefined;
  show(list, () => new Promise((resolve) => (answer = resolve)));
  const again = askAgain(client, { isStart: true });
  expect(times(list)).toBe(1);
  answer('early');
  await Promise.resolve();
  await expect.poll(() => times(list)).toBe(2);
  answer('fresh');
  await again;
  expect(client.getQueryData(list)).toBe('fresh');
});

it('a message of a thread makes stale what is not shown of the community, and no ad', () => {
  const [threads, thread] = [communityKeys.list({}), communityKeys.thread('b-0000000001', null)];
  for (const key of [list, ad, threads, thread, communityKeys.locations]) client.setQueryData(key, 'old');
  show(thread);
  markHidden(client, { seq: '01', type: 'reply_posted', threadId: 'a', number: 1, threadPlace: null, at: '' });
  expect([list, ad, threads, thread, communityKeys.locations].map(isStale)).toEqual([false, false, true, false, true]);
  expect(asked).toEqual([]);
});

it('after a gap, threads and articles are asked for again too, at the start as later', async () => {
  const keys = [communityKeys.list({}), communityKeys.thread('b-0000000001', null), blogKeys.list({})];
  for (const key of keys) {
    client.setQueryData(key, 'old');
    show(key);
  }
  client.setQueryData(['profile'], 'old');
  show(['profile']);
  await askAgain(client, { isStart: true });
  await askAgain(client, { isStart: false });
  expect(keys.map(times)).toEqual([2, 2, 2]);
  expect(times(['profile'])).toBe(0);
});

it('at the start, single ads are left alone', async () => {
  client.setQueryData(ad, 'old');
  show(ad);
  await askAgain(client, { isStart: true });
  expect(asked).toEqual([]);
});
