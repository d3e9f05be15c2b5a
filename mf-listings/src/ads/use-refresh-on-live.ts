import { useQueryClient } from '@tanstack/react-query';
import { useApi, useLive } from '@alpenglow/ui';

/** Asks again for whatever the key names when the live channel tells of one of these ads. */
export function useRefreshOnLive(queryKey: readonly unknown[], concerns: (adId: string) => boolean): void {
  const api = useApi();
  const queryClient = useQueryClient();
  useLive((message) => {
    if (!concerns(message.adId)) return;
    api.positions.seen(message.seq);
    void queryClient.invalidateQueries({ queryKey });
  });
}
