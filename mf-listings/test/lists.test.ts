import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AdCard, AdLiveMessage } from '@alpenglow/domain/contracts';
import type { AdPages } from '@alpenglow/ui';
import {
  cardsOf,
  isPreparing,
  missing,
  newcomers,
  nextCursorOf,
  pagesWith,
  totalOf,
  withAdGone,
  withFirst,
  withNewer,
  withNext,
  withoutAd,
  withoutGone,
} from '../src/lists/ad-pages.ts';
import { choiceLabel } from '../src/lists/chips.tsx';
import {
  apiFilterOf,
  choicesOf,
  cleared,
  filterOf,
  NO_FILTER,
  placeOf,
  placeValueOf,
  PRICE_MAX,
  searchOf,
  type ListFilter,
} from '../src/lists/filters.ts';
import { createGatherer } from '../src/lists/gather.ts';
import { listTitle } from '../src/lists/list-title.ts';
import { adsIn, citiesByAds, placesNamed, stateIn } from '../src/lists/places.ts';
import { createShownCounts } from '../src/lists/shown-counts.ts';
import { concerns } from '../src/lists/use-live-list.ts';
import { adPath, cityPath, statePath } from '../src/paths.ts';
import { t } from '../src/text.ts';
import { adCard } from './ad-card.ts';

/** Everything there is to choose. */
const ALL: ListFilter = {
  state: 'NV',
  city: 'Las Vegas',
  category: 'massage',
  q: 'hot stone & oil',
  minPrice: 100,
  maxPrice: 200,
  photo: true,
  verified: true,
  online: true,
  sort: 'price_desc',
};

const read = (search: string) => filterOf(new URLSearchParams(search));

describe('the filter in the address', () => {
  test('nothing chosen leaves the address bare', () => {
    expect(read('')).toEqual(NO_FILTER);
    expect(searchOf(NO_FILTER)).toBe('');
    expect(apiFilterOf(NO_FILTER)).toEqual({});
  });

  test('what is chosen survives the way through the address', () => {
    expect(read(searchOf(ALL))).toEqual(ALL);
    expect(searchOf(ALL)).toBe(
      '?state=NV&city=Las+Vegas&category=massage&q=hot+stone+%26+oil&minPrice=100&maxPrice=200&photo=true&verified=true&online=true&sort=price_desc',
    );
    expect(apiFilterOf(read(searchOf(ALL))), 'the names are those of the API').toEqual(ALL);
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
    expect(read('q=a%00b%0a').q, 'the server refuses control characters').toBe('a b');
    expect(read('minPrice=cheap&maxPrice=-5')).toEqual(NO_FILTER);
    expect(read('minPrice=0&maxPrice=1e3')).toEqual(NO_FILTER);
    expect(read('minPrice=9999999999').minPrice).toBe(PRICE_MAX);
    expect(read('photo=false&verified=yes&online=')).toEqual(NO_FILTER);
    expect(read('photo=1&photo=false').photo).toBe(true);
  });

  test('prices are read in their order, whichever was given first', () => {
    expect(read('minPrice=200&maxPrice=100')).toMatchObject({ minPrice: 100, maxPrice: 200 });
    expect(read('minPrice=200')).toMatchObject({ minPrice: 200, maxPrice: null });
  });

  test('a place is one value of a select', () => {
    for (const place of [
      { state: null, city: null },
      { state: 'NV', city: null },
      { state: 'NV', city: 'Las Vegas' },
    ])
      expect(placeOf(placeValueOf(place))).toEqual(place);
  });

  test('each chosen thing can be taken away, and only it', () => {
    expect(choicesOf(NO_FILTER)).toEqual([]);
    expect(choicesOf({ ...NO_FILTER, sort: 'newest' }), 'an order takes nothing away').toEqual([]);
    expect(choicesOf(ALL).map(({ of }) => of)).toEqual([
      'q',
      'city',
      'category',
      'price',
      'photo',
      'verified',
      'online',
    ]);
    for (const { of, without } of choicesOf(ALL)) {
      const left = choicesOf(without).map((choice) => choice.of);
      expect(left, `without ${of}`).not.toContain(of);
      expect(left).toHaveLength(of === 'city' ? 7 : 6);
    }
    expect(choicesOf(ALL).find(({ of }) => of === 'city')?.without, 'without its city, the whole state').toMatchObject({
      state: 'NV',
      city: null,
    });
    expect(choicesOf({ ...NO_FILTER, state: 'NV' }).map(({ of, without }) => [of, without])).toEqual([
      ['state', NO_FILTER],
    ]);
    expect(cleared(ALL), 'the order stays').toEqual({ ...NO_FILTER, sort: 'price_desc' });
  });

  test('chosen things in words', () => {
    expect(choicesOf(ALL).map(({ of }) => choiceLabel(of, ALL, t))).toEqual([
      '“hot stone & oil”',
      'Las Vegas',
      'Massage',
      '$100–200',
      'Own photos',
      'Verified',
      'Active today',
    ]);
    expect(choiceLabel('price', { ...ALL, minPrice: null }, t)).toBe('up to $200');
    expect(choiceLabel('price', { ...ALL, maxPrice: null }, t)).toBe('from $100');
    expect(choiceLabel('state', { ...NO_FILTER, state: 'NV' }, t)).toBe('Nevada');
  });

  test('a list is named after it', () => {
    expect(listTitle(NO_FILTER, t)).toBe('Browse ads');
    expect(listTitle({ state: 'NV', city: null, category: null }, t)).toBe('Ads in Nevada');
    expect(listTitle({ state: 'NV', city: 'Reno', category: 'massage' }, t)).toBe('Massage ads in Reno');
  });
});

