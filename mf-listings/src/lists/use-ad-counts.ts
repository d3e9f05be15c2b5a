import { useEffect } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AdCountsResponse } from '@alpenglow/domain/contracts';
import { useApi, useHost, type AdFilter } from '@alpenglow/ui';
import { createBatcher } from './batcher.ts';

export type AdCounts = AdCountsResponse['data'];

const COUNTS = ['ads', 'counts'] as const;
/** Minimum time between two requests. All changes during this time cause one request only. */
const GATHER_ms = 3_000;

/** Returns the numbers of ads by state, city and category. Returns undefined while they are loading. */
export function useAdCounts(place: Pick<AdFilter, 'state' | 'city'> = {}): AdCounts | undefined {
  const api = useApi();
  return useQuery({
    queryKey: [...COUNTS, place],
    queryFn: async ({ signal }) => (await api.adCounts(place, signal)).data,
  }).data;
}

/**
 * Fetches the visible numbers of ads again when ads are created, changed or deleted. Only the root component calls this
 * hook.
 */
export function useLiveCounts(): void {
  const api = useApi();
  const { onLive } = useHost();
  const queryClient = useQueryClient();
  useEffect(() => {
    const gatherer = createBatcher<string>(GATHER_ms, () => void queryClient.invalidateQueries({ queryKey: COUNTS }));
    const stopListening = onLive(({ type, seq }) => {
      if (type === 'ad_bumped') return;
      api.positions.recordLive(seq);
      gatherer.add(seq);
    });
    return () => {
      stopListening();
      gatherer.stop();
    };
  }, [api, onLive, queryClient]);
}
