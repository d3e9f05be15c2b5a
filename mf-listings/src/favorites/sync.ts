import { queryOptions } from '@tanstack/react-query';
import type { ResponseOf, UserView } from '@alpenglow/domain/contracts';
import { browserStorage, isApiError, takeUnsentFavorites, type Api, type Host } from '@alpenglow/ui';
import { t } from '../text.ts';
import { recordChanges, startChange, undoChange } from './changes.ts';
import type { Favorites } from './favorites.ts';
import { toNotice } from './notices.ts';
import { getFavoritesToAdd, mergeFavorites } from './merge.ts';
import { getGuestCards, storeClientCards } from './card-stores.ts';
import { favoritesKey } from './favorites-key.ts';
import { getFavorites, getLastServerFavorites } from './stores.ts';
import { sendFavorite } from './sync-favorite.ts';

const FRESH_ms = 5 * 60_000;

export interface SyncStores {
  readonly local: Favorites;
  readonly known: Favorites;
  readonly guest: Favorites;
}

/** The error after which a merge sent no more favorites. `wasAdding` is false if a removal by the visitor failed. */
interface MergeError {
  readonly error: unknown;
  readonly wasAdding: boolean;
}

/**
 * Merges the favorites in this browser with the favorites on the server. First, adds the favorites of the client and of
 * an earlier guest to the server. Then, replaces the browser's list by the server's list. An ad is omitted if the
 * server responds that it no longer exists. Any other error stops the merge, and the next merge adds the remaining
 * favorites. If the visitor changes a favorite during the merge, the choice of the visitor applies. It is sent as a
 * change, and the merge does not send it again.
 * @returns the server's list, the number of a guest's favorites that the server has stored, and the error that stopped
 *   the merge, or null
 * @throws {ApiError} if the server's list cannot be read
 */
export async function syncFavorites(
  api: Pick<Api, 'favorites' | 'addFavorite' | 'removeFavorite'>,
  userId: string,
  stores: SyncStores,
): Promise<{
  readonly response: ResponseOf<'listFavorites'>;
  readonly savedOfGuest: number;
  readonly stoppedBy: MergeError | null;
}> {
  const { local, known, guest } = stores;
  const changes = recordChanges();
  try {
    // Includes the favorites that this merge sends.
    const sent = changes.adIds;
    let response = await api.favorites(userId);
    const onServerBefore = new Set(response.adIds);
    const before = local.all();
    const fromGuest = guest.all();
    const toAdd = getFavoritesToAdd({ server: response.adIds, known: known.all(), local: before, guest: fromGuest });

    const stoppedBy = await addFavorites(api, toAdd, { ...stores, sent });
    const isOutdated = [...sent].some((id) => known.has(id) !== response.adIds.includes(id));
    if (isOutdated) response = await api.favorites(userId);

    const server = response.adIds;
    const knownChanges = known.all().filter((id) => sent.has(id));
    local.replace(mergeFavorites({ server, before, now: local.all(), added: toAdd, sent }));
    const isKnown = (id: string) => !sent.has(id) || knownChanges.includes(id);
    known.replace([...new Set([...knownChanges, ...server])].filter(isKnown));
    // The guest's favorites belong to the client from this point. They are removed from the guest's list, so that the
    // next guest of this browser does not see them.
    guest.replace(guest.all().filter((id) => !fromGuest.includes(id)));
    const savedOfGuest = fromGuest.filter((id) => server.includes(id) && !onServerBefore.has(id)).length;
    return { response, savedOfGuest, stoppedBy };
  } finally {
    changes.stop();
  }
}

/**
 * Adds favorites that the server does not have, except those whose state was already sent during the merge. Ads that no
 * longer exist are removed from the browser's list. Stops at any other error.
 */
async function addFavorites(
  api: Pick<Api, 'addFavorite' | 'removeFavorite'>,
  adIds: readonly string[],
  { local, known, sent }: SyncStores & { readonly sent: ReadonlySet<string> },
): Promise<MergeError | null> {
  for (const adId of adIds) {
    if (sent.has(adId)) continue;
    local.add(adId);
    known.remove(adId);
    startChange(adId);
    try {
      await sendFavorite({ api, adId, local, known });
    } catch (error) {
      const isMissing = isApiError(error) && error.status === 404;
      // If the server has the favorite, the visitor has removed it in the meantime, and this removal has failed.
      const wasAdding = !known.has(adId);
      if (!wasAdding || isMissing) undoChange({ adId, local, known });
      if (!isMissing) return { error, wasAdding };
    }
  }
  return null;
}

/**
 * Creates the query that merges a client's favorites and returns them. A notice states how many favorites of an earlier
 * guest are now stored on the server, and another one that an error has stopped the merge.
 */
export function favoritesQuery(api: Api, { id, email }: Pick<UserView, 'id' | 'email'>, notify: Host['notify']) {
  return queryOptions({
    queryKey: favoritesKey(id),
    staleTime: FRESH_ms,
    queryFn: async () => {
      const guest = getFavorites(null);
      const stores = { local: getFavorites(email), known: getLastServerFavorites(email), guest };
      for (const adId of await takeUnsentFavorites(browserStorage(), id)) stores.local.add(adId);
      const { response, savedOfGuest, stoppedBy } = await syncFavorites(api, id, stores);
      getGuestCards().retain(guest.all());
      storeClientCards(response.data);
      if (savedOfGuest > 0) notify({ text: t('favoritesSaved', { count: savedOfGuest }), tone: 'success' });
      if (stoppedBy) notify(toNotice(stoppedBy.error, stoppedBy.wasAdding));
      return response;
    },
  });
}
