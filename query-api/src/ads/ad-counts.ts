import { STATES, CATEGORIES, slugify, type ResponseOf, type Category } from '@alpenglow/domain';
import { AD_CARDS, AD_TALLIES, type ReadPool } from '@alpenglow/infra';
import type { PlaceQuery } from './list-query.ts';

/** The number of ads in a city and a category. */
interface PlaceCount {
  readonly state: string;
  readonly slug: string;
  readonly category: string;
  readonly count: number;
}

/** The exact numbers of listed ads by place and category. */
export type AdCounts = Awaited<ReturnType<typeof readAdCounts>>;

/**
 * The SQL query for the numbers of ads, as a single value, because the driver needs much longer for hundreds of rows.
 * `rm.ad_tallies` includes ads that the configuration hides, so these ads are subtracted.
 */
const COUNTS = `select coalesce(json_object_agg(key, count), '{}') as counts
  from (select key, sum(count)::int as count
    from (select key, count from ${AD_TALLIES.table}
      union all select concat_ws('|', state, city_slug, category), -1 from ${AD_CARDS.table}
      where ad_id = any($1) and not is_hidden) counted
    group by key) summed`;

/** Reads the numbers of listed ads by place and category. */
export async function readAdCounts(reads: ReadPool, hiddenAdIds: readonly string[]) {
  const { rows } = await reads.query<{ readonly counts: Readonly<Record<string, number>> }>({
    name: 'ad-counts',
    text: COUNTS,
    values: [hiddenAdIds],
  });
  const counts = Object.entries(rows[0]?.counts ?? {}).map(([key, count]): PlaceCount => {
    const [state = '', slug = '', category = ''] = key.split('|');
    return { state, slug, category, count };
  });
  const filterCounts = ({ state, citySlug, category }: PlaceQuery) =>
    counts.filter(
      (entry) =>
        (state === null || entry.state === state) &&
        (citySlug === null || entry.slug === citySlug) &&
        (category === null || entry.category === category),
    );
  return {
    /** Returns the number of ads that match a place and a category. */
    count: (place: PlaceQuery): number => sum(filterCounts(place)),
    /**
     * Returns the numbers of ads by state, by city and by category. The numbers ignore the filter for their own
     * property. For example, the numbers by category ignore the category filter, so that users can compare the
     * categories.
     */
    createFacets: (place: PlaceQuery): Omit<ResponseOf<'countAds'>['data'], 'matching'> => ({
      total: sum(filterCounts(place)),
      states: groupCounts(filterCounts({ ...place, state: null, citySlug: null }), ({ state }) => state)
        .map(([state, count]) => ({ state, count }))
        .sort(compareCounts),
      cities: groupCounts(filterCounts({ ...place, citySlug: null }), ({ state, slug }) => `${state}|${slug}`)
        .map(([key, count]) => {
          const [state = '', slug = ''] = key.split('|');
          return { state, city: cityName(state, slug), slug, count };
        })
        .sort(compareCounts),
      categories: groupCounts(filterCounts({ ...place, category: null }), ({ category }) => category)
        .filter((entry): entry is [Category, number] => CATEGORIES.some((category) => category === entry[0]))
        .map(([category, count]) => ({ category, count }))
        .sort(compareCounts),
    }),
  };
}

function sum(counts: readonly PlaceCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

function groupCounts(counts: readonly PlaceCount[], createKey: (entry: PlaceCount) => string): [string, number][] {
  const groups = new Map<string, number>();
  for (const entry of counts) groups.set(createKey(entry), (groups.get(createKey(entry)) ?? 0) + entry.count);
  return [...groups];
}

function compareCounts(entry: { readonly count: number }, other: { readonly count: number }): number {
  return other.count - entry.count;
}

function cityName(state: string, slug: string): string {
  return STATES.find(({ code }) => code === state)?.cities.find((city) => slugify(city) === slug) ?? slug;
}
