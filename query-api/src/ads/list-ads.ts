import type { AdCard } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { readAdCounts, type AdCounts } from './ad-counts.ts';
import { collectStatement, farWalkStatement, FREQUENT_ads, readOffStatement, walkStatement, windowEndStatement, type Driver, type Search, type Statement } from './ad-statements.ts';
import { cardOf, type CardRow } from './card-view.ts';
import { encodeCursor, type ListQuery } from './list-query.ts';
import { ORDERS } from './orders.ts';
import { termsOf } from './search-terms.ts';

export interface AdPage {
  readonly cards: readonly AdCard[];
  readonly nextCursor: string | null;
  /** Null where counting would take too long. */
  readonly total: number | null;
}

/** So many ads are looked at one after the other, in the list's order, before an index is asked instead. */
const WALK_ads = 1_500;
/** So many found ads are fetched to be put into order without a second thought. */
const COLLECT_ads = 2_500;
/** A window of the order holds at most so many ads. */
const WINDOW_MAX_ads = 60_000;
/** A window, or a walk, is so many times as long as it should have to be. */
const MARGIN = 2;
/** So many ads one page may have looked at where no index helps. */
const FAR_WALK_ads = 15_000;

/**
 * A page of ads. However many ads there are, the work is bounded. A list in an order that has an index is read off it. What no order
 * helps with (words, verified owners) is looked for ad by ad where it is frequent, by its index where it is rare, and in between by its
 * index within a window of the order. What is frequent in each part but not as a whole is looked for among the next 15,000 ads: such a
 * page may hold fewer ads than asked for, and its cursor leads on from where it stopped.
 */
export async function listAds(pool: Pool, query: ListQuery): Promise<AdPage> {
  const [counts, terms] = await Promise.all([readAdCounts(pool), query.q === null ? [] : termsOf(pool, query.q)]);
  if (terms === null) return { cards: [], nextCursor: null, total: 0 };
  const search = { query, order: ORDERS[query.sort], terms, needed: query.limit + 1 };
  if (terms.length > 0 || query.verified) return find(createRunner(pool), search, counts);
  const rows = await createRunner(pool).rows(readOffStatement(search));
  const isCounted = query.minPrice === null && query.maxPrice === null && !query.photo && !query.online && !query.featured;
  return pageOf(search, rows, isCounted ? counts.of(query) : null);
}

/** Finds what only single ads can tell, by the cheapest way that yields a page. */
async function find(run: Runner, search: Search, counts: AdCounts): Promise<AdPage> {
  const { query, terms, needed } = search;
  const sizes = sizesOf(search, counts);
  if (sizes.atMost <= COLLECT_ads) return collect(run, search, sizes.rarestTerm <= sizes.inPlace ? 'words' : 'place');
  let { likely } = sizes;
  if (needed * (sizes.walked / sizes.atMost) <= WALK_ads / MARGIN) {
    const rows = await run.rows(walkStatement(search, WALK_ads));
    if (rows.length === needed) return pageOf(search, rows, null);
    likely = Math.max(1, (rows.length / WALK_ads) * sizes.walked);
  }
  const window = Math.ceil((MARGIN * needed * sizes.all) / likely);
  if (window <= WINDOW_MAX_ads) {
    const rows = await collectWindow(run, search, window);
    if (rows?.length === needed) return pageOf(search, rows, null);
  }
  const isSearchable = terms.length === 0 || sizes.rarestTerm <= FREQUENT_ads || sizes.inPlace <= FREQUENT_ads;
  return isSearchable ? collect(run, search, query.verified && terms.length === 0 ? 'place' : 'both') : walkFar(run, search);
}

interface Sizes {
  readonly all: number;
  /** Of the place and category asked for. */
  readonly inPlace: number;
  /** Of what a walk goes along: the city, the state's ads of the category, or all. */
  readonly walked: number;
  readonly rarestTerm: number;
  /** Of the ads that are looked for, if the terms go together. */
  readonly atMost: number;
  /** The same if the terms have nothing to do with each other. */
  readonly likely: number;
}

function sizesOf({ query, terms }: Search, counts: AdCounts): Sizes {
  const { state, citySlug, category } = query;
  const all = Math.max(1, counts.of({ state: null, citySlug: null, category: null }));
  const inPlace = counts.of(query);
  const isWalkedInPlace = state !== null && (citySlug !== null || category !== null);
  const rarestTerm = Math.min(all, ...terms.map(({ ads }) => ads));
  const share = terms.reduce((product, { ads }) => product * Math.min(1, ads / all), 1);
  return {
    all,
    inPlace,
    walked: isWalkedInPlace ? Math.max(1, counts.of({ state, citySlug, category: citySlug === null ? category : null })) : all,
    rarestTerm,
    atMost: Math.min(inPlace, rarestTerm),
    likely: Math.max(1, inPlace * share),
  };
}

async function collect(run: Runner, search: Search, driver: Driver): Promise<AdPage> {
  const rows = await run.rows(collectStatement(search, driver, null));
  return pageOf(search, rows, rows[0]?.found ?? (search.query.cursor ? null : 0));
}

/** What there is of the search among the next ads in its order; null when there are not so many ads. */
async function collectWindow(run: Runner, search: Search, size: number): Promise<readonly SortedRow[] | null> {
  const [end] = await run.rows(windowEndStatement(search, size));
  return end ? run.rows(collectStatement(search, 'words', textOf(end.sorted_by))) : null;
}

async function walkFar(run: Runner, search: Search): Promise<AdPage> {
  const rows = await run.rows(farWalkStatement(search, FAR_WALK_ads));
  const fitting = rows.filter(({ fits }) => fits);
  const page = pageOf(search, fitting, null);
  const last = rows.at(-1);
  return fitting.length === search.needed || !last || last.fits ? page : { ...page, nextCursor: cursorAt(search, last) };
}

interface SortedRow extends CardRow {
  readonly sorted_by: Date | number;
  /** How many there are, of rows that were collected. */
  readonly found?: number;
  /** Of rows that were walked along: the last one may be none of those looked for. */
  readonly fits?: boolean;
}

interface Runner {
  rows(statement: Statement): Promise<readonly SortedRow[]>;
}

function createRunner(pool: Pool): Runner {
  return { rows: async ({ text, values }) => (await pool.query<SortedRow>({ text, values: [...values] })).rows };
}

function pageOf(search: Search, rows: readonly SortedRow[], total: number | null): AdPage {
  const shown = rows.slice(0, search.query.limit);
  const last = shown.at(-1);
  return { cards: shown.map((row) => cardOf(row)), nextCursor: rows.length > shown.length && last ? cursorAt(search, last) : null, total };
}

function cursorAt({ query }: Search, row: SortedRow): string {
  return encodeCursor(query.sort, { value: textOf(row.sorted_by), adId: row.ad_id });
}

function textOf(value: Date | number): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
