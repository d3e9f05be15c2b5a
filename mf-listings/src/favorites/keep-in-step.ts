import type { Api } from '@alpenglow/ui';
import type { Favorites } from './favorites.ts';

export interface Step {
  readonly api: Pick<Api, 'addFavorite' | 'removeFavorite'>;
  readonly adId: string;
  readonly local: Favorites;
  readonly known: Favorites;
  /** The server said no, or nothing: the heart is back where it was. */
  readonly onRefused: (error: unknown, wasAdding: boolean) => void;
}

/** Ads whose favorite is being told to the server; true: it was pressed again meanwhile. */
const underWay = new Map<string, boolean>();

/**
 * Tells the server how the heart of an ad stands in this browser, until both agree. Presses while a call is under way are told once,
 * as they ended. A refusal undoes the last press.
 */
export async function keepInStep({ api, adId, local, known, onRefused }: Step): Promise<void> {
  if (underWay.has(adId)) {
    underWay.set(adId, true);
    return;
  }
  try {
    do {
      underWay.set(adId, false);
      const isWanted = local.has(adId);
      if (isWanted === known.has(adId)) continue;
      try {
        if (isWanted) {
          await api.addFavorite(adId);
          known.add(adId);
        } else {
          await api.removeFavorite(adId);
          known.remove(adId);
        }
      } catch (error) {
        if (isWanted) local.remove(adId);
        else local.add(adId);
        onRefused(error, isWanted);
        return;
      }
    } while (underWay.get(adId));
  } finally {
    underWay.delete(adId);
  }
}
