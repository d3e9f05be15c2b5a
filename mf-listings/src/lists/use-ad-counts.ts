import { useEffect } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AdCountsAnswer } from '@alpenglow/domain/contracts';
import { useApi, useHost, type AdFilter } from '@alpenglow/ui';
import { createGatherer } from './gather.ts';

export type AdCounts = AdCountsAnswer['data'];

const COUNTS = ['ads', 'counts'] as const;
/** Counts need not be as quick as ads: what happens within this time is one request. */
const GATHER_ms = 3_000;

/** How many ads there are by state, city and category; undefined until it is known. */
export function useAdCounts(place: Pick<AdFilter, 'state' | 'city'> = {}): AdCounts | undefined {
  const api = useApi();
  return useQuery({
    queryKey: [...COUNTS, place],
    queryFn: async ({ signal }) => (await api.adCounts(place, signal)).data,
  }).data;
}

/** Asks for the counts that are shown again when ads come, change or go. Stands once, at the top. */
export function useLiveCounts(): void {
  const api = useApi();
  const { onLive } = useHost();
  const queryClient = useQueryClient();
  useEffect(() => {
    const gatherer = createGatherer<string>(GATHER_ms, () => void queryClient.invalidateQueries({ queryKey: COUNTS }));
    const stopListening = onLive(({ type, seq }) => {
      if (type === 'ad_bumped') return;
      api.positions.seen(seq);
      gatherer.add(seq);
    });
    return () => {
      stopListening();
      gatherer.stop();
    };
  }, [api, onLive, queryClient]);
}
