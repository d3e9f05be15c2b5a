import { queryOptions } from '@tanstack/react-query';
import type { AdFilter, Api } from '@alpenglow/ui';

/** How many ads a filter finds; null where counting would take too long. The order makes no difference. */
export function countQuery(api: Api, { sort: _order, ...filter }: AdFilter) {
  return queryOptions({
    queryKey: ['ads', 'count', filter],
    queryFn: async ({ signal }) => {
      const { data, nextCursor, total } = await api.listAds(filter, { limit: 1, signal });
      // Where there is nothing, nothing has to be counted.
      return total ?? (data.length === 0 && nextCursor === null ? 0 : null);
    },
  });
}
