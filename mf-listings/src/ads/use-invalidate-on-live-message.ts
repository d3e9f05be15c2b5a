import { useQueryClient } from '@tanstack/react-query';
import type { LiveTopic } from '@alpenglow/domain/contracts';
import { useApi, useLive } from '@alpenglow/ui';

export interface InvalidateOptions {
  readonly queryKey: readonly unknown[];
  /** The topics of the live messages that may concern the query. */
  readonly topics: readonly LiveTopic[];
  readonly concerns: (adId: string) => boolean;
}

/** Invalidates a query when the live WebSocket channel reports a change of an ad that it concerns. */
export function useInvalidateOnLiveMessage({ queryKey, topics, concerns }: InvalidateOptions): void {
  const api = useApi();
  const queryClient = useQueryClient();
  useLive(
    (message) => {
      if (!concerns(message.adId)) return;
      api.positions.recordLive(message.seq);
      void queryClient.invalidateQueries({ queryKey });
    },
    { topics, queryKey },
  );
}
