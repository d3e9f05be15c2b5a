import { useState } from 'react';
import type { QueryClient } from '@tanstack/react-query';
import { LIST_LIMIT_MAX, type AdCard, type ResponseOf } from '@alpenglow/domain/contracts';
import { listAds, type AdFilter, type AdPages, type Api } from '@alpenglow/ui';
import {
  countNewAds,
  findMissingAds,
  findPages,
  getCards,
  getTotal,
  insertFirstPage,
  markAdInactive,
  updateCards,
} from './ad-pages.ts';
import type { LoadedPages } from './loaded-pages.ts';

/**
 * Creates the requests that compare a list with the server. Owns the number of new ads that are not displayed yet.
 * Invariant: only `showFirst` moves cards.
 */
export function useListRequests(
  api: Api,
  queryClient: QueryClient,
  filter: AdFilter,
  { queryKey, list, isByBump, isByPrice, currentPages, change }: LoadedPages,
) {
  const [newAds, setNewAds] = useState({ list: '', count: 0 });
  // An edit can move an ad down, because its title no longer matches the search.
  const canMoveDown = isByPrice || filter.q !== undefined;

  const showFirst = async () => {
    const fresh = await listAds(api, filter);
    queryClient.setQueryData<AdPages>(queryKey, (current) =>
      current && !isByPrice ? insertFirstPage(current, fresh) : { pages: [fresh], pageParams: [null] },
    );
    setNewAds({ list, count: 0 });
    return fresh.data;
  };

  /** Returns the number of new ads. In a list ordered by price, it is the increase of the total. */
  const countNewIn = (current: AdPages, fresh: ResponseOf<'listAds'>) => {
    if (!isByPrice) return countNewAds(current, fresh.data, { isByBump });
    return Math.max(0, (fresh.total ?? 0) - (getTotal(current) ?? 0));
  };

  const updateCount = async () => {
    const fresh = await listAds(api, filter, isByPrice ? { limit: 1 } : {});
    const current = currentPages();
    if (current) setNewAds({ list, count: countNewIn(current, fresh) });
    return fresh.data;
  };

  /**
   * Fetches all pages that contain matching cards again. Every page is requested with the cursor with which it was
   * loaded.
   */
  const refresh = async (matches: (card: AdCard) => boolean) => {
    const current = currentPages();
    if (!current) return;
    for (const index of findPages(current, matches)) {
      const cursor = current.pageParams[index] as string | null;
      // New ads may have moved cards to the next page, so the limit includes the number of new ads.
      const limit = Math.min(LIST_LIMIT_MAX, (current.pages[index]?.data.length ?? 0) + newAds.count + 1);
      const response = await listAds(api, filter, { cursor, limit });
      change((latest) => updateCards(latest, response.data, { isByBump }));
    }
  };

  /**
   * Compares a cached list with the server. Counts new ads, updates changed ads at their positions, and marks deleted
   * ads as inactive.
   */
  const compare = async () => {
    const fresh = await listAds(api, filter, {
      limit: Math.min(LIST_LIMIT_MAX, Math.max(1, getCards(currentPages()).length)),
    });
    const current = currentPages();
    if (!current) return;
    setNewAds({ list, count: countNewIn(current, fresh) });
    const deletedIds = canMoveDown ? [] : findMissingAds(current, fresh);
    queryClient.setQueryData<AdPages>(
      queryKey,
      (latest) => latest && deletedIds.reduce(markAdInactive, updateCards(latest, fresh.data, { isByBump })),
    );
  };

  return { waiting: newAds.list === list ? newAds.count : 0, showFirst, updateCount, refresh, compare };
}
