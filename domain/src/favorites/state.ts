import type { Aggregate } from '../aggregate.ts';
import { favoritesEvents, type FavoritesEvent } from './events.ts';

/** The favorite ads of one account. */
export interface FavoritesState {
  /**
   * Ids of the favorite ads in the order in which they were added. The id of a deleted ad remains until the account
   * removes this favorite.
   */
  readonly adIds: readonly string[];
}

function evolve({ adIds }: FavoritesState, event: FavoritesEvent): FavoritesState {
  const others = adIds.filter((adId) => adId !== event.data.adId);
  switch (event.type) {
    case 'AdFavorited':
      return { adIds: [...others, event.data.adId] };
    case 'AdUnfavorited':
      return { adIds: others };
  }
}

export const favorites: Aggregate<FavoritesState, FavoritesEvent> = {
  name: 'favorites',
  initial: { adIds: [] },
  evolve,
  eventDefinitions: favoritesEvents,
};
