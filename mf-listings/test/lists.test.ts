import { describe, expect, test } from 'vitest';
import { adSlug, STATES, type AdCard, type AdLiveMessage } from '@alpenglow/domain/contracts';
import type { AdPages } from '@alpenglow/ui';
import {
  getCards,
  hasPreparingCover,
  findMissingAds,
  countNewAds,
  extendLastPage,
  getNextCursor,
  findPages,
  getTotal,
  markAdInactive,
  insertFirstPage,
  updateCards,
  appendPage,
  removeAd,
  removeInactiveAds,
} from '../src/lists/ad-pages.ts';
import { formatFilter } from '../src/lists/filter-chips.tsx';
import {
  toApiFilter,
  getSelectedFilters,
  clearFilter,
  parseFilter,
  NO_FILTER,
  PRICE_MAX,
  toListQueryString,
  type ListFilter,
} from '../src/lists/filters.ts';
import { formatListTitle } from '../src/lists/list-title.ts';
import { findPlaceOptions } from '../src/lists/place-options.ts';
import { getAdCount, sortCitiesByAds, findPlaces, parseState } from '../src/lists/places.ts';
import { createShownCountStore } from '../src/lists/shown-counts.ts';
import { concernsUser, isRelevantFor } from '../src/lists/use-live-list.ts';
import { adPath, cityPath, getStatePath } from '../src/paths.ts';
import { t } from '../src/text.ts';
import { createAdCard } from './ad-card.ts';

/** A filter with every property set. */
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

const read = (search: string) => parseFilter(new URLSearchParams(search));

describe('the filter in the URL', () => {
  test('an empty filter gives an empty query', () => {
    expect(read('')).toEqual(NO_FILTER);
    expect(toListQueryString(NO_FILTER)).toBe('');
    expect(toApiFilter(NO_FILTER)).toEqual({});
  });

  test('a filter is written to the URL and read back unchanged', () => {
    expect(read(toListQueryString(ALL))).toEqual(ALL);
    expect(toListQueryString(ALL)).toBe(
      '?state=NV&city=Las+Vegas&category=massage&q=hot+stone+%26+oil&minPrice=100&maxPrice=200&photo=true&verified=true&online=true&sort=price_desc',
    );
    expect(toApiFilter(read(toListQueryString(ALL))), 'the names equal those of the API').toEqual(ALL);
  });

  test('places are read in any spelling, and a city sets its state', () => {
    expect(read('state=nv&city=las-vegas')).toMatchObject({ state: 'NV', city: 'Las Vegas' });
    expect(read('city=Reno')).toMatchObject({ state: 'NV', city: 'Reno' });
  });

  test('invalid values are ignored', () => {
    expect(read('state=ZZ&city=Reno&category=cars&sort=cheapest')).toEqual(NO_FILTER);
    expect(read('state=CA&city=Reno')).toMatchObject({ state: 'CA', city: null });
    expect(read(`q=${'x'.repeat(300)}`).q).toHaveLength(100);
    expect(read('q=%20%20')).toEqual(NO_FILTER);
    expect(read('q=a%00b%0a').q, 'the server rejects control characters').toBe('a b');
    expect(read('minPrice=cheap&maxPrice=-5')).toEqual(NO_FILTER);
    expect(read('minPrice=0&maxPrice=1e3')).toEqual(NO_FILTER);
    expect(read('minPrice=9999999999').minPrice).toBe(PRICE_MAX);
    expect(read('photo=false&verified=yes&online=')).toEqual(NO_FILTER);
    expect(read('photo=1&photo=false').photo).toBe(true);
  });

  test.each([
    ['1.500', 1500],
    ['1,500', 1500],
    ['1.500,00', 1500],
    ['1,500.99', 1500],
    ['1 500 €', 1500],
    ['1\u00A0500', 1500],
    ["1'500.-", 1500],
    ['$150,50', 150],
    ['12.500', 12_500],
    ['0.50', null],
    ['100-200', null],
  ])('the price %j is %j', (text, price) => {
    expect(read(new URLSearchParams({ minPrice: text }).toString()).minPrice).toBe(price);
  });

  test('prices in the wrong order are swapped', () => {
    expect(read('minPrice=200&maxPrice=100')).toMatchObject({ minPrice: 100, maxPrice: 200 });
    expect(read('minPrice=200')).toMatchObject({ minPrice: 200, maxPrice: null });
  });

  test('each selected filter can be removed separately', () => {
    expect(getSelectedFilters(NO_FILTER)).toEqual([]);
    expect(getSelectedFilters({ ...NO_FILTER, sort: 'newest' }), 'the order is not a filter').toEqual([]);
    expect(getSelectedFilters(ALL).map(({ name }) => name)).toEqual([
      'q',
      'city',
      'category',
      'price',
      'photo',
      'verified',
      'online',
    ]);
    for (const { name, without } of getSelectedFilters(ALL)) {
      const remaining = getSelectedFilters(without).map((choice) => choice.name);
      expect(remaining, `without ${name}`).not.toContain(name);
      expect(remaining).toHaveLength(name === 'city' ? 7 : 6);
    }
    expect(
      getSelectedFilters(ALL).find(({ name }) => name === 'city')?.without,
      'removing the city leaves the state',
    ).toMatchObject({
      state: 'NV',
      city: null,
    });
    expect(getSelectedFilters({ ...NO_FILTER, state: 'NV' }).map(({ name, without }) => [name, without])).toEqual([
      ['state', NO_FILTER],
    ]);
    expect(clearFilter(ALL), 'the order is kept').toEqual({ ...NO_FILTER, sort: 'price_desc' });
  });

  test('selected filters have labels', () => {
    expect(getSelectedFilters(ALL).map(({ name }) => formatFilter(name, ALL, t))).toEqual([
      '“hot stone & oil”',
      'Las Vegas',
      'Massage',
      '$100–200',
      'Own photos',
      'Verified',
      'Active today',
    ]);
    expect(formatFilter('price', { ...ALL, minPrice: null }, t)).toBe('up to $200');
    expect(formatFilter('price', { ...ALL, maxPrice: null }, t)).toBe('from $100');
    expect(formatFilter('state', { ...NO_FILTER, state: 'NV' }, t)).toBe('Nevada');
  });

  test('the title of a list contains category and place', () => {
    expect(formatListTitle(NO_FILTER, t)).toBe('Browse ads');
    expect(formatListTitle({ state: 'NV', city: null, category: null }, t)).toBe('Ads in Nevada');
    expect(formatListTitle({ state: 'NV', city: 'Reno', category: 'massage' }, t)).toBe('Massage ads in Reno');
  });
});

