import type { Api } from '@alpenglow/ui';
import type { Favorites } from './favorites.ts';

export interface FavoriteChange {
  readonly api: Pick<Api, 'addFavorite' | 'removeFavorite'>;
  readonly adId: string;
  readonly local: Favorites;
  readonly known: Favorites;
  /** Called if the server rejects the change or does not respond. The change has been undone before the call. */
  readonly onRejected: (error: unknown, wasAdding: boolean) => void;
}

/** Ads with a running request. The value is true if the visitor pressed the button again during the request. */
const inProgress = new Map<string, boolean>();

/**
 * Sends the state of one favorite to the server until the browser and the server have the same state. Several changes
 * during a request cause only one further request. An error undoes the last change.
 */
export async function syncFavorite({ api, adId, local, known, onRejected }: FavoriteChange): Promise<void> {
  if (inProgress.has(adId)) {
    inProgress.set(adId, true);
    return;
  }
  try {
    do {
      inProgress.set(adId, false);
      const shouldBeFavorite = local.has(adId);
      if (shouldBeFavorite === known.has(adId)) continue;
      try {
        if (shouldBeFavorite) {
          await api.addFavorite(adId);
          known.add(adId);
        } else {
          await api.removeFavorite(adId);
          known.remove(adId);
        }
      } catch (error) {
        if (shouldBeFavorite) local.remove(adId);
        else local.add(adId);
        onRejected(error, shouldBeFavorite);
        return;
      }
    } while (inProgress.get(adId));
  } finally {
    inProgress.delete(adId);
  }
}
