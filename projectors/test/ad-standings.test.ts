import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import type { Projection } from '../src/projection.ts';
import { adOwners } from '../src/projections/ad-owners.ts';
import { adStandings } from '../src/projections/ad-standings.ts';
import { minutesLater, project } from './project.ts';
import { SAMPLES } from './samples.ts';

const rowsAfter = (...events: readonly DomainEvent[]) =>
  Object.values(project(adStandings as unknown as Projection, ...events));
const UNCHANGED = {
  state: null,
  city_slug: null,
  category: null,
  is_featured: null,
  is_shown: null,
  moves_up: false,
  sorted_at: null,
};
const ids = { accountId: 'anna', adId: 'ad-1' };

describe('ad_standings', () => {
  test('AdPosted sets all columns and moves the ad up', () => {
    expect(rowsAfter(SAMPLES.AdPosted)).toEqual([
      {
        event_id: 'event-0',
        ad_id: 'ad-1',
        event_type: 'AdPosted',
        revision: 0,
        at: minutesLater(0),
        state: 'FL',
        city_slug: 'st-petersburg',
        category: 'escort',
        is_featured: false,
        is_shown: true,
        moves_up: true,
        sorted_at: minutesLater(0),
      },
    ]);
  });
  test('AdPosted keeps the rank of a deleted ad that it continues', () => {
    const earlier = {
      adId: 'ad-0',
      createdAt: minutesLater(-9),
      lastBumpedAt: minutesLater(-5),
      ratingSum: 0,
      reviewCount: 0,
    };
    expect(rowsAfter({ type: 'AdPosted', data: { ...SAMPLES.AdPosted.data, earlier } })).toMatchObject([
      { at: minutesLater(0), moves_up: true, sorted_at: minutesLater(-5) },
    ]);
  });
  test('AdBumped moves the ad up and sets nothing else', () => {
    expect(rowsAfter(SAMPLES.AdPosted, SAMPLES.AdBumped)[1]).toEqual({
      event_id: 'event-1',
      ad_id: 'ad-1',
      event_type: 'AdBumped',
      revision: 1,
      at: minutesLater(1),
      ...UNCHANGED,
      moves_up: true,
      sorted_at: minutesLater(1),
    });
  });
  test('AdUpdated sets the changed place and category and does not move the ad up', () => {
    expect(rowsAfter({ type: 'AdUpdated', data: { ...ids, city: 'Miami' } })).toMatchObject([
      { ...UNCHANGED, city_slug: 'miami' },
    ]);
    expect(rowsAfter({ type: 'AdUpdated', data: { ...ids, state: 'NV', category: 'massage' } })).toMatchObject([
      { ...UNCHANGED, state: 'NV', category: 'massage' },
    ]);
  });
  test('AdUpdated of other fields creates no row', () => {
    expect(rowsAfter({ type: 'AdUpdated', data: { ...ids, title: 'New', price: '300' } })).toEqual([]);
  });
  test.each([
    [SAMPLES.AdFeatured, { is_featured: true }],
    [SAMPLES.AdHidden, { is_shown: false }],
    [SAMPLES.AdRestored, { is_shown: true }],
    [SAMPLES.AdDeleted, { is_shown: false }],
  ] as const)('$0.type sets one column', (event, changes) => {
    expect(rowsAfter(event)).toMatchObject([{ ...UNCHANGED, ...changes, event_type: event.type }]);
  });
});

const { state, city, category } = SAMPLES.AdPosted.data;
const PLACE = { state, city, category };

describe('ad_owners', () => {
  test('AdPosted stores the owner, which AdDeleted does not remove', () => {
    const rows = project(adOwners as unknown as Projection, SAMPLES.AdPosted, SAMPLES.AdDeleted, {
      ...SAMPLES.AdPosted,
      data: { ...SAMPLES.AdPosted.data, adId: 'ad-2' },
    });
    expect(rows).toEqual({
      'ad-1': { ad_id: 'ad-1', account_id: 'anna', posted_at: minutesLater(0), places: [PLACE] },
      'ad-2': { ad_id: 'ad-2', account_id: 'anna', posted_at: minutesLater(2), places: [PLACE] },
    });
  });

  test('AdUpdated adds the new place, and stores each place once', () => {
    const moved = (changes: object) =>
      ({ type: 'AdUpdated', data: { accountId: 'anna', adId: 'ad-1', ...changes } }) as typeof SAMPLES.AdUpdated;
    const rows = project(
      adOwners as unknown as Projection,
      SAMPLES.AdPosted,
      moved({ title: 'Other' }),
      moved({ city: 'Elsewhere' }),
      moved({ category: 'fetish' }),
      moved({ city: PLACE.city, category: PLACE.category }),
    );
    expect(rows['ad-1']).toMatchObject({
      places: [{ ...PLACE, city: 'Elsewhere' }, { ...PLACE, city: 'Elsewhere', category: 'fetish' }, PLACE],
    });
  });
});
