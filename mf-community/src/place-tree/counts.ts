import { slugify, type ResponseOf } from '@alpenglow/domain/contracts';
import type { Place } from '../places.ts';

/** Number of threads in each place. The keys are results of `getPlaceKey`. */
export type PlaceCounts = ReadonlyMap<string, number>;

/** Returns the key of a place: `us`, `us/NV` or `us/NV/las-vegas`. */
export const getPlaceKey = ({ country, state, city }: Place): string =>
  [country.code, ...(state ? [state.code] : []), ...(city === null ? [] : [slugify(city)])].join('/');

export function toPlaceCounts({ data }: ResponseOf<'listCommunityLocations'>): PlaceCounts {
  return new Map(
    data.flatMap((country) => [
      [country.code, country.count] as const,
      ...country.states.flatMap((state) => [
        [`${country.code}/${state.code}`, state.count] as const,
        ...state.cities.map((city) => [`${country.code}/${state.code}/${city.slug}`, city.count] as const),
      ]),
    ]),
  );
}
