import { searchWordsOf, type AdCard } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { readAdCounts, type AdCounts } from './ad-counts.ts';
import {
  collectStatement,
  farWalkStatement,
  isIndexed,
  onlineStatement,
  readOffStatement,
  walkStatement,
  windowEndStatement,
  type Driver,
  type Search,
  type Statement,
} from './ad-statements.ts';
import { cardOf, type CardRow } from './card-view.ts';
import { encodeCursor, EVERYWHERE, type ListQuery } from './list-query.ts';
import { ORDERS } from './orders.ts';
import { termsOf, type Term } from './search-terms.ts';

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
/** So many, where nothing cheaper has yielded a page. */
const COLLECT_MAX_ads = 20_000;
/** So many entries of an index are looked at in the time one ad is fetched in. */
const ENTRIES_PER_AD = 20;
/** A window of the order holds so many ads. */
const WINDOW_MIN_ads = 4_000;
const WINDOW_MAX_ads = 40_000;
/** What is expected to yield a page is made so many times as long as it should have to be. */
const MARGIN = 2;
/** So many ads one page may have looked at where no index helps. */
const FAR_WALK_ads = 6_000;

/**
 * A page of ads. However many ads there are, the work is bounded. A list in an order that has an index is read off it. What no order
 * helps with (words, verified owners) is looked for ad by ad where it is frequent, by its index where it is rare, and in between by its
 * index within a window of the order. What no index and no window yields a page of is looked for among the next 6,000 ads: such a
 * page may hold fewer ads than asked for, and its cursor leads on from where it stopped.
 */
export async function listAds(pool: Pool, query: ListQuery, hiddenAdIds: readonly string[]): Promise<AdPage> {
  const [counts, terms] = await Promise.all([
    readAdCounts(pool, hiddenAdIds),
    query.q === null ? [] : termsOf(pool, query.q),
  ]);
  if (terms === null) return NOTHING;
  const run: Run = async ({ text, values }) => (await pool.query<SortedRow>({ text, values: [...values] })).rows;
  const search: Search = {
    query,
    hiddenAdIds,
    order: ORDERS[query.sort],
    terms,
    termsOfPlace: termsOfPlace(query, counts),
    needed: query.limit + 1,
  };
  if (terms.length > 0) return findWords(run, search, counts);
  if (query.sort !== 'bumped' && (isSmall(search, counts) || (query.online && (await areFewOnline(run)))))
    return collect(run, search, 'place');
  if (query.verified) return findVerified(run, search);
  const isCounted =
    query.minPrice === null && query.maxPrice === null && !query.photo && !query.online && !query.featured;
  return pageOf(search, await run(readOffStatement(search)), isCounted ? counts.of(query) : null);
}

const NOTHING: AdPage = { cards: [], nextCursor: null, total: 0 };

function termsOfPlace({ state, category }: ListQuery, counts: AdCounts): readonly Term[] {
  const terms: { readonly text: string | null; readonly ads: number }[] = [
    { text: state, ads: counts.of({ ...EVERYWHERE, state }) },
    { text: category, ads: counts.of({ ...EVERYWHERE, category }) },
  ];
  return terms
    .flatMap(({ text, ads }) =>
      text === null ? [] : searchWordsOf(text, Infinity).map((word) => ({ words: [word], isBeginning: false, ads })),
    )
    .filter(isIndexed);
}

/** Finds ads with words, by the cheapest way that yields a page. */
async function findWords(run: Run, search: Search, counts: AdCounts): Promise<AdPage> {
  const { query, terms, needed } = search;
  const all = counts.of(EVERYWHERE);
  const inPlace = counts.of(query);
  const rarest = Math.min(...terms.map(({ ads }) => ads));
  const atMost = Math.min(inPlace, rarest);
  if (atMost === 0) return NOTHING;
  if (atMost <= COLLECT_ads) return collect(run, search, rarest <= inPlace ? 'words' : 'both');

  // As if words met by chance. Where they do more often, a window merely holds more than a page.
  const share = terms.reduce((product, { ads }) => product * Math.min(1, ads / all), 1);
  // Of frequent words, the next ads of the place hold a page.
  if (needed / share <= WALK_ads / MARGIN) {
    const rows = await run(walkStatement(search, WALK_ads));
    if (rows.length === needed) return pageOf(search, rows, null);
  }
  const indexed = terms.filter(isIndexed).length;
  if (inPlace <= COLLECT_MAX_ads && indexed > 0) return collect(run, search, 'both');
  if (indexed > 0) {
    const page = await findInWindows(run, search, (needed / share) * (all / inPlace));
    if (page) return page;
  }
  // What the longest window did not hold a page of, there is not much of.
  if (atMost <= COLLECT_MAX_ads || indexed > 1) return collect(run, search, indexed > 0 ? 'words' : 'place');
  return walkFar(run, search);
}

