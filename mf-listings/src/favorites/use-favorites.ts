import { useEffect, useEffectEvent, useMemo, useSyncExternalStore } from 'react';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { MAX_FAVORITES, type AdCard } from '@alpenglow/domain/contracts';
import { adKeys, useApi, useHost, useUser } from '@alpenglow/ui';
import { t } from '../text.ts';
import { endChange, startChange, undoChange } from './changes.ts';
import { favoritesKey } from './favorites-key.ts';
import { toNotice } from './notices.ts';
import { getFavorites, getLastServerFavorites } from './stores.ts';

/**
 * Returns the visitor's favorites, most recently added first, and a function that changes them. The favorites of a
 * guest are stored in this browser, and the favorites of a client on the server. A change is shown immediately, and
 * undone if the server rejects it. Providers have no favorites.
 */
export function useFavorites() {
  const { notify } = useHost();
  const api = useApi();
  const queryClient = useQueryClient();
  const user = useUser();
  const email = user?.email ?? null;
  const local = useMemo(() => getFavorites(email), [email]);
  const ids = useSyncExternalStore(local.subscribe, local.all, getNone);
  const client = user && !user.isProvider ? user : null;

  const onRejected = (error: unknown, wasAdding: boolean) => notify(toNotice(error, wasAdding));
  const merge = useEffectEvent(() => {
    if (!client || hasJustFailed(queryClient, client.id)) return;
    // Every ad card calls this hook. The query cache combines these calls into one request.
    const load = async () => {
      const { favoritesQuery } = await loadSync();
      await queryClient.prefetchQuery(favoritesQuery(api, client, notify));
    };
    // If the code cannot be loaded, the favorites of this browser are shown.
    load().catch(ignore);
  });
  useEffect(() => merge(), [client?.id]);

  return {
    ids,
    toggle(adId: string): void {
      if (user?.isProvider) return notify({ text: t('onlyClientsFavorite'), tone: 'danger' });
      const isAdding = !local.has(adId);
      if (isAdding && local.all().length >= MAX_FAVORITES)
        return notify({ text: t('favoritesMax', { max: MAX_FAVORITES }), tone: 'danger' });
      try {
        local.toggle(adId);
      } catch {
        return notify({ text: t('api.addFavoriteFailed'), tone: 'danger' });
      }
      if (!client) {
        const card = isAdding ? cardInCache(queryClient, adId) : undefined;
        if (card) void loadCards().then(({ getGuestCards }) => getGuestCards().store(card), ignore);
        return;
      }
      if (!startChange(adId)) return;
      const change = { api, adId, local, known: getLastServerFavorites(client.email) };
      void loadSyncOne()
        .then(
          ({ syncFavorite }) => syncFavorite(change, onRejected),
          (error: unknown) => {
            endChange(adId);
            onRejected(error, undoChange(change));
          },
        )
        .then(() => queryClient.invalidateQueries({ queryKey: favoritesKey(client.id), refetchType: 'none' }))
        .catch(ignore);
    },
  };
}

// Most visits need neither the synchronization nor the stored cards, so their code is loaded later.
const loadSync = () => import(/* webpackChunkName: "saved" */ './sync.ts');
const loadSyncOne = () => import(/* webpackChunkName: "saved" */ './sync-favorite.ts');
const loadCards = () => import(/* webpackChunkName: "saved" */ './card-stores.ts');
const ignore = () => undefined;

const NONE: readonly string[] = [];
/** The server does not know the favorites of the visitor. */
const getNone = () => NONE;

/**
 * Minimum time between a failed request and the next request. Without this limit, each favorite button on the page
 * would repeat the failed request.
 */
const PAUSE_ms = 30_000;

function hasJustFailed(queryClient: QueryClient, userId: string): boolean {
  const state = queryClient.getQueryState(favoritesKey(userId));
  return state?.status === 'error' && Date.now() - state.errorUpdatedAt < PAUSE_ms;
}

function cardInCache(queryClient: QueryClient, adId: string): AdCard | undefined {
  for (const [, data] of queryClient.getQueriesData({ queryKey: adKeys.all })) {
    const match = cardsIn(data).find(({ id }) => id === adId);
    if (match) return match;
  }
  return undefined;
}

/** Returns the ad cards in the cached data of a query. The data is an infinite list, a list or a single ad. */
function cardsIn(data: unknown): readonly AdCard[] {
  if (Array.isArray(data)) return data.flatMap(cardsIn);
  if (typeof data !== 'object' || data === null) return [];
  if ('pages' in data) return cardsIn(data.pages);
  if ('data' in data) return cardsIn(data.data);
  return 'id' in data && 'media' in data ? [data as AdCard] : [];
}
