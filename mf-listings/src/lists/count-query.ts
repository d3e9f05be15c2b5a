import { queryOptions } from '@tanstack/react-query';
import type { AdFilter, Api } from '@alpenglow/ui';

/**
 * Creates the query for the number of ads that match a filter. The result is null if the server did not count the ads,
 * because counting would take too long.
 */
export function adCountQuery(api: Api, { sort: _order, ...filter }: AdFilter) {
  return queryOptions({
    queryKey: ['ads', 'count', filter],
    queryFn: async ({ signal }) => {
      const { data, nextCursor, total } = await api.listAds(filter, { limit: 1, signal });
      // The server returns no total for an empty list. The number of ads is then 0.
      return total ?? (data.length === 0 && nextCursor === null ? 0 : null);
    },
  });
}
