import type { Api } from '@alpenglow/ui';
import { endChange, takeRepetition, undoChange, type SentFavorite } from './changes.ts';

export interface FavoriteChange extends SentFavorite {
  readonly api: Pick<Api, 'addFavorite' | 'removeFavorite'>;
}

/**
 * Sends the state of one favorite to the server until the browser and the server have the same state. Several changes
 * during a request cause only one further request. The caller has called `startChange`.
 * @throws {ApiError} if the server rejects the state or does not respond
 */
export async function sendFavorite({ api, adId, local, known }: FavoriteChange): Promise<void> {
  try {
    do {
      const shouldBeFavorite = local.has(adId);
      if (shouldBeFavorite === known.has(adId)) continue;
      if (shouldBeFavorite) {
        await api.addFavorite(adId);
        known.add(adId);
      } else {
        await api.removeFavorite(adId);
        known.remove(adId);
      }
    } while (takeRepetition(adId));
  } finally {
    endChange(adId);
  }
}

/**
 * Sends a change of the visitor (`sendFavorite`). If the server rejects it or does not respond, the last state of the
 * server is restored. Then `onRejected` is called.
 */
export async function syncFavorite(
  change: FavoriteChange,
  onRejected: (error: unknown, wasAdding: boolean) => void,
): Promise<void> {
  try {
    await sendFavorite(change);
  } catch (error) {
    onRejected(error, undoChange(change));
  }
}
