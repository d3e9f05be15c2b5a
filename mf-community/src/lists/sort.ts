import { THREAD_SORTS, type ThreadFilter, type ThreadSort } from '../api/calls.ts';
import type { Place } from '../places.ts';

/** The order an address asks for. */
export function sortOf(search: URLSearchParams): ThreadSort {
  const asked = search.get('sort');
  return THREAD_SORTS.find((sort) => sort === asked) ?? 'latest';
}

/** The threads of a place, or of everywhere, in an order, as the API is asked for them. */
export function filterOf(place: Place | null, sort: ThreadSort): ThreadFilter {
  return {
    ...(place && { country: place.country.code }),
    ...(place?.state && { state: place.state.code }),
    ...(place?.city != null && { city: place.city }),
    ...(sort !== 'latest' && { sort }),
  };
}
