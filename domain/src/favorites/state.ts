import type { Aggregate } from '../aggregate.ts';
import { favoritesEvents, type FavoritesEvent } from './events.ts';

/** The favorites of one account. */
export interface FavoritesState {
  /** The favorite added last is the last one. Ads that are gone stay until they are taken off. */
  readonly adIds: readonly string[];
}

function evolve({ adIds }: FavoritesState, event: FavoritesEvent): FavoritesState {
  const others = adIds.filter((one) => one !== event.data.adId);
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
  definitions: favoritesEvents,
};
