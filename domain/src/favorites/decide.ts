import { MAX_FAVORITES } from '../constants.ts';
import { DomainError } from '../errors.ts';
import type { AddFavorite, RemoveFavorite } from './commands.ts';
import type { FavoritesEvent } from './events.ts';
import type { FavoritesState } from './state.ts';

/**
 * Keeps an ad as a favorite; one that is kept already stays where it is. Specification, section 5: only clients.
 * Refuses with ONLY_CLIENTS_FAVORITE, TOO_MANY_FAVORITES.
 */
export function addFavorite(
  { accountId, isProvider, adId }: AddFavorite,
  state: FavoritesState,
): readonly FavoritesEvent[] {
  if (isProvider) throw new DomainError('ONLY_CLIENTS_FAVORITE');
  if (state.adIds.includes(adId)) return [];
  if (state.adIds.length >= MAX_FAVORITES) throw new DomainError('TOO_MANY_FAVORITES', { max: MAX_FAVORITES });
  return [{ type: 'AdFavorited', data: { accountId, adId } }];
}

/** Takes an ad off the favorites. Nothing happens when it is not one of them. */
export function removeFavorite({ accountId, adId }: RemoveFavorite, state: FavoritesState): readonly FavoritesEvent[] {
  return state.adIds.includes(adId) ? [{ type: 'AdUnfavorited', data: { accountId, adId } }] : [];
}

/** Takes every favorite off, so that whoever signs up with this address later starts without. */
export function removeAllFavorites(accountId: string, state: FavoritesState): readonly FavoritesEvent[] {
  return state.adIds.map((adId) => ({ type: 'AdUnfavorited', data: { accountId, adId } }));
}
