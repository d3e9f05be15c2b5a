import { useEffect, useEffectEvent, useMemo, useSyncExternalStore } from 'react';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { MAX_FAVORITES, type AdCard } from '@alpenglow/domain/contracts';
import { adKeys, messageOf, useApi, useHost, useUser } from '@alpenglow/ui';
import { t } from '../text.ts';
import { keepInStep } from './keep-in-step.ts';
import { favoritesOf, guestCards, knownFavoritesOf } from './stores.ts';
import { favoritesKey, favoritesQuery } from './sync.ts';

export interface UsedFavorites {
  /** Ad ids, the last added first. */
  readonly ids: readonly string[];
  readonly toggle: (adId: string) => void;
}

/**
 * The visitor's favorites, and how to change them. A guest's stay in this browser; a client's are the server's, changed here at once
 * and taken back when the server refuses. Providers keep none (specification, section 5, "Other").
 */
export function useFavorites(): UsedFavorites {
  const { notify } = useHost();
  const api = useApi();
  const queryClient = useQueryClient();
  const user = useUser();
  const email = user?.email ?? null;
  const local = useMemo(() => favoritesOf(email), [email]);
  const ids = useSyncExternalStore(local.subscribe, local.all);
  const client = user && !user.isProvider ? user : null;

  const merge = useEffectEvent(() => {
    if (!client || hasJustFailed(queryClient, client.id)) return;
    // Every card asks; the query answers all of them with one call.
    void queryClient.prefetchQuery(
      favoritesQuery(api, client, (error) =>
        notify({ text: messageOf(error, t('api.addFavoriteFailed')), tone: 'danger' }),
      ),
    );
  });
  useEffect(() => merge(), [client?.id]);

  return {
    ids,
    toggle(adId) {
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
        if (card) guestCards().keep(card);
        return;
      }
      void keepInStep({
        api,
        adId,
        local,
        known: knownFavoritesOf(client.email),
        onRefused: (error, wasAdding) =>
          notify({
            text: messageOf(error, t(wasAdding ? 'api.addFavoriteFailed' : 'api.removeFavoriteFailed')),
            tone: 'danger',
          }),
      }).then(() => queryClient.invalidateQueries({ queryKey: favoritesKey(client.id), refetchType: 'none' }));
    },
  };
}

/** After a failure, a list with many hearts does not ask once for each. */
const PAUSE_ms = 30_000;

function hasJustFailed(queryClient: QueryClient, userId: string): boolean {
  const state = queryClient.getQueryState(favoritesKey(userId));
  return state?.status === 'error' && Date.now() - state.errorUpdatedAt < PAUSE_ms;
}

/** The card of an ad that is shown somewhere on this page; undefined when none is. */
function cardInCache(queryClient: QueryClient, adId: string): AdCard | undefined {
  for (const [, data] of queryClient.getQueriesData({ queryKey: adKeys.all })) {
    const found = cardsIn(data).find(({ id }) => id === adId);
    if (found) return found;
  }
  return undefined;
}

/** Whatever shape a query of ads keeps: pages of lists, a list, one ad. */
function cardsIn(data: unknown): readonly AdCard[] {
  if (Array.isArray(data)) return data.flatMap(cardsIn);
  if (typeof data !== 'object' || data === null) return [];
  if ('pages' in data) return cardsIn(data.pages);
  if ('data' in data) return cardsIn(data.data);
  return 'id' in data && 'media' in data ? [data as AdCard] : [];
}
