import { STATES, CATEGORIES, slugOf, type AdCountsAnswer, type Category } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import type { PlaceQuery } from './list-query.ts';

/** How many ads a place has in a category. */
interface PlaceCount {
  readonly state: string;
  readonly slug: string;
  readonly category: string;
  readonly count: number;
}

/** How many ads are listed, exactly: a row for each place and category that has any. */
export interface AdCounts {
  of(place: PlaceQuery): number;
  /** The same by state, city and category. Each of the three counts what there would be if another one of its kind were chosen. */
  facets(place: PlaceQuery): AdCountsAnswer['data'];
}

/** The tallies know of all ads that no case holds: those that are never listed are taken off. */
const COUNTS = `select key, count from rm.ad_tallies
  union all select concat_ws('|', state, city_slug, category), -1 from rm.ad_cards where ad_id = any($1) and not is_hidden`;

export async function readAdCounts(pool: Pool, hiddenAdIds: readonly string[]): Promise<AdCounts> {
  const { rows } = await pool.query<{ key: string; count: number }>({
    name: 'ad-counts',
    text: COUNTS,
    values: [hiddenAdIds],
  });
  const counts = rows.map(({ key, count }): PlaceCount => {
    const [state = '', slug = '', category = ''] = key.split('|');
    return { state, slug, category, count };
  });
  const where = ({ state, citySlug, category }: PlaceQuery) =>
    counts.filter(
      (one) =>
        (state === null || one.state === state) &&
        (citySlug === null || one.slug === citySlug) &&
        (category === null || one.category === category),
    );
  return {
    of: (place) => sum(where(place)),
    facets: (place) => ({
      total: sum(where(place)),
      states: grouped(where({ ...place, state: null, citySlug: null }), ({ state }) => state)
        .map(([state, count]) => ({ state, count }))
        .sort(mostFirst),
      cities: grouped(where({ ...place, citySlug: null }), ({ state, slug }) => `${state}|${slug}`)
        .map(([key, count]) => {
          const [state = '', slug = ''] = key.split('|');
          return { state, city: cityName(state, slug), slug, count };
        })
        .sort(mostFirst),
      categories: grouped(where({ ...place, category: null }), ({ category }) => category)
        .filter((entry): entry is [Category, number] => CATEGORIES.some((category) => category === entry[0]))
        .map(([category, count]) => ({ category, count }))
        .sort(mostFirst),
    }),
  };
}

function sum(counts: readonly PlaceCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}

function grouped(counts: readonly PlaceCount[], keyOf: (one: PlaceCount) => string): [string, number][] {
  const groups = new Map<string, number>();
  for (const one of counts) groups.set(keyOf(one), (groups.get(keyOf(one)) ?? 0) + one.count);
  return [...groups];
}

function mostFirst(one: { readonly count: number }, other: { readonly count: number }): number {
  return other.count - one.count;
}

function cityName(state: string, slug: string): string {
  return STATES.find(({ code }) => code === state)?.cities.find((city) => slugOf(city) === slug) ?? slug;
}
