import { browserStorage } from '@alpenglow/ui';
import { bucketOf, createFavorites, knownBucketOf, type Favorites } from './favorites.ts';
import { createKeptCards, type KeptCards } from './kept-cards.ts';

const byBucket = new Map<string, Favorites>();

function inBrowser(bucket: string): Favorites {
  const known = byBucket.get(bucket) ?? createFavorites(browserStorage(), bucket);
  byBucket.set(bucket, known);
  return known;
}

/** What this browser keeps for somebody; null: for guests. */
export const favoritesOf = (email: string | null): Favorites => inBrowser(bucketOf(email));

/** What the server was last known to have of somebody's favorites. */
export const knownFavoritesOf = (email: string): Favorites => inBrowser(knownBucketOf(email));

/** Nothing of the favorites of somebody who is gone stays in this browser. */
export function forgetFavoritesOf(email: string): void {
  for (const bucket of [bucketOf(email), knownBucketOf(email)]) {
    byBucket.delete(bucket);
    browserStorage().removeItem(bucket);
  }
}

let cards: KeptCards | undefined;

/** The cards of the guests' favorites. */
export const guestCards = (): KeptCards => (cards ??= createKeptCards(browserStorage()));
