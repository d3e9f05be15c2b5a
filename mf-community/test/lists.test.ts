import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { COUNTRIES, type ThreadLiveMessage } from '@alpenglow/domain/contracts';
import { getThreadsPath } from '../src/api/requests.ts';
import { createBatcher } from '../src/lists/batcher.ts';
import { toThreadFilter, parseSort } from '../src/lists/sort.ts';
import { isRelevantFor } from '../src/lists/thread-pages.ts';
import { getBreadcrumbs, findPlace } from '../src/places.ts';
import { toPlaceCounts } from '../src/place-tree/counts.ts';

const place = (state?: string, city?: string) => findPlace('us', state, city);

test('the path of a first page equals the path of the embedded response', () => {
  expect(getThreadsPath(toThreadFilter(null, 'latest'))).toBe('/community/threads');
  expect(getThreadsPath(toThreadFilter(null, 'active'))).toBe('/community/threads?sort=active');
  expect(getThreadsPath(toThreadFilter(place(), 'latest'))).toBe('/community/threads?country=us');
  expect(getThreadsPath(toThreadFilter(place('nv'), 'latest'))).toBe('/community/threads?country=us&state=NV');
  expect(getThreadsPath(toThreadFilter(place('nv', 'las-vegas'), 'newest'))).toBe(
    '/community/threads?country=us&state=NV&city=Las+Vegas&sort=newest',
  );
  expect(getThreadsPath({}, 'a+b')).toBe('/community/threads?cursor=a%2Bb');
});

test('the order of a list is read from the URL, and an invalid order is ignored', () => {
  expect(
    ['', 'sort=active', 'sort=newest', 'sort=latest', 'sort=none'].map((search) =>
      parseSort(new URLSearchParams(search)),
    ),
  ).toEqual(['latest', 'active', 'newest', 'latest', 'latest']);
});

describe('the live messages that a list offers', () => {
  const message = (changes: Partial<ThreadLiveMessage>): ThreadLiveMessage => ({
    seq: '1',
    type: 'thread_started',
    threadId: 't',
    number: 0,
    threadPlace: { country: 'us', state: 'NV', city: 'Reno' },
    at: '2026-01-01T10:00:00.000Z',
    ...changes,
  });
  const shown = new Set(['shown']);

  test('include a new thread of its place, but not of other places', () => {
    expect(isRelevantFor(message({}), {}, shown)).toBe(true);
    expect(isRelevantFor(message({}), { country: 'us', state: 'NV', city: 'Reno' }, shown)).toBe(true);
    expect(isRelevantFor(message({}), { country: 'us', state: 'NV', city: 'Las Vegas' }, shown)).toBe(false);
    expect(isRelevantFor(message({}), { country: 'us', state: 'CA' }, shown)).toBe(false);
  });

  test('include a reply if the list shows its thread or all places, unless ordered by the start of threads', () => {
    const reply = message({ type: 'reply_posted', number: 3, threadPlace: null });
    expect(isRelevantFor(reply, {}, shown)).toBe(true);
    expect(isRelevantFor(reply, { country: 'us' }, shown)).toBe(false);
    expect(isRelevantFor({ ...reply, threadId: 'shown' }, { country: 'us' }, shown)).toBe(true);
    expect(isRelevantFor({ ...reply, threadId: 'shown' }, { country: 'us', sort: 'newest' }, shown)).toBe(false);
  });

  test('include no other changes', () => {
    expect(isRelevantFor(message({ type: 'thread_changed' }), {}, shown)).toBe(false);
  });
});

describe('batching of messages', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('passes the items on together', () => {
    const batches: (readonly number[])[] = [];
    const gatherer = createBatcher<number>(400, (items) => batches.push(items));
    gatherer.add(1);
    gatherer.add(2);
    expect(batches).toEqual([]);
    vi.advanceTimersByTime(400);
    expect(batches).toEqual([[1, 2]]);
    gatherer.add(3);
    gatherer.stop();
    vi.advanceTimersByTime(1_000);
    expect(batches).toEqual([[1, 2]]);
  });
});

test('the breadcrumbs of a city contain its country and state', () => {
  const reno = place('nv', 'reno');
  expect(reno && getBreadcrumbs(reno, 'en-US').map(({ label, to }) => [label, to])).toEqual([
    ['United States', '/community/us'],
    ['Nevada', '/community/us/nv'],
    ['Reno', '/community/us/nv/reno'],
  ]);
  expect(findPlace(COUNTRIES[0]?.code ?? '', 'NV', 'atlantis')).toBeNull();
});

test('the numbers of threads are returned by place', () => {
  const counts = toPlaceCounts({
    success: true,
    data: [
      {
        code: 'us',
        name: 'United States',
        count: 3,
        states: [
          { code: 'NV', name: 'Nevada', count: 2, cities: [{ name: 'Las Vegas', slug: 'las-vegas', count: 2 }] },
        ],
      },
    ],
  });
  expect([...counts]).toEqual([
    ['us', 3],
    ['us/NV', 2],
    ['us/NV/las-vegas', 2],
  ]);
});