test('addresses of ads and cities', () => {
  expect(adPath({ id: 'a1', state: 'FL', city: 'St. Petersburg', title: 'Über “slow” evenings!' })).toBe(
    '/escorts/fl/st-petersburg/uber-slow-evenings/a1',
  );
  expect(adPath({ id: 'a1', state: 'NV', city: 'Reno', title: '…' })).toBe('/escorts/nv/reno/ad/a1');
  expect(cityPath('NV', 'Las Vegas')).toBe('/city/nv/las-vegas');
  expect(statePath('NV')).toBe('/listings?state=NV');
});

describe('cities of an address', () => {
  const named = (city: string, state?: string) =>
    placesNamed(city, state).map((place) => cityPath(place.state.code, place.city));

  test('any spelling leads to the one city', () => {
    for (const city of ['las-vegas', 'Las Vegas', 'LAS-VEGAS'])
      for (const state of [undefined, 'nv', 'NV', 'Nevada', 'nevada'])
        expect(named(city, state)).toEqual(['/city/nv/las-vegas']);
    expect(stateIn('New York')?.code).toBe('NY');
    expect(stateIn('Utah')).toBeNull();
  });

  test('a name that several states have leads to all of them, with a state to one', () => {
    expect(named('peoria')).toEqual(['/city/az/peoria', '/city/il/peoria']);
    expect(named('peoria', 'il')).toEqual(['/city/il/peoria']);
  });

  test('a city that is elsewhere, or nowhere', () => {
    expect(named('reno', 'ca')).toEqual(['/city/nv/reno']);
    expect(named('reno', 'utah')).toEqual(['/city/nv/reno']);
    expect(named('zurich')).toEqual([]);
    expect(named('')).toEqual([]);
  });

  test('most ads first, equal ones as in the data; unknown counts say nothing', () => {
    const nevada = stateIn('NV');
    if (!nevada) throw new Error('There is no Nevada');
    const counts = {
      total: 5,
      states: [],
      categories: [],
      cities: [
        { state: 'NV', city: 'Sparks', slug: 'sparks', count: 3 },
        { state: 'CA', city: 'Reno', slug: 'reno', count: 9 },
      ],
    };
    expect(citiesByAds(nevada, undefined)).toEqual(nevada.cities);
    expect(citiesByAds(nevada, counts)).toEqual(['Sparks', ...nevada.cities.filter((city) => city !== 'Sparks')]);
    expect([adsIn(undefined, 'NV', 'Sparks'), adsIn(counts, 'NV', 'Sparks'), adsIn(counts, 'NV', 'Reno')]).toEqual([
      null,
      3,
      0,
    ]);
  });
});

