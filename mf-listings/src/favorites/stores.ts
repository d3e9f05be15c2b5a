import { browserStorage, getFavoritesKey, getLastServerFavoritesKey } from '@alpenglow/ui';
import { createFavorites, type Favorites } from './favorites.ts';

const byBucket = new Map<string, Favorites>();

function storeOf(bucket: string): Favorites {
  const store = byBucket.get(bucket) ?? createFavorites(browserStorage(), bucket);
  byBucket.set(bucket, store);
  return store;
}

/** Returns the favorites of a user in this browser. If `email` is null, returns the favorites of a guest. */
export const getFavorites = (email: string | null): Favorites => storeOf(getFavoritesKey(email));

/** Returns the favorites that the server returned last for a user. */
export const getLastServerFavorites = (email: string): Favorites => storeOf(getLastServerFavoritesKey(email));

/** Deletes a user's favorites from this browser after the account was erased. */
export function deleteFavorites(email: string): void {
  for (const bucket of [getFavoritesKey(email), getLastServerFavoritesKey(email)]) {
    byBucket.delete(bucket);
    browserStorage().removeItem(bucket);
  }
}
