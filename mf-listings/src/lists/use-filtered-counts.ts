import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from '@alpenglow/ui';
import { matchingCountsQuery, type MatchingCounts } from './count-query.ts';
import { getSelectedFilters, toApiFilter, type ListFilter } from './filters.ts';

/**
 * Returns the numbers of ads of a city that match the other filters, by category. Returns null without other
 * filters, until the first numbers have arrived, and if the server did not count the ads. After a change of the
 * filters, returns the numbers before it until the new ones have arrived.
 */
export function useFilteredCounts(filter: ListFilter): MatchingCounts {
  const isFiltered = getSelectedFilters(filter).some(({ name }) => !['city', 'state', 'category'].includes(name));
  const { data = null } = useQuery({
    ...matchingCountsQuery(useApi(), toApiFilter(filter)),
    enabled: isFiltered,
    placeholderData: keepPreviousData,
  });
  return isFiltered ? data : null;
}
