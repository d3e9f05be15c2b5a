import { describe, expect, test } from 'vitest';
import { MAX_FAVORITES } from '../../src/constants.ts';
import { addFavorite, removeAllFavorites, removeFavorite } from '../../src/favorites/decide.ts';
import type { FavoritesEvent } from '../../src/favorites/events.ts';
import { favorites } from '../../src/favorites/state.ts';
import { givenAggregate } from '../given.ts';

const accountId = 'ben';
const added = (adId: string): FavoritesEvent => ({ type: 'AdFavorited', data: { accountId, adId } });
const removed = (adId: string): FavoritesEvent => ({ type: 'AdUnfavorited', data: { accountId, adId } });
const add = (adId: string, isProvider = false) => addFavorite.bind(null, { accountId, isProvider, adId });
const remove = (adId: string) => removeFavorite.bind(null, { accountId, adId });
const full = Array.from({ length: MAX_FAVORITES }, (_, index) => added(`ad-${index}`));

describe('adding a favorite', () => {
  test('adds the ad', () => {
    givenAggregate(favorites)().when(add('ad-1')).then(added('ad-1'));
  });
  test('adds the ad once', () => {
    givenAggregate(favorites)(added('ad-1')).when(add('ad-1')).then();
  });
  test('is possible again after a removal', () => {
    givenAggregate(favorites)(added('ad-1'), removed('ad-1')).when(add('ad-1')).then(added('ad-1'));
  });
  test('is for clients only', () => {
    givenAggregate(favorites)()
      .when(add('ad-1', true))
      .thenThrows('ONLY_CLIENTS_FAVORITE', { message: 'Only clients can add favorites' });
  });
  test('is for clients only, even for an existing favorite', () => {
    givenAggregate(favorites)(added('ad-1')).when(add('ad-1', true)).thenThrows('ONLY_CLIENTS_FAVORITE');
  });
  test(`is rejected beyond ${MAX_FAVORITES}`, () => {
    givenAggregate(favorites)(...full)
      .when(add('one-more'))
      .thenThrows('TOO_MANY_FAVORITES', { message: `You can keep at most ${MAX_FAVORITES} favorites` });
  });
  test('accepts an existing favorite at the maximum', () => {
    givenAggregate(favorites)(...full)
      .when(add('ad-0'))
      .then();
  });
  test('is possible at the maximum after a removal', () => {
    givenAggregate(favorites)(...full, removed('ad-0'))
      .when(add('one-more'))
      .then(added('one-more'));
  });
});

describe('removing a favorite', () => {
  test('removes the ad', () => {
    givenAggregate(favorites)(added('ad-1')).when(remove('ad-1')).then(removed('ad-1'));
  });
  test('does nothing the second time', () => {
    givenAggregate(favorites)(added('ad-1'), removed('ad-1')).when(remove('ad-1')).then();
  });
  test('does nothing for an ad that is not a favorite', () => {
    givenAggregate(favorites)(added('ad-1')).when(remove('ad-2')).then();
  });
});

describe('removing all favorites', () => {
  test('removes each ad', () => {
    givenAggregate(favorites)(added('ad-1'), added('ad-2'))
      .decide(removeAllFavorites, { accountId })
      .then(removed('ad-1'), removed('ad-2'));
  });
  test('does nothing without favorites', () => {
    givenAggregate(favorites)().decide(removeAllFavorites, { accountId }).then();
  });
});

test('favorites are in the order in which they were added', () => {
  expect(
    givenAggregate(favorites)(added('ad-1'), added('ad-2'), added('ad-3'), removed('ad-1'), added('ad-1')).state.adIds,
  ).toEqual(['ad-2', 'ad-3', 'ad-1']);
});
