import { useEffect } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { adKeys, useHost, type AdPages } from '@alpenglow/ui';
import { removeAd } from './ad-pages.ts';

const NO_TOPICS = { topics: [] } as const;

/**
 * Updates lists that are cached but not displayed, with the live messages to which the page is subscribed. It removes
 * deleted ads and marks the lists as stale, so that they show new ads when they are opened. The root component calls
 * this hook once.
 */
export function useCachedLists(): void {
  const { onLive } = useHost();
  const queryClient = useQueryClient();
  useEffect(
    () =>
      onLive(({ type, adId }) => {
        const inactiveLists = { queryKey: adKeys.lists, type: 'inactive' } as const;
        if (type === 'ad_deleted')
          queryClient.setQueriesData<AdPages>(inactiveLists, (pages) => pages && removeAd(pages, adId));
        void queryClient.invalidateQueries({ ...inactiveLists, refetchType: 'none' });
      }, NO_TOPICS),
    [onLive, queryClient],
  );
}
