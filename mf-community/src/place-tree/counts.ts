import type { CommunityLocationsAnswer } from '@alpenglow/domain/contracts';

/** Numbers of threads by `us`, `us/NV` and `us/NV/las-vegas`. */
export type PlaceCounts = ReadonlyMap<string, number>;

export function countsOf({ data }: CommunityLocationsAnswer): PlaceCounts {
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
