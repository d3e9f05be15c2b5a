import type { Aggregate } from '../aggregate.ts';
import { favoritesEvents, type FavoritesEvent } from './events.ts';

/** The favorites of one account. */
export interface FavoritesState {
  /** Ids of the favorite ads, the last added one last. Ids of deleted ads stay in the list until they are removed. */
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