const pagesOf = (...ids: readonly (readonly string[])[]): AdPages => ({
  pages: ids.map((page) => ({
    success: true,
    data: page.map((id) => adCard(id)),
    nextCursor: null,
    total: ids.flat().length,
  })),
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

  test('a total nobody counted stays unknown until nothing is left to load', () => {
    const uncounted = {
      ...pagesOf(['a', 'b']),
      pages: pagesOf(['a', 'b']).pages.map((page) => ({ ...page, total: null, nextCursor: 'more' })),
    };
    expect(totalOf(uncounted)).toBeNull();
    expect(totalOf({ ...uncounted, pages: uncounted.pages.map((page) => ({ ...page, nextCursor: null })) })).toBe(2);
    expect(totalOf(withoutAd(uncounted, 'b'))).toBeNull();
    expect(totalOf(undefined)).toBeNull();
  });

  test('deleting what is not there changes nothing', () => {
    const pages = pagesOf(['a']);
    expect(withoutAd(pages, 'z')).toBe(pages);
  });

  test('one that somebody reads past keeps its place until they leave', () => {
    const list = pagesOf(['a', 'b'], ['c']);
    const pages = withAdGone(list, 'b');
    expect(cardsOf(pages).map(({ id, isActive }) => [id, isActive])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ]);
    expect(totalOf(pages)).toBe(2);
    expect(withAdGone(pages, 'b'), 'told twice').toBe(pages);
    expect(withAdGone(pages, 'z')).toBe(pages);
    expect(cardsOf(withNewer(pages, [adCard('b')]))[1]?.isActive, 'a late answer does not bring it back').toBe(false);
    expect(cardsOf(withoutGone(pages)).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(withoutGone(list)).toBe(list);
  });

  test('a changed ad keeps its place, an unknown one is not added', () => {
    const bumped = { lastBumpedAt: '2026-11-21T10:30:00.000Z' };
    const newer = [adCard('b', { title: 'New', ...bumped }), adCard('z')];
    const pages = withNewer(pagesOf(['a', 'b']), newer);
    expect(cardsOf(pages).map(({ id, title }) => [id, title])).toEqual([
      ['a', 'An evening walk'],
      ['b', 'New'],
    ]);
    expect(newcomers(pages, newer), 'that it was bumped is still news').toBe(2);
    expect(cardsOf(withNewer(pagesOf(['b']), newer, 'newest'))[0]).toMatchObject(bumped);
  });

  test('pages are found by their cards', () => {
    expect(pagesWith(pagesOf(['a'], ['b', 'c'], ['d']), ({ id }) => id === 'c' || id === 'd')).toEqual([1, 2]);
  });

  test('new ads and bumped ones are newcomers; where bumps do not matter, only new ones', () => {
    const fresh = [adCard('new'), adCard('a', { lastBumpedAt: '2026-11-21T10:30:00.000Z' }), adCard('b')];
    expect(newcomers(pagesOf(['a', 'b']), fresh)).toBe(2);
    expect(newcomers(pagesOf(['a', 'b']), fresh, 'newest')).toBe(1);
  });

  const answer = (...data: readonly AdCard[]) => ({
    success: true as const,
    data: [...data],
    nextCursor: 'more',
    total: 9,
  });
  const bumped = (id: string) => adCard(id, { lastBumpedAt: '2026-11-21T10:30:00.000Z' });

  test('news go in at the top, and nothing is lost behind them', () => {
    const pages = withFirst(pagesOf(['a', 'b', 'c'], ['d']), answer(adCard('new'), bumped('d'), adCard('a')));
    expect(cardsOf(pages).map(({ id }) => id)).toEqual(['new', 'd', 'a', 'b', 'c']);
    expect(cardsOf(pages)[1]).toEqual(bumped('d'));
    expect(totalOf(pages)).toBe(9);
    expect(pages.pages).toHaveLength(2);
  });

  test('a first page that reaches nothing known starts the list anew', () => {
    const fresh = answer(adCard('x'), bumped('c'));
    expect(withFirst(pagesOf(['a', 'b'], ['c']), fresh)).toEqual({ pages: [fresh], pageParams: [null] });
    const all = { ...answer(adCard('a')), nextCursor: null };
    expect(withFirst(pagesOf(['a', 'b']), all), 'all there is').toEqual({ pages: [all], pageParams: [null] });
  });

  test('what is missing from the top is gone, as far as the answer reaches', () => {
    const list = pagesOf(['a', 'b', 'c'], ['d', 'e']);
    expect(missing(list, answer(adCard('a'), adCard('c')))).toEqual(['b']);
    expect(
      missing(list, answer(bumped('e'), adCard('a'))),
      'a card that was bumped does not stand where it stood',
    ).toEqual([]);
    expect(missing(list, { ...answer(adCard('a')), nextCursor: null })).toEqual(['b', 'c', 'd', 'e']);
    expect(missing(withAdGone(list, 'b'), answer(adCard('a'), adCard('c')))).toEqual([]);
  });

  test('one more page goes behind the last', () => {
    const pages = withNext(pagesOf(['a']), 'here', answer(adCard('b')));
    expect(cardsOf(pages).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(pages.pageParams).toEqual([null, 'here']);
    expect([nextCursorOf(pages), nextCursorOf(pagesOf(['a'])), nextCursorOf(undefined)]).toEqual(['more', null, null]);
  });

  test('a cover in the making is noticed', () => {
    const photo = { id: 'p', url: '', reason: null, width: 0, height: 0, blur: null };
    expect(isPreparing([adCard('a', { media: [{ ...photo, status: 'processing' }] })])).toBe(true);
    expect(isPreparing([adCard('a', { media: [{ ...photo, status: 'ready' }] }), adCard('b')])).toBe(false);
  });
});

describe('how many ads an entry of the history showed', () => {
  const storage = (text: string | null = null) => {
    const kept = new Map(text === null ? [] : [['shown-ads', text]]);
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    };
  };

  test('is found again', () => {
    const tab = storage();
    createShownCounts(tab).keep('k1', 48);
    createShownCounts(tab).keep('k2', 24);
    createShownCounts(tab).keep('k1', 72);
    expect([createShownCounts(tab).of('k1'), createShownCounts(tab).of('k2'), createShownCounts(tab).of('k3')]).toEqual(
      [72, 24, 0],
    );
  });

  test('the oldest entries go', () => {
    const counts = createShownCounts(storage());
    for (let entry = 0; entry < 60; entry += 1) counts.keep(`k${entry}`, 24);
    expect([counts.of('k0'), counts.of('k9'), counts.of('k10'), counts.of('k59')]).toEqual([0, 0, 24, 24]);
  });

  test('damaged, forbidden or absent storage counts as empty', () => {
    for (const text of ['{', '7', '{"k":24}', '[["k","many"],null,["k"]]'])
      expect(createShownCounts(storage(text)).of('k'), text).toBe(0);
    const forbidden = {
      getItem(): string {
        throw new Error('forbidden');
      },
      setItem(): void {
        throw new Error('forbidden');
      },
    };
    for (const counts of [createShownCounts(forbidden), createShownCounts(null)]) {
      counts.keep('k', 24);
      expect(counts.of('k')).toBe(0);
    }
  });
});

test('a live message concerns a list unless it says it belongs elsewhere', () => {
  const message = (place: AdLiveMessage['place']): AdLiveMessage => ({
    seq: '1',
    type: 'ad_created',
    adId: 'a',
    place,
    at: '',
  });
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
