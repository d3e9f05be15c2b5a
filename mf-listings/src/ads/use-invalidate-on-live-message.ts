import { useQueryClient } from '@tanstack/react-query';
import type { LiveTopic } from '@alpenglow/domain/contracts';
import { useApi, useLive, usePacer } from '@alpenglow/ui';

export interface InvalidateOptions {
  readonly queryKey: readonly unknown[];
  /** The topics of the live messages that may concern the query. */
  readonly topics: readonly LiveTopic[];
  readonly concerns: (adId: string) => boolean;
}

/**
 * Invalidates a query when the live WebSocket channel reports a change of an ad that it concerns. Requests are limited.
 */
export function useInvalidateOnLiveMessage({ queryKey, topics, concerns }: InvalidateOptions): void {
  const api = useApi();
  const queryClient = useQueryClient();
  const invalidate = usePacer<string>(() => void queryClient.invalidateQueries({ queryKey }));
  useLive(
    (message) => {
      if (!concerns(message.adId)) return;
      api.positions.recordLive(message.seq);
      invalidate(message.seq);
    },
    { topics, queryKey },
  );
}
