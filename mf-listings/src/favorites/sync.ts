import { queryOptions } from '@tanstack/react-query';
import type { FavoritesAnswer, UserView } from '@alpenglow/domain/contracts';
import { isApiError, type Api } from '@alpenglow/ui';
import type { Favorites } from './favorites.ts';
import { favoritesToAdd, mergedFavorites } from './merge.ts';
import { favoritesOf, guestCards, knownFavoritesOf } from './stores.ts';

/** A client's favorites are asked for again after this long. */
const FRESH_ms = 5 * 60_000;

export const favoritesKey = (userId: string) => ['favorites', userId] as const;

export interface SyncStores {
  readonly local: Favorites;
  readonly known: Favorites;
  readonly guest: Favorites;
}

/**
 * Brings a client's favorites together: what this browser kept for them, and what a guest kept in it before, goes to the server; from
 * then on the server's list is the one that counts, and the browser's is its copy. An ad that is gone is left out. When the server
 * refuses one for any other reason, what is left stays in the browser and is tried the next time.
 * @returns the server's list, and what stopped the merge, if anything did
 * @throws ApiError when the server's list cannot be had
 */
export async function syncFavorites(
  api: Pick<Api, 'favorites' | 'addFavorite'>,
  userId: string,
  { local, known, guest }: SyncStores,
): Promise<{ readonly answer: FavoritesAnswer; readonly stoppedBy: unknown }> {
  let answer = await api.favorites(userId);
  const before = local.all();
  const fromGuest = guest.all();
  const wanted = favoritesToAdd({ server: answer.adIds, known: known.all(), local: before, guest: fromGuest });

  const gone: string[] = [];
  const told: string[] = [];
  let stoppedBy: unknown = null;
  for (const adId of wanted) {
    try {
      await api.addFavorite(adId);
      told.push(adId);
    } catch (error) {
      if (isApiError(error) && error.status === 404) {
        gone.push(adId);
        continue;
      }
      stoppedBy = error;
      break;
    }
  }
  if (told.length > 0) answer = await api.favorites(userId);

  local.replace(mergedFavorites({ server: answer.adIds, before, now: local.all(), added: wanted, gone }));
  known.replace(answer.adIds);
  // What a guest kept is the client's now; whoever sits here next as a guest starts without.
  guest.replace(guest.all().filter((id) => !fromGuest.includes(id)));
  return { answer, stoppedBy };
}

/** A client's favorites as cards. Asking for them merges first; `onStopped` hears when that could not be done to the end. */
export function favoritesQuery(
  api: Api,
  { id, email }: Pick<UserView, 'id' | 'email'>,
  onStopped: (error: unknown) => void,
) {
  return queryOptions({
    queryKey: favoritesKey(id),
    staleTime: FRESH_ms,
    queryFn: async () => {
      const guest = favoritesOf(null);
      const { answer, stoppedBy } = await syncFavorites(api, id, {
        local: favoritesOf(email),
        known: knownFavoritesOf(email),
        guest,
      });
      guestCards().retain(guest.all());
      if (stoppedBy !== null) onStopped(stoppedBy);
      return answer;
    },
  });
}
