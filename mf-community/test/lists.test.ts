import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { COUNTRIES, type ThreadLiveMessage } from '@alpenglow/domain/contracts';
import { threadsPath } from '../src/api/calls.ts';
import { createGatherer } from '../src/lists/gather.ts';
import { filterOf, sortOf } from '../src/lists/sort.ts';
import { isNewsFor } from '../src/lists/thread-pages.ts';
import { breadcrumbsTo, placeOf } from '../src/places.ts';
import { countsOf } from '../src/place-tree/counts.ts';

const place = (state?: string, city?: string) => placeOf('us', state, city);

test('the first page of a list is asked for under the path the server puts it into the page by', () => {
  expect(threadsPath(filterOf(null, 'latest'))).toBe('/community/threads');
  expect(threadsPath(filterOf(null, 'active'))).toBe('/community/threads?sort=active');
  expect(threadsPath(filterOf(place(), 'latest'))).toBe('/community/threads?country=us');
  expect(threadsPath(filterOf(place('nv'), 'latest'))).toBe('/community/threads?country=us&state=NV');
  expect(threadsPath(filterOf(place('nv', 'las-vegas'), 'newest'))).toBe(
    '/community/threads?country=us&state=NV&city=Las+Vegas&sort=newest',
  );
  expect(threadsPath({}, 'a+b')).toBe('/community/threads?cursor=a%2Bb');
});

test('the order in the address', () => {
  expect(
    ['', 'sort=active', 'sort=newest', 'sort=latest', 'sort=none'].map((search) => sortOf(new URLSearchParams(search))),
  ).toEqual(['latest', 'active', 'newest', 'latest', 'latest']);
});

describe('what is news for a list', () => {
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

  test('a thread of its place, none of elsewhere', () => {
    expect(isNewsFor(message({}), {}, shown)).toBe(true);
    expect(isNewsFor(message({}), { country: 'us', state: 'NV', city: 'Reno' }, shown)).toBe(true);
    expect(isNewsFor(message({}), { country: 'us', state: 'NV', city: 'Las Vegas' }, shown)).toBe(false);
    expect(isNewsFor(message({}), { country: 'us', state: 'CA' }, shown)).toBe(false);
  });

  test('a reply, which says no place, where its thread is shown and everywhere; not in order of beginning', () => {
    const reply = message({ type: 'reply_posted', number: 3, threadPlace: null });
    expect(isNewsFor(reply, {}, shown)).toBe(true);
    expect(isNewsFor(reply, { country: 'us' }, shown)).toBe(false);
    expect(isNewsFor({ ...reply, threadId: 'shown' }, { country: 'us' }, shown)).toBe(true);
    expect(isNewsFor({ ...reply, threadId: 'shown' }, { country: 'us', sort: 'newest' }, shown)).toBe(false);
  });

  test('no other change', () => {
    expect(isNewsFor(message({ type: 'thread_changed' }), {}, shown)).toBe(false);
  });
});

describe('a burst', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is handed on together', () => {
    const taken: (readonly number[])[] = [];
    const gatherer = createGatherer<number>(400, (items) => taken.push(items));
    gatherer.add(1);
    gatherer.add(2);
    expect(taken).toEqual([]);
    vi.advanceTimersByTime(400);
    expect(taken).toEqual([[1, 2]]);
    gatherer.add(3);
    gatherer.stop();
    vi.advanceTimersByTime(1_000);
    expect(taken).toEqual([[1, 2]]);
  });
});

test('the way to a city leads over its state and country', () => {
  const reno = place('nv', 'reno');
  expect(reno && breadcrumbsTo(reno, 'en-US').map(({ label, to }) => [label, to])).toEqual([
    ['United States', '/community/us'],
    ['Nevada', '/community/us/nv'],
    ['Reno', '/community/us/nv/reno'],
  ]);
  expect(placeOf(COUNTRIES[0]?.code ?? '', 'NV', 'atlantis')).toBeNull();
});

test('the counts of places by their keys', () => {
  const counts = countsOf({
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
