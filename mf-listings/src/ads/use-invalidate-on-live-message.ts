import { useQueryClient } from '@tanstack/react-query';
import { useApi, useLive } from '@alpenglow/ui';

/**
 * Invalidates all queries whose key starts with `queryKey` when the live WebSocket channel reports a change of a
 * matching ad.
 */
export function useInvalidateOnLiveMessage(queryKey: readonly unknown[], concerns: (adId: string) => boolean): void {
  const api = useApi();
  const queryClient = useQueryClient();
  useLive((message) => {
    if (!concerns(message.adId)) return;
    api.positions.recordLive(message.seq);
    void queryClient.invalidateQueries({ queryKey });
  });
}
