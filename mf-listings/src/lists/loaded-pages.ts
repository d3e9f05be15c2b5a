import type { QueryClient } from '@tanstack/react-query';
import { LIST_LIMIT_MAX } from '@alpenglow/domain/contracts';
import { adKeys, listAds, type AdFilter, type AdPages, type Api } from '@alpenglow/ui';
import { extendLastPage, getNextCursor } from './ad-pages.ts';

export type LoadedPages = ReturnType<typeof createLoadedPages>;

/** Creates the access to the loaded pages of a list, which the query client stores. */
export function createLoadedPages(api: Api, queryClient: QueryClient, filter: AdFilter, start: string | null) {
  const queryKey = adKeys.list(filter, start);
  const { sort = 'bumped' } = filter;
  const currentPages = () => queryClient.getQueryData<AdPages>(queryKey);
  /** Changes the displayed pages without changing the time at which they were last compared with the server. */
  const change = (update: (pages: AdPages) => AdPages) =>
    queryClient.setQueryData<AdPages>(queryKey, (current) => current && update(current), {
      updatedAt: queryClient.getQueryState(queryKey)?.dataUpdatedAt ?? Date.now(),
    });

  /** Appends the ads that follow the list, so that the list has as many ads as before `count` ads were deleted. */
  const refill = async (count: number) => {
    const cursor = getNextCursor(currentPages());
    if (cursor === null) return;
    const following = await listAds(api, filter, { cursor, limit: Math.min(LIST_LIMIT_MAX, count) });
    change((latest) => (getNextCursor(latest) === cursor ? extendLastPage(latest, following) : latest));
  };

  return {
    queryKey,
    /** Identifies the list. */
    list: JSON.stringify(queryKey),
    // Matches of a search are ordered by relevance, so a bump does not move them to the top.
    isByBump: sort === 'bumped' && filter.q === undefined,
    isByPrice: sort === 'price' || sort === 'price_desc',
    currentPages,
    change,
    refill,
  };
}