test('ads, cities and states have canonical paths', () => {
  const slug = adSlug('Über “slow” evenings!');
  expect(adPath({ id: 'a1', state: 'FL', city: 'St. Petersburg', slug })).toBe(
    '/escorts/fl/st-petersburg/uber-slow-evenings/a1',
  );
  expect(adPath({ id: 'a1', state: 'NV', city: 'Reno', slug: adSlug('…') })).toBe('/escorts/nv/reno/ad/a1');
  expect(cityPath('NV', 'Las Vegas')).toBe('/city/nv/las-vegas');
  expect(getStatePath('NV')).toBe('/listings?state=NV');
});

describe('the cities that a URL may refer to', () => {
  const pathsOf = (city: string, state?: string) =>
    findPlaces(city, state).map((place) => cityPath(place.state.code, place.city));

  test('any spelling gives the city', () => {
    for (const city of ['las-vegas', 'Las Vegas', 'LAS-VEGAS'])
      for (const state of [undefined, 'nv', 'NV', 'Nevada', 'nevada'])
        expect(pathsOf(city, state)).toEqual(['/city/nv/las-vegas']);
    expect(parseState('New York')?.code).toBe('NY');
    expect(parseState('Utah')).toBeNull();
  });

  test('a name in several states gives all of them, or one if the state is given', () => {
    expect(pathsOf('peoria')).toEqual(['/city/az/peoria', '/city/il/peoria']);
    expect(pathsOf('peoria', 'il')).toEqual(['/city/il/peoria']);
  });

  test('a wrong state is ignored, and an unknown city gives none', () => {
    expect(pathsOf('reno', 'ca')).toEqual(['/city/nv/reno']);
    expect(pathsOf('reno', 'utah')).toEqual(['/city/nv/reno']);
    expect(pathsOf('zurich')).toEqual([]);
    expect(pathsOf('')).toEqual([]);
  });

  test('cities are ordered by their number of ads; equal or unknown numbers keep the order of the data', () => {
    const nevada = parseState('NV');
    if (!nevada) throw new Error('There is no Nevada');
    const counts = {
      total: 5,
      states: [],
      categories: [],
      matching: null,
      cities: [
        { state: 'NV', city: 'Sparks', slug: 'sparks', count: 3 },
        { state: 'CA', city: 'Reno', slug: 'reno', count: 9 },
      ],
    };
    expect(sortCitiesByAds(nevada, undefined)).toEqual(nevada.cities);
    expect(sortCitiesByAds(nevada, counts)).toEqual(['Sparks', ...nevada.cities.filter((city) => city !== 'Sparks')]);
    expect([
      getAdCount(undefined, 'NV', 'Sparks'),
      getAdCount(counts, 'NV', 'Sparks'),
      getAdCount(counts, 'NV', 'Reno'),
    ]).toEqual([null, 3, 0]);
  });
});

