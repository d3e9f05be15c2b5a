import { queryOptions } from '@tanstack/react-query';
import type { ResponseOf, Category } from '@alpenglow/domain/contracts';
import { adCounts, type AdFilter, type Api } from '@alpenglow/ui';

/** The numbers of ads that match filters, in all categories and in each one. */
export type MatchingCounts = ResponseOf<'countAds'>['data']['matching'];

/**
 * Creates the query for the numbers of ads that match a filter, by category. Ignores the category of the filter. The
 * result is null if counting takes the server too long.
 */
export function matchingCountsQuery(api: Api, { sort: _order, category: _category, ...filter }: AdFilter) {
  return queryOptions({
    queryKey: ['ads', 'count', filter],
    queryFn: async ({ signal }): Promise<MatchingCounts> => (await adCounts(api, filter, signal)).data.matching,
  });
}

/** Returns the number of matching ads in a category, or in all categories if it is null. Null if not counted. */
export function getMatchingCount(counts: MatchingCounts, category: Category | null): number | null {
  if (counts === null || category === null) return counts?.total ?? null;
  return counts.categories.find((entry) => entry.category === category)?.count ?? 0;
}
