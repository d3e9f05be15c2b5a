import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LiveMessage } from '@alpenglow/domain/contracts';
import type { AdPages } from '@alpenglow/ui';
import { cardsOf, isPreparing, newcomers, totalOf, withNewer, withoutAd } from '../src/lists/ad-pages.ts';
import { apiFilterOf, chosenCount, filterOf, NO_FILTER, placeOf, placeValueOf, searchOf } from '../src/lists/filters.ts';
import { createGatherer } from '../src/lists/gather.ts';
import { listTitle } from '../src/lists/list-title.ts';
import { concerns } from '../src/lists/use-live-list.ts';
import { adPath, cityPath } from '../src/paths.ts';
import { adCard } from './ad-card.ts';

const read = (search: string) => filterOf(new URLSearchParams(search));

describe('the filter in the address', () => {
  test('nothing chosen leaves the address bare', () => {
    expect(read('')).toEqual(NO_FILTER);
    expect(searchOf(NO_FILTER)).toBe('');
    expect(apiFilterOf(NO_FILTER)).toEqual({});
  });

  test('what is chosen survives the way through the address', () => {
    const filter = { state: 'NV', city: 'Las Vegas', category: 'massage', q: 'hot stone & oil', sort: 'newest' } as const;
    expect(read(searchOf(filter))).toEqual(filter);
  });

  test('places are taken in any spelling, and a city brings its state', () => {
    expect(read('state=nv&city=las-vegas')).toMatchObject({ state: 'NV', city: 'Las Vegas' });
    expect(read('city=Reno')).toMatchObject({ state: 'NV', city: 'Reno' });
  });

  test('what makes no sense is left out', () => {
    expect(read('state=ZZ&city=Reno&category=cars&sort=cheapest')).toEqual(NO_FILTER);
    expect(read('state=CA&city=Reno')).toMatchObject({ state: 'CA', city: null });
    expect(read(`q=${'x'.repeat(300)}`).q).toHaveLength(100);
    expect(read('q=%20%20')).toEqual(NO_FILTER);
  });

  test('a place is one value of a select', () => {
    for (const place of [{ state: null, city: null }, { state: 'NV', city: null }, { state: 'NV', city: 'Las Vegas' }]) expect(placeOf(placeValueOf(place))).toEqual(place);
  });

  test('the order is not counted as a filter', () => {
    expect(chosenCount({ ...NO_FILTER, sort: 'newest' })).toBe(0);
    expect(chosenCount({ state: 'NV', city: 'Reno', category: 'massage', q: 'x', sort: 'bumped' })).toBe(3);
  });

  test('a list is named after it', () => {
    expect(listTitle(NO_FILTER)).toBe('Browse ads');
    expect(listTitle({ state: 'NV', city: null, category: null })).toBe('Ads in Nevada');
    expect(listTitle({ state: 'NV', city: 'Reno', category: 'massage' })).toBe('Massage ads in Reno');
  });
});

test('addresses of ads and cities', () => {
  expect(adPath({ id: 'a1', state: 'FL', city: 'St. Petersburg', title: 'Über “slow” evenings!' })).toBe('/escorts/fl/st-petersburg/uber-slow-evenings/a1');
  expect(adPath({ id: 'a1', state: 'NV', city: 'Reno', title: '…' })).toBe('/escorts/nv/reno/ad/a1');
  expect(cityPath('NV', 'Las Vegas')).toBe('/city/nv/las-vegas');
});

const pagesOf = (...ids: readonly (readonly string[])[]): AdPages => ({
  pages: ids.map((page) => ({ success: true, data: page.map((id) => adCard(id)), nextCursor: null, total: ids.flat().length })),
  pageParams: ids.map(() => null),
});

describe('a list that is changed in place', () => {
  test('a card on two pages counts once, where it comes first', () => {
    expect(cardsOf(pagesOf(['a', 'b'], ['b', 'c'])).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(cardsOf(undefined)).toEqual([]);
  });

  test('a deleted ad goes, and the total with it', () => {
    const pages = withoutAd(pagesOf(['a', 'b'], ['c']), 'b');
    expect(cardsOf(pages).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(totalOf(pages)).toBe(2);
  });

  test('a total nobody counted stays unknown', () => {
    const uncounted = { ...pagesOf(['a', 'b']), pages: pagesOf(['a', 'b']).pages.map((page) => ({ ...page, total: null })) };
    expect(totalOf(uncounted)).toBeNull();
    expect(totalOf(withoutAd(uncounted, 'b'))).toBeNull();
    expect(totalOf(undefined)).toBeNull();
  });

  test('deleting what is not there changes nothing', () => {
    const pages = pagesOf(['a']);
    expect(withoutAd(pages, 'z')).toBe(pages);
  });

  test('a changed ad keeps its place, an unknown one is not added', () => {
    const pages = withNewer(pagesOf(['a', 'b']), [adCard('b', { title: 'New' }), adCard('z')]);
    expect(cardsOf(pages).map(({ id, title }) => [id, title])).toEqual([
      ['a', 'An evening walk'],
      ['b', 'New'],
    ]);
  });

  test('new ads and bumped ones are newcomers; where bumps do not matter, only new ones', () => {
    const fresh = [adCard('new'), adCard('a', { lastBumpedAt: '2026-11-21T10:30:00.000Z' }), adCard('b')];
    expect(newcomers(pagesOf(['a', 'b']), fresh)).toBe(2);
    expect(newcomers(pagesOf(['a', 'b']), fresh, 'newest')).toBe(1);
  });

  test('a cover in the making is noticed', () => {
    const photo = { id: 'p', url: '', reason: null, width: 0, height: 0, blur: null };
    expect(isPreparing([adCard('a', { media: [{ ...photo, status: 'processing' }] })])).toBe(true);
    expect(isPreparing([adCard('a', { media: [{ ...photo, status: 'ready' }] }), adCard('b')])).toBe(false);
  });
});

test('a live message concerns a list unless it says it belongs elsewhere', () => {
  const message = (place: LiveMessage['place']): LiveMessage => ({ seq: '1', type: 'ad_created', adId: 'a', place, at: '' });
  const reno = { state: 'NV', city: 'Reno', category: 'massage' };
  expect(concerns(message(null), { state: 'CA' })).toBe(true);
  expect(concerns(message(reno), {})).toBe(true);
  expect(concerns(message(reno), { state: 'NV', city: 'Reno', category: 'massage' })).toBe(true);
  expect(concerns(message(reno), { state: 'CA' })).toBe(false);
  expect(concerns(message(reno), { state: 'NV', city: 'Sparks' })).toBe(false);
  expect(concerns(message(reno), { category: 'escort' })).toBe(false);
});

describe('a burst of messages', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test('the first one at once, the rest together, then quiet', () => {
    const batches: (readonly number[])[] = [];
    const gatherer = createGatherer<number>(400, (items) => batches.push(items));
    [1, 2, 3].forEach((item) => gatherer.add(item));
    expect(batches).toEqual([[1]]);
    vi.advanceTimersByTime(400);
    expect(batches).toEqual([[1], [2, 3]]);
    vi.advanceTimersByTime(4_000);
    gatherer.add(4);
    expect(batches).toEqual([[1], [2, 3], [4]]);
  });

  test('stopped, it hands on nothing more', () => {
    const batches: (readonly number[])[] = [];
    const gatherer = createGatherer<number>(400, (items) => batches.push(items));
    gatherer.add(1);
    gatherer.add(2);
    gatherer.stop();
    vi.advanceTimersByTime(4_000);
    expect(batches).toEqual([[1]]);
  });
});
