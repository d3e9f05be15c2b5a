import { describe, expect, test } from 'vitest';
import { MAX_FAVORITES } from '../../src/constants.ts';
import { addFavorite, removeAllFavorites, removeFavorite } from '../../src/favorites/decide.ts';
import type { FavoritesEvent } from '../../src/favorites/events.ts';
import { favorites } from '../../src/favorites/state.ts';
import { given } from '../given.ts';

const accountId = 'ben';
const added = (adId: string): FavoritesEvent => ({ type: 'AdFavorited', data: { accountId, adId } });
const removed = (adId: string): FavoritesEvent => ({ type: 'AdUnfavorited', data: { accountId, adId } });
const add = (adId: string, isProvider = false) => addFavorite.bind(null, { accountId, isProvider, adId });
const remove = (adId: string) => removeFavorite.bind(null, { accountId, adId });
const full = Array.from({ length: MAX_FAVORITES }, (_, index) => added(`ad-${index}`));

describe('adding a favorite', () => {
  test('keeps the ad', () => {
    given(favorites)().when(add('ad-1')).then(added('ad-1'));
  });
  test('twice keeps it once', () => {
    given(favorites)(added('ad-1')).when(add('ad-1')).then();
  });
  test('again after it was taken off keeps it again', () => {
    given(favorites)(added('ad-1'), removed('ad-1')).when(add('ad-1')).then(added('ad-1'));
  });
  test('is for clients only', () => {
    given(favorites)()
      .when(add('ad-1', true))
      .thenRefused('ONLY_CLIENTS_FAVORITE', { message: 'Only clients can add favorites' });
  });
  test('is for clients only, also where it is kept already', () => {
    given(favorites)(added('ad-1')).when(add('ad-1', true)).thenRefused('ONLY_CLIENTS_FAVORITE');
  });
  test(`is refused beyond ${MAX_FAVORITES}`, () => {
    given(favorites)(...full)
      .when(add('one-more'))
      .thenRefused('TOO_MANY_FAVORITES', { message: `You can keep at most ${MAX_FAVORITES} favorites` });
  });
  test('of one that is kept already is fine when there is no room', () => {
    given(favorites)(...full)
      .when(add('ad-0'))
      .then();
  });
  test('has room again once one is taken off', () => {
    given(favorites)(...full, removed('ad-0'))
      .when(add('one-more'))
      .then(added('one-more'));
  });
});

describe('taking a favorite off', () => {
  test('takes it off', () => {
    given(favorites)(added('ad-1')).when(remove('ad-1')).then(removed('ad-1'));
  });
  test('twice does nothing more', () => {
    given(favorites)(added('ad-1'), removed('ad-1')).when(remove('ad-1')).then();
  });
  test('that never was one does nothing', () => {
    given(favorites)(added('ad-1')).when(remove('ad-2')).then();
  });
});

describe('taking all favorites off', () => {
  test('takes each off', () => {
    given(favorites)(added('ad-1'), added('ad-2'))
      .when((state) => removeAllFavorites(accountId, state))
      .then(removed('ad-1'), removed('ad-2'));
  });
  test('without any does nothing', () => {
    given(favorites)()
      .when((state) => removeAllFavorites(accountId, state))
      .then();
  });
});

test('favorites are in the order in which they were added', () => {
  expect(
    given(favorites)(added('ad-1'), added('ad-2'), added('ad-3'), removed('ad-1'), added('ad-1')).state.adIds,
  ).toEqual(['ad-2', 'ad-3', 'ad-1']);
});