/** Looks in a window a little longer than one that should hold a page and, going by what that held, in a larger one. Null without a page. */
async function findInWindows(run: Run, search: Search, length: number): Promise<AdPage | null> {
  const first = Math.min(WINDOW_MAX_ads, Math.max(WINDOW_MIN_ads, Math.ceil(MARGIN * length)));
  const few = await collectWindow(run, search, first);
  if (!few || few.length === search.needed) return few && pageOf(search, few, null);
  const wanted = (first * search.needed) / Math.max(1, few.length);
  if (wanted > WINDOW_MAX_ads || first === WINDOW_MAX_ads) return null;
  const more = await collectWindow(run, search, Math.min(WINDOW_MAX_ads, Math.ceil(MARGIN * wanted)));
  return more?.length === search.needed ? pageOf(search, more, null) : null;
}

/** Among many verified owners the next ads hold enough; of a few, each one's ad is looked up. */
async function findVerified(run: Run, search: Search): Promise<AdPage> {
  const rows = await run(walkStatement(search, WALK_ads));
  if (rows.length === search.needed) return pageOf(search, rows, null);
  return rows.length === 0 ? collect(run, search, 'place') : walkFar(run, search);
}

/** Whether a place's ads are sooner picked out than met along an order of all ads. Those of a city are picked out of its index, without a look at the ads. */
function isSmall({ query, needed }: Search, counts: AdCounts): boolean {
  const found = counts.of(query);
  const isCity = query.state !== null && query.citySlug !== null;
  const lookedAt = isCity ? counts.of({ ...query, category: null }) / ENTRIES_PER_AD : found;
  return lookedAt * found < needed * counts.of(EVERYWHERE);
}

/** Whether those online are rather picked out than looked for along an order that is none of theirs. */
async function areFewOnline(run: Run): Promise<boolean> {
  const [online] = await run(onlineStatement(COLLECT_MAX_ads));
  return (online?.found ?? 0) < COLLECT_MAX_ads;
}

async function collect(run: Run, search: Search, driver: Driver): Promise<AdPage> {
  const rows = await run(collectStatement(search, driver, null));
  return pageOf(search, rows, rows[0]?.found ?? (search.query.cursor ? null : 0));
}

/** What there is of the search among the next ads in its order; null when there are not so many ads. */
async function collectWindow(run: Run, search: Search, size: number): Promise<readonly SortedRow[] | null> {
  const [end] = await run(windowEndStatement(search, size));
  return end ? run(collectStatement(search, 'words', textOf(end.sorted_by))) : null;
}

async function walkFar(run: Run, search: Search): Promise<AdPage> {
  const rows = await run(farWalkStatement(search, FAR_WALK_ads));
  const fitting = rows.filter(({ is_end: isEnd }) => isEnd !== true);
  const end = rows.find(({ is_end: isEnd }) => isEnd);
  const page = pageOf(search, fitting, null);
  return fitting.length < search.needed && end ? { ...page, nextCursor: cursorAt(search, end) } : page;
}

interface SortedRow extends CardRow {
  readonly sorted_by: Date | number;
  /** How many there are, of rows that were collected. */
  readonly found?: number;
  /** Set on the one row that says where a long walk ended. */
  readonly is_end?: boolean;
}

type Run = (statement: Statement) => Promise<readonly SortedRow[]>;

function pageOf(search: Search, rows: readonly SortedRow[], total: number | null): AdPage {
  const shown = rows.slice(0, search.query.limit);
  const last = shown.at(-1);
  return {
    cards: shown.map((row) => cardOf(row)),
    nextCursor: rows.length > shown.length && last ? cursorAt(search, last) : null,
    total,
  };
}

function cursorAt({ query }: Search, row: SortedRow): string {
  return encodeCursor(query.sort, { value: textOf(row.sorted_by), adId: row.ad_id });
}

function textOf(value: Date | number): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
