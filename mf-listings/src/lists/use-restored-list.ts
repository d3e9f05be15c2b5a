import { useEffect, useEffectEvent, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'react-router-dom';
import { LIST_LIMIT_MAX } from '@alpenglow/domain/contracts';
import { adKeys, useApi, type AdFilter, type AdPages } from '@alpenglow/ui';
import { cardsOf, nextCursorOf, withNext } from './ad-pages.ts';
import { shownCounts } from './shown-counts.ts';

/**
 * After a reload, or where the pages of a list are no longer kept: loads as many ads as this entry of the history showed before.
 * @returns how many ads are still to come; room is kept for them, so that the visitor's place is there at once
 */
export function useRestoredList(filter: AdFilter, pages: AdPages | undefined): number {
  const api = useApi();
  const queryClient = useQueryClient();
  const { key, pathname } = useLocation();
  const queryKey = adKeys.list(filter);
  const entry = `${key} ${pathname} ${JSON.stringify(filter)}`;
  const [wanted, setWanted] = useState({ entry: '', count: 0 });
  // What this entry showed is known before its first paint.
  if (wanted.entry !== entry) setWanted({ entry, count: shownCounts.of(entry) });

  const shown = cardsOf(pages).length;
  const isThere = pages !== undefined;
  const missing = isThere && nextCursorOf(pages) === null ? 0 : Math.max(0, wanted.count - shown);

  // Found again: what goes from the list from now on is not made up for.
  if (isThere && missing === 0 && wanted.count > 0 && wanted.entry === entry) setWanted({ entry, count: 0 });

  const loadOn = useEffectEvent(async (isWanted: () => boolean) => {
    const giveUp = () => setWanted({ entry, count: 0 });
    const cursor = nextCursorOf(pages);
    if (cursor === null) return;
    try {
      const next = await api.listAds(filter, { cursor, limit: Math.min(LIST_LIMIT_MAX, missing) });
      if (!isWanted()) return;
      if (next.data.length === 0) giveUp();
      queryClient.setQueryData<AdPages>(queryKey, (current) =>
        current && nextCursorOf(current) === cursor ? withNext(current, cursor, next) : current,
      );
    } catch {
      // The button for more is still there.
      giveUp();
    }
  });
  const isLoadingOn = isThere && missing > 0;
  useEffect(() => {
    if (!isLoadingOn) return;
    let isWanted = true;
    void loadOn(() => isWanted);
    return () => {
      isWanted = false;
    };
  }, [entry, isLoadingOn, shown]);

  useEffect(() => {
    if (isThere && missing === 0) shownCounts.keep(entry, shown);
  }, [entry, isThere, missing, shown]);

  return missing;
}
