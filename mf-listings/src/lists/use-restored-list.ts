import { useEffect, useEffectEvent, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'react-router-dom';
import { LIST_LIMIT_MAX } from '@alpenglow/domain/contracts';
import { adKeys, listAds, useApi, useIsHydrated, type AdFilter, type AdPages } from '@alpenglow/ui';
import { getCards, getNextCursor, appendPage } from './ad-pages.ts';
import { shownCounts } from './shown-counts.ts';

/**
 * After a reload, loads as many ads as the list showed before the reload. `start` is the cursor of its first page.
 * @returns the number of ads that are still loading. The list reserves space for these ads, so that the browser can
 * restore the scroll position immediately.
 */
export function useRestoredList(filter: AdFilter, start: string | null, pages: AdPages | undefined): number {
  const api = useApi();
  const queryClient = useQueryClient();
  const { key, pathname } = useLocation();
  const queryKey = adKeys.list(filter, start);
  // The first render of server-rendered HTML must not depend on the storage of the tab.
  const isHydrated = useIsHydrated();
  const entry = isHydrated ? `${key} ${pathname} ${JSON.stringify(filter)}${start ?? ''}` : '';
  const [restored, setRestored] = useState({ entry: '', count: 0 });
  // Reads the stored number during rendering, so that it is known before the first paint.
  if (restored.entry !== entry) setRestored({ entry, count: shownCounts.get(entry) });

  const shown = getCards(pages).length;
  const isLoaded = pages !== undefined;
  const missing = isLoaded && getNextCursor(pages) === null ? 0 : Math.max(0, restored.count - shown);

  // The list is completely restored. The count is reset, so that further ads are not loaded as a replacement for
  // removed cards.
  if (isLoaded && missing === 0 && restored.count > 0 && restored.entry === entry) setRestored({ entry, count: 0 });

  const loadMore = useEffectEvent(async (isCurrent: () => boolean) => {
    const giveUp = () => setRestored({ entry, count: 0 });
    const cursor = getNextCursor(pages);
    if (cursor === null) return;
    try {
      const next = await listAds(api, filter, { cursor, limit: Math.min(LIST_LIMIT_MAX, missing) });
      if (!isCurrent()) return;
      if (next.data.length === 0) giveUp();
      queryClient.setQueryData<AdPages>(queryKey, (current) =>
        current && getNextCursor(current) === cursor ? appendPage(current, cursor, next) : current,
      );
    } catch {
      // If loading fails, restoring ends. The visitor can load more ads with the button.
      giveUp();
    }
  });
  const isLoadingMore = isLoaded && missing > 0;
  useEffect(() => {
    if (!isLoadingMore) return;
    let isCurrent = true;
    void loadMore(() => isCurrent);
    return () => {
      isCurrent = false;
    };
  }, [entry, isLoadingMore, shown]);

  useEffect(() => {
    if (isLoaded && missing === 0) shownCounts.set(entry, shown);
  }, [entry, isLoaded, missing, shown]);

  return missing;
}