describe('the suggested places', () => {
  const names = (text: string) =>
    findPlaceOptions(text).map(({ state, city }) => [state, city].filter((part) => part !== null).join('/'));

  test('match all typed words, as beginnings of words, without accents and case', () => {
    expect(names('las')).toEqual(['NV/Las Vegas', 'NV/North Las Vegas']);
    expect(names('VÉG nev')).toEqual(['NV/Las Vegas', 'NV/North Las Vegas']);
    expect(names('st pete')).toEqual(['FL/St. Petersburg']);
    expect(names('peoria')).toEqual(['AZ/Peoria', 'IL/Peoria']);
    expect(names('peoria il')).toEqual(['IL/Peoria']);
    expect(names('egas')).toEqual([]);
    expect(names('N. Las Vegas')).toContain('NV/North Las Vegas');
    expect(names('Mc Kinney')).toEqual(['TX/McKinney']);
    expect(names('atx')).toEqual(['TX/Austin']);
  });

  test('begin with the state, and are all places without a text', () => {
    expect(names('arizona').slice(0, 2)).toEqual(['AZ', 'AZ/Phoenix']);
    expect(names(' ')).toHaveLength(1 + STATES.length + STATES.reduce((sum, { cities }) => sum + cities.length, 0));
  });
});

const pagesOf = (...ids: readonly (readonly string[])[]): AdPages => ({
  pages: ids.map((page) => ({
    success: true,
    message: 'Ads loaded',
    data: page.map((id) => createAdCard(id)),
    nextCursor: null,
    total: ids.flat().length,
    search: null,
  })),
  pageParams: ids.map(() => null),
});

