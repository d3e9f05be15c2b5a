import { useQueryClient } from '@tanstack/react-query';
import { adKeys, bumpAd, deleteAd, isApiError, useApi, useSend } from '@alpenglow/ui';

/**
 * Returns the mutations that bump and delete an ad. Afterwards, the ads are fetched again. This also happens after an
 * error, because another tab may have changed the ad.
 */
export function useAdActions(adId: string) {
  const api = useApi();
  const queryClient = useQueryClient();
  const refetchAds = () => queryClient.invalidateQueries({ queryKey: adKeys.all });
  const bump = useSend({
    mutationFn: () => bumpAd(api, adId),
    onSuccess: refetchAds,
    onError: (error) => {
      if (isApiError(error) && error.status > 0) void refetchAds();
    },
  });
  const remove = useSend({
    mutationFn: async () => {
      try {
        await deleteAd(api, adId);
      } catch (error) {
        // Status 404 means that another tab has already deleted the ad, so this is not an error.
        if (!isApiError(error) || error.status !== 404) throw error;
      }
    },
    onSuccess: () => {
      // Removes the deleted ad from the cache, so that only the lists are fetched again.
      queryClient.removeQueries({ queryKey: [...adKeys.all, 'detail', adId] });
      void queryClient.invalidateQueries({ queryKey: adKeys.lists });
      void queryClient.invalidateQueries({ queryKey: [...adKeys.all, 'mine'] });
    },
  });
  return { bump, remove };
}
