import { queryOptions } from '@tanstack/react-query';
import type { FavoritesResponse, UserView } from '@alpenglow/domain/contracts';
import { browserStorage, isApiError, takeUnsentFavorites, type Api } from '@alpenglow/ui';
import type { Favorites } from './favorites.ts';
import { getFavoritesToAdd, mergeFavorites } from './merge.ts';
import { getGuestCards, storeClientCards } from './card-stores.ts';
import { favoritesKey } from './favorites-key.ts';
import { getFavorites, getLastServerFavorites } from './stores.ts';

const FRESH_ms = 5 * 60_000;

export interface SyncStores {
  readonly local: Favorites;
  readonly known: Favorites;
  readonly guest: Favorites;
}

/**
 * Merges the favorites in this browser with the favorites on the server. First, adds the favorites of the client and of
 * an earlier guest to the server. Then, replaces the browser's list by the server's list. Ads that no longer exist are
 * omitted. Any other error stops the merge, and the next merge adds the remaining favorites.
 * @returns the server's list, and the error that stopped the merge, or null
 * @throws {ApiError} if the server's list cannot be read
 */
export async function syncFavorites(
  api: Pick<Api, 'favorites' | 'addFavorite'>,
  userId: string,
  { local, known, guest }: SyncStores,
): Promise<{ readonly response: FavoritesResponse; readonly stoppedBy: unknown }> {
  let response = await api.favorites(userId);
  const before = local.all();
  const fromGuest = guest.all();
  const toAdd = getFavoritesToAdd({ server: response.adIds, known: known.all(), local: before, guest: fromGuest });

  const gone: string[] = [];
  const addedIds: string[] = [];
  let stoppedBy: unknown = null;
  for (const adId of toAdd) {
    try {
      await api.addFavorite(adId);
      addedIds.push(adId);
    } catch (error) {
      if (isApiError(error) && error.status === 404) {
        gone.push(adId);
        continue;
      }
      stoppedBy = error;
      break;
    }
  }
  if (addedIds.length > 0) response = await api.favorites(userId);

  local.replace(mergeFavorites({ server: response.adIds, before, now: local.all(), added: toAdd, gone }));
  known.replace(response.adIds);
  // The guest's favorites belong to the client from this point. They are removed from the guest's list, so that the
  // next guest of this browser does not see them.
  guest.replace(guest.all().filter((id) => !fromGuest.includes(id)));
  return { response, stoppedBy };
}

/**
 * Creates the query that merges a client's favorites and returns them. If an error stops the merge, `onStopped` is
 * called.
 */
export function favoritesQuery(
  api: Api,
  { id, email }: Pick<UserView, 'id' | 'email'>,
  onStopped: (error: unknown) => void,
) {
  return queryOptions({
    queryKey: favoritesKey(id),
    staleTime: FRESH_ms,
    queryFn: async () => {
      const guest = getFavorites(null);
      const stores = { local: getFavorites(email), known: getLastServerFavorites(email), guest };
      for (const adId of await takeUnsentFavorites(browserStorage(), id)) stores.local.add(adId);
      const { response, stoppedBy } = await syncFavorites(api, id, stores);
      getGuestCards().retain(guest.all());
      storeClientCards(response.data);
      if (stoppedBy !== null) onStopped(stoppedBy);
      return response;
    },
  });
}
