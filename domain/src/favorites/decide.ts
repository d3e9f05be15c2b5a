import type { Decider } from '../aggregate.ts';
import { MAX_FAVORITES } from '../constants.ts';
import { DomainError } from '../error-catalogue.ts';
import type { AddFavorite, RemoveAllFavorites, RemoveFavorite } from './commands.ts';
import type { FavoritesEvent } from './events.ts';
import type { FavoritesState } from './state.ts';

/**
 * Adds an ad to the favorites of a client. An ad that is already a favorite stays at its position in the list. Throws
 * ONLY_CLIENTS_FAVORITE for providers, and TOO_MANY_FAVORITES.
 */
export const addFavorite: Decider<AddFavorite, FavoritesState, FavoritesEvent> = (
  { accountId, isProvider, adId },
  state,
) => {
  if (isProvider) throw new DomainError('ONLY_CLIENTS_FAVORITE');
  if (state.adIds.includes(adId)) return [];
  if (state.adIds.length >= MAX_FAVORITES) throw new DomainError('TOO_MANY_FAVORITES', { max: MAX_FAVORITES });
  return [{ type: 'AdFavorited', data: { accountId, adId } }];
};

/** Removes an ad from the favorites. Does nothing if the ad is not a favorite. */
export const removeFavorite: Decider<RemoveFavorite, FavoritesState, FavoritesEvent> = ({ accountId, adId }, state) => {
  return state.adIds.includes(adId) ? [{ type: 'AdUnfavorited', data: { accountId, adId } }] : [];
};

/**
 * Removes all favorites of a closed account. A later account with the same e-mail address gets the same account id, so
 * it would otherwise start with these favorites.
 */
export const removeAllFavorites: Decider<RemoveAllFavorites, FavoritesState, FavoritesEvent> = (
  { accountId },
  state,
) => {
  return state.adIds.map((adId) => ({ type: 'AdUnfavorited', data: { accountId, adId } }));
};