describe('a list that is updated in place', () => {
  test('contains a card on two pages only once, at its first position', () => {
    expect(getCards(pagesOf(['a', 'b'], ['b', 'c'])).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(getCards(undefined)).toEqual([]);
  });

  test('loses a deleted ad, and its total decreases', () => {
    const pages = removeAd(pagesOf(['a', 'b'], ['c']), 'b');
    expect(getCards(pages).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(getTotal(pages)).toBe(2);
  });

  test('has no total if the server did not count, until all pages are loaded', () => {
    const uncounted = {
      ...pagesOf(['a', 'b']),
      pages: pagesOf(['a', 'b']).pages.map((page) => ({ ...page, total: null, nextCursor: 'more' })),
    };
    expect(getTotal(uncounted)).toBeNull();
    expect(getTotal({ ...uncounted, pages: uncounted.pages.map((page) => ({ ...page, nextCursor: null })) })).toBe(2);
    expect(getTotal(removeAd(uncounted, 'b'))).toBeNull();
    expect(getTotal(undefined)).toBeNull();
  });

  test('is unchanged if a deleted ad is not in the list', () => {
    const pages = pagesOf(['a']);
    expect(removeAd(pages, 'z')).toBe(pages);
  });

  test('keeps a deleted ad as an inactive card at its position', () => {
    const list = pagesOf(['a', 'b'], ['c']);
    const pages = markAdInactive(list, 'b');
    expect(getCards(pages).map(({ id, isActive }) => [id, isActive])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ]);
    expect(getTotal(pages)).toBe(2);
    expect(markAdInactive(pages, 'b'), 'a repeated message').toBe(pages);
    expect(markAdInactive(pages, 'z')).toBe(pages);
    expect(
      getCards(updateCards(pages, [createAdCard('b')]))[1]?.isActive,
      'a late response does not restore the card',
    ).toBe(false);
    expect(getCards(removeInactiveAds(pages)).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(removeInactiveAds(list)).toBe(list);
  });

  test('updates a changed ad at its position, and does not add an unknown one', () => {
    const bumped = { lastBumpedAt: '2026-11-21T10:30:00.000Z' };
    const newer = [createAdCard('b', { title: 'New', ...bumped }), createAdCard('z')];
    const pages = updateCards(pagesOf(['a', 'b']), newer);
    expect(getCards(pages).map(({ id, title }) => [id, title])).toEqual([
      ['a', 'An evening walk'],
      ['b', 'New'],
    ]);
    expect(countNewAds(pages, newer), 'a bump still counts as new').toBe(2);
    expect(getCards(updateCards(pagesOf(['b']), newer, { isByBump: false }))[0]).toMatchObject(bumped);
  });

  test('finds pages by their cards', () => {
    expect(findPages(pagesOf(['a'], ['b', 'c'], ['d']), ({ id }) => id === 'c' || id === 'd')).toEqual([1, 2]);
  });

  test('counts new and bumped ads as new; in an order other than by bumps, only new ads', () => {
    const fresh = [
      createAdCard('new'),
      createAdCard('a', { lastBumpedAt: '2026-11-21T10:30:00.000Z' }),
      createAdCard('b'),
    ];
    expect(countNewAds(pagesOf(['a', 'b']), fresh)).toBe(2);
    expect(countNewAds(pagesOf(['a', 'b']), fresh, { isByBump: false })).toBe(1);
  });

  const response = (...data: readonly AdCard[]) => ({
    success: true as const,
    message: 'Ads loaded',
    data: [...data],
    nextCursor: 'more',
    total: 9,
    search: null,
  });
  const bumped = (id: string) => createAdCard(id, { lastBumpedAt: '2026-11-21T10:30:00.000Z' });

  test('gets new ads at its top without losing others', () => {
    const pages = insertFirstPage(
      pagesOf(['a', 'b', 'c'], ['d']),
      response(createAdCard('new'), bumped('d'), createAdCard('a')),
    );
    expect(getCards(pages).map(({ id }) => id)).toEqual(['new', 'd', 'a', 'b', 'c']);
    expect(getCards(pages)[1]).toEqual(bumped('d'));
    expect(getTotal(pages)).toBe(9);
    expect(pages.pages).toHaveLength(2);
  });

  test('is replaced by a first page that shares no card with it', () => {
    const fresh = response(createAdCard('x'), bumped('c'));
    expect(insertFirstPage(pagesOf(['a', 'b'], ['c']), fresh)).toEqual({ pages: [fresh], pageParams: [null] });
    const all = { ...response(createAdCard('a')), nextCursor: null };
    expect(insertFirstPage(pagesOf(['a', 'b']), all), 'the response contains all ads').toEqual({
      pages: [all],
      pageParams: [null],
    });
  });

  test('reports cards that are missing in a response, as far down as the response reaches', () => {
    const list = pagesOf(['a', 'b', 'c'], ['d', 'e']);
    expect(findMissingAds(list, response(createAdCard('a'), createAdCard('c')))).toEqual(['b']);
    expect(
      findMissingAds(list, response(bumped('e'), createAdCard('a'))),
      'a bumped card is not at its old position',
    ).toEqual([]);
    expect(findMissingAds(list, { ...response(createAdCard('a')), nextCursor: null })).toEqual(['b', 'c', 'd', 'e']);
    expect(findMissingAds(markAdInactive(list, 'b'), response(createAdCard('a'), createAdCard('c')))).toEqual([]);
  });

  test('gets a further page at its end', () => {
    const pages = appendPage(pagesOf(['a']), 'here', response(createAdCard('b')));
    expect(getCards(pages).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(pages.pageParams).toEqual([null, 'here']);
    expect([getNextCursor(pages), getNextCursor(pagesOf(['a'])), getNextCursor(undefined)]).toEqual([
      'more',
      null,
      null,
    ]);
  });

  test('continues after a new first page that ends after the old list', () => {
    const fresh = { ...response(createAdCard('b'), createAdCard('c')), nextCursor: 'after c' };
    expect(getNextCursor(insertFirstPage(markAdInactive(pagesOf(['a', 'b']), 'a'), fresh))).toBe('after c');
    expect(getNextCursor(insertFirstPage(pagesOf(['b', 'd']), fresh))).toBeNull();
  });

  test('gets the following ads at the end of its last page', () => {
    const pages = extendLastPage(pagesOf(['a', 'b'], ['c']), { ...response(createAdCard('d')), nextCursor: 'further' });
    expect(getCards(pages).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect([pages.pages.length, getNextCursor(pages)]).toEqual([2, 'further']);
  });

  test('detects a cover that is being processed', () => {
    const photo = { id: 'p', url: '', reason: null, hold: null, width: 0, height: 0, blur: null };
    expect(hasPreparingCover([createAdCard('a', { media: [{ ...photo, status: 'processing' }] })])).toBe(true);
    expect(hasPreparingCover([createAdCard('a', { media: [{ ...photo, status: 'ready' }] }), createAdCard('b')])).toBe(
      false,
    );
  });
});

describe('the number of ads that a history entry showed', () => {
  const storage = (text: string | null = null) => {
    const items = new Map(text === null ? [] : [['shown-ads', text]]);
    return {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
    };
  };

  test('is stored and read back', () => {
    const tab = storage();
    createShownCountStore(tab).set('k1', 48);
    createShownCountStore(tab).set('k2', 24);
    createShownCountStore(tab).set('k1', 72);
    expect([
      createShownCountStore(tab).get('k1'),
      createShownCountStore(tab).get('k2'),
      createShownCountStore(tab).get('k3'),
    ]).toEqual([72, 24, 0]);
  });

  test('is deleted for the oldest entries', () => {
    const counts = createShownCountStore(storage());
    for (let entry = 0; entry < 60; entry += 1) counts.set(`k${entry}`, 24);
    expect([counts.get('k0'), counts.get('k9'), counts.get('k10'), counts.get('k59')]).toEqual([0, 0, 24, 24]);
  });

  test('is 0 if storage is invalid, denied or missing', () => {
    for (const text of ['{', '7', '{"k":24}', '[["k","many"],null,["k"]]'])
      expect(createShownCountStore(storage(text)).get('k'), text).toBe(0);
    const forbidden = {
      getItem(): string {
        throw new Error('forbidden');
      },
      setItem(): void {
        throw new Error('forbidden');
      },
    };
    for (const counts of [createShownCountStore(forbidden), createShownCountStore(null)]) {
      counts.set('k', 24);
      expect(counts.get('k')).toBe(0);
    }
  });
});

test('a live message concerns a list unless its place or category is excluded', () => {
  const message = (place: AdLiveMessage['place']): AdLiveMessage => ({
    seq: '1',
    type: 'ad_created',
    adId: 'a',
    place,
    isRestored: false,
    at: '',
  });
  const reno = { state: 'NV', city: 'Reno', category: 'massage' };
  expect(isRelevantFor(message(null), { state: 'CA' })).toBe(true);
  expect(isRelevantFor(message(reno), {})).toBe(true);
  expect(isRelevantFor(message(reno), { state: 'NV', city: 'Reno', category: 'massage' })).toBe(true);
  expect(isRelevantFor(message(reno), { state: 'CA' })).toBe(false);
  expect(isRelevantFor(message(reno), { state: 'NV', city: 'Sparks' })).toBe(false);
  expect(isRelevantFor(message(reno), { category: 'escort' })).toBe(false);
});

describe('a live message concerns the user of a list', () => {
  const message = (changes: Partial<AdLiveMessage> = {}): AdLiveMessage => ({
    seq: '1',
    type: 'ad_updated',
    adId: 'a',
    place: null,
    isRestored: false,
    at: '',
    ...changes,
  });
  const reno = { state: 'NV', city: 'Reno', category: 'massage' };

  test('if the list shows the ad', () => {
    expect(concernsUser(message(), { state: 'CA', q: 'tea' }, true)).toBe(true);
    expect(concernsUser(message({ isRestored: true }), {}, true)).toBe(true);
  });

  test('if the filter of the list accepts every ad, or the place of the ad', () => {
    expect(concernsUser(message(), { sort: 'price' }, false)).toBe(true);
    expect(concernsUser(message(), { state: 'NV' }, false)).toBe(false);
    expect(concernsUser(message({ type: 'ad_created', place: reno }), { state: 'NV', city: 'Reno' }, false)).toBe(true);
    expect(concernsUser(message({ type: 'ad_created', place: reno }), { state: 'CA' }, false)).toBe(false);
  });

  test('not before the list is loaded again, if only the server can decide', () => {
    expect(concernsUser(message({ type: 'ad_created', place: reno }), { q: 'tea' }, false)).toBe(false);
    expect(concernsUser(message({ type: 'ad_created', place: reno }), { maxPrice: 100 }, false)).toBe(false);
  });

  test('not if a hidden ad is public again', () => {
    expect(concernsUser(message({ isRestored: true }), {}, false)).toBe(false);
  });
});
