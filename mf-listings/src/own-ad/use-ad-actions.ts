import { useMutation, useQueryClient } from '@tanstack/react-query';
import { adKeys, useApi } from '@alpenglow/ui';

/** Bump and delete, each followed by a fresh look at everything that shows ads. */
export function useAdActions(adId: string) {
  const api = useApi();
  const queryClient = useQueryClient();
  const bump = useMutation({
    mutationFn: () => api.bumpAd(adId),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: adKeys.all }),
  });
  const remove = useMutation({
    mutationFn: () => api.deleteAd(adId),
    onSuccess: () => {
      // What is gone is not asked for again; the lists are.
      queryClient.removeQueries({ queryKey: [...adKeys.all, 'detail', adId] });
      void queryClient.invalidateQueries({ queryKey: adKeys.lists });
      void queryClient.invalidateQueries({ queryKey: [...adKeys.all, 'mine'] });
    },
  });
  return { bump, remove };
}
