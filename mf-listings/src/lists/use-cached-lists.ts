import { useEffect } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { adKeys, useHost, type AdPages } from '@alpenglow/ui';
import { withoutAd } from './ad-pages.ts';

/**
 * Lists that are kept but not shown hear of changes too: an ad that was taken down leaves them, and they count as outdated, so
 * that whoever comes back to one is told what is new. Stands once, at the top.
 */
export function useCachedLists(): void {
  const { onLive } = useHost();
  const queryClient = useQueryClient();
  useEffect(
    () =>
      onLive(({ type, adId }) => {
        const kept = { queryKey: adKeys.lists, type: 'inactive' } as const;
        if (type === 'ad_deleted')
          queryClient.setQueriesData<AdPages>(kept, (pages) => pages && withoutAd(pages, adId));
        void queryClient.invalidateQueries({ ...kept, refetchType: 'none' });
      }),
    [onLive, queryClient],
  );
}
