import { useMutation, useQueryClient } from '@tanstack/react-query';
import { adKeys, isApiError, useApi } from '@alpenglow/ui';

/** Bump and delete, each followed by a fresh look at everything that shows ads: also when they are refused, since another tab may have been there first. */
export function useAdActions(adId: string) {
  const api = useApi();
  const queryClient = useQueryClient();
  const lookAgain = () => queryClient.invalidateQueries({ queryKey: adKeys.all });
  const bump = useMutation({
    mutationFn: () => api.bumpAd(adId),
    onSuccess: lookAgain,
    onError: (error) => {
      if (isApiError(error) && error.status > 0) void lookAgain();
    },
  });
  const remove = useMutation({
    mutationFn: async () => {
      try {
        await api.deleteAd(adId);
      } catch (error) {
        // Another tab was first: it is gone, as was wanted.
        if (!isApiError(error) || error.status !== 404) throw error;
      }
    },
    onSuccess: () => {
      // What is gone is not asked for again; the lists are.
      queryClient.removeQueries({ queryKey: [...adKeys.all, 'detail', adId] });
      void queryClient.invalidateQueries({ queryKey: adKeys.lists });
      void queryClient.invalidateQueries({ queryKey: [...adKeys.all, 'mine'] });
    },
  });
  return { bump, remove };
}
