import type { DomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { favorites as projection } from '../src/projections/favorites.ts';
import type { Projection } from '../src/projection.ts';
import { project } from './project.ts';

const favorites = projection as unknown as Projection;
const adFavorited = (adId: string, accountId = 'ben'): DomainEvent => ({
  type: 'AdFavorited',
  data: { accountId, adId },
});
const adUnfavorited = (adId: string): DomainEvent => ({ type: 'AdUnfavorited', data: { accountId: 'ben', adId } });

describe('favorites', () => {
  test('AdFavorited puts the ad first', () => {
    expect(project(favorites, adFavorited('ad-1'), adFavorited('ad-2'))).toEqual({
      ben: { account_id: 'ben', ad_ids: ['ad-2', 'ad-1'] },
    });
  });
  test('AdFavorited changes only the favorites of its account', () => {
    expect(project(favorites, adFavorited('ad-1'), adFavorited('ad-2', 'clara'))).toMatchObject({
      ben: { ad_ids: ['ad-1'] },
      clara: { ad_ids: ['ad-2'] },
    });
  });
  test('AdUnfavorited removes the ad', () => {
    expect(project(favorites, adFavorited('ad-1'), adFavorited('ad-2'), adUnfavorited('ad-2'))['ben']).toMatchObject({
      ad_ids: ['ad-1'],
    });
  });
  test('AdUnfavorited of the last ad removes the row', () => {
    expect(project(favorites, adFavorited('ad-1'), adUnfavorited('ad-1'))).toEqual({});
  });
  test('an ad that is added again comes first', () => {
    expect(
      project(favorites, adFavorited('ad-1'), adFavorited('ad-2'), adUnfavorited('ad-1'), adFavorited('ad-1'))['ben'],
    ).toMatchObject({
      ad_ids: ['ad-1', 'ad-2'],
    });
  });
  test('a deleted ad stays until the account removes it', () => {
    expect(
      project(favorites, adFavorited('ad-1'), {
        type: 'AdDeleted',
        data: { accountId: 'anna', adId: 'ad-1', reason: null },
      })['ben'],
    ).toMatchObject({ ad_ids: ['ad-1'] });
  });
});
