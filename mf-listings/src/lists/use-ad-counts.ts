import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ResponseOf } from '@alpenglow/domain/contracts';
import { adCounts, useApi, useLive, usePacer, type AdFilter } from '@alpenglow/ui';
import { topicOfList } from '../ads/live-topics.ts';

export type AdCounts = ResponseOf<'countAds'>['data'];

const COUNTS = ['ads', 'counts'] as const;
/** The beginning of the keys of `matchingCountsQuery`. */
const FILTERED_COUNTS = ['ads', 'count'] as const;
const NO_TOPICS = { topics: [] } as const;

/**
 * Returns the numbers of ads by state, city and category. Returns undefined while they are loading. The page subscribes
 * to the numbers of a place. The numbers of all places change with the messages that the page receives for other
 * reasons, because a subscription to all places would cost much more than these numbers are worth.
 */
export function useAdCounts(place: Pick<AdFilter, 'state' | 'city'> = {}): AdCounts | undefined {
  const api = useApi();
  const queryKey = [...COUNTS, place];
  useLive(() => undefined, { topics: place.state === undefined ? [] : [topicOfList(place)], queryKey });
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await adCounts(api, place, signal)).data,
  }).data;
}

/**
 * Fetches the visible numbers of ads again when ads are created, changed or deleted. Only the root component calls this
 * hook.
 */
export function useLiveCounts(): void {
  const api = useApi();
  const queryClient = useQueryClient();
  const refetch = usePacer<string>(() => {
    for (const queryKey of [COUNTS, FILTERED_COUNTS]) void queryClient.invalidateQueries({ queryKey });
  });
  useLive(({ type, seq }) => {
    if (type === 'ad_bumped') return;
    api.positions.recordLive(seq);
    refetch(seq);
  }, NO_TOPICS);
}
