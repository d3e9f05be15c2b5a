import { THREAD_SORTS, type ThreadSort } from '@alpenglow/domain/contracts';
import type { ThreadFilter } from '../api/requests.ts';
import type { Place } from '../places.ts';

/** Returns the sort order in the query of a URL. The default is `latest`. */
export function parseSort(search: URLSearchParams): ThreadSort {
  const requested = search.get('sort');
  return THREAD_SORTS.find((sort) => sort === requested) ?? 'latest';
}

/** Returns the filter for the threads of a place in a sort order. If `place` is null, threads of all places match. */
export function toThreadFilter(place: Place | null, sort: ThreadSort): ThreadFilter {
  return {
    ...(place && { country: place.country.code }),
    ...(place?.state && { state: place.state.code }),
    ...(place?.city != null && { city: place.city }),
    ...(sort !== 'latest' && { sort }),
  };
}
