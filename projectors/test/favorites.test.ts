import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { favorites as projection } from '../src/projections/favorites.ts';
import type { Projection } from '../src/projection.ts';
import { project } from './given.ts';

const favorites = projection as unknown as Projection;
const added = (adId: string, accountId = 'ben'): DomainEvent => ({ type: 'AdFavorited', data: { accountId, adId } });
const removed = (adId: string): DomainEvent => ({ type: 'AdUnfavorited', data: { accountId: 'ben', adId } });

describe('favorites', () => {
  test('AdFavorited puts the ad first', () => {
    expect(project(favorites, added('ad-1'), added('ad-2'))).toEqual({
      ben: { account_id: 'ben', ad_ids: ['ad-2', 'ad-1'] },
    });
  });
  test('AdFavorited keeps to its own account', () => {
    expect(project(favorites, added('ad-1'), added('ad-2', 'clara'))).toMatchObject({
      ben: { ad_ids: ['ad-1'] },
      clara: { ad_ids: ['ad-2'] },
    });
  });
  test('AdUnfavorited takes it off', () => {
    expect(project(favorites, added('ad-1'), added('ad-2'), removed('ad-2'))['ben']).toMatchObject({
      ad_ids: ['ad-1'],
    });
  });
  test('AdUnfavorited of the last one leaves no row', () => {
    expect(project(favorites, added('ad-1'), removed('ad-1'))).toEqual({});
  });
  test('added again, it comes first again', () => {
    expect(project(favorites, added('ad-1'), added('ad-2'), removed('ad-1'), added('ad-1'))['ben']).toMatchObject({
      ad_ids: ['ad-1', 'ad-2'],
    });
  });
  test('an ad that is taken down stays until it is taken off', () => {
    expect(
      project(favorites, added('ad-1'), { type: 'AdDeleted', data: { accountId: 'anna', adId: 'ad-1', reason: null } })[
        'ben'
      ],
    ).toMatchObject({ ad_ids: ['ad-1'] });
  });
});
