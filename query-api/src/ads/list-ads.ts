import { extractSearchWords, type AdCard } from '@alpenglow/domain';
import type { ReadPool } from '@alpenglow/infra';
import { cutPage } from '../cut-page.ts';
import { readAdCounts, type AdCounts } from './ad-counts.ts';
import {
  collectStatement,
  longWalkStatement,
  isIndexed,
  onlineStatement,
  indexPageStatement,
  rankedStatement,
  walkStatement,
  windowEndStatement,
  type IndexChoice,
  type AdSearch,
  type Statement,
} from './ad-statements.ts';
import { createAdCard, type CardRow } from './card-view.ts';
import { encodeCursor, ANY_PLACE, type ListQuery } from './list-query.ts';
import { ORDERS } from './orders.ts';
import { findTerms, type Term } from './search-terms.ts';

export interface AdPage {
  readonly cards: readonly AdCard[];
  readonly nextCursor: string | null;
  /** Number of all matching ads. Null if counting them takes too long. */
  readonly total: number | null;
  /** The search terms that the ads match. Empty without a search. */
  readonly terms: readonly Term[];
}

/** The maximum number of ads that are checked one by one in list order, before an index is used instead. */
const WALK_ads = 1_500;
/** Up to this number of matching ads, all matching ads are fetched and sorted. */
const COLLECT_ads = 2_500;
/** Up to this number of matching ads, all matching ads are fetched and sorted if no cheaper method has found a page. */
const COLLECT_MAX_ads = 20_000;
/**
 * Up to this number of matching ads, the default order of a search lists matches in titles and names first. For more
 * ads, finding these matches would take too long.
 */
const RANKED_ads = 10_000;
/** Number of index entries that take as much time to read as one ad. */
const ENTRIES_PER_AD = 20;
/** Minimum number of ads in a window. A window is a range of ads in list order. */
const WINDOW_MIN_ads = 4_000;
const WINDOW_MAX_ads = 40_000;
/**
 * The size of a window relative to the range of ads in which one page of matches is expected. The margin makes it
 * likely that the window contains a whole page.
 */
const MARGIN = 2;
/** Maximum number of ads that are checked for one page if no index can be used. */
const FAR_WALK_ads = 6_000;

/**
 * Reads a page of ads. The amount of work is limited for any number of ads. If an index has the requested order, the
 * page is read from this index. For search words and verified owners, the method depends on the number of matches.
 * Frequent matches are found by checking ad after ad, and rare matches with an index. Other matches are found with an
 * index within a window, which is a range of ads in list order. If no window contains a full page, the next 6,000 ads
 * are checked. The resulting page may contain fewer ads than requested, and its cursor continues after the last checked
 * ad.
 */
export async function listAds(reads: ReadPool, query: ListQuery, hiddenAdIds: readonly string[]): Promise<AdPage> {
  const [counts, terms] = await Promise.all([
    readAdCounts(reads, hiddenAdIds),
    query.q === null ? [] : findTerms(reads, query.q),
  ]);
  if (terms === null) return EMPTY_PAGE;
  const run: Run = async ({ text, values }) => (await reads.query<SortedRow>({ text, values: [...values] })).rows;
  const search: AdSearch = {
    query,
    hiddenAdIds,
    order: ORDERS[query.sort],
    terms,
    placeTerms: termsOfPlace(query, counts),
    rowLimit: query.limit + 1,
  };
  if (terms.length > 0) return { ...(await findWords(run, search, counts)), terms };
  if (query.sort !== 'bumped' && (isSmall(search, counts) || (query.online && (await areFewOnline(run)))))
    return collect(run, search, 'place');
  if (query.verified) return findVerified(run, search);
  const isCounted =
    query.minPrice === null && query.maxPrice === null && !query.photo && !query.online && !query.featured;
  return createPage(search, await run(indexPageStatement(search)), isCounted ? counts.count(query) : null);
}

const EMPTY_PAGE: AdPage = { cards: [], nextCursor: null, total: 0, terms: [] };

function termsOfPlace({ state, category }: ListQuery, counts: AdCounts): readonly Term[] {
  const terms: { readonly text: string | null; readonly ads: number }[] = [
    { text: state, ads: counts.count({ ...ANY_PLACE, state }) },
    { text: category, ads: counts.count({ ...ANY_PLACE, category }) },
  ];
  return terms
    .flatMap(({ text, ads }) =>
      text === null
        ? []
        : extractSearchWords(text, Infinity).map((word) => ({
            words: [word],
            isPrefix: false,
            adCount: ads,
            highlighted: [],
          })),
    )
    .filter(isIndexed);
}

/** Finds the ads that match the search words, with the cheapest method that yields a full page. */
async function findWords(run: Run, search: AdSearch, counts: AdCounts): Promise<AdPage> {
  const { query, terms, rowLimit } = search;
  const totalCount = counts.count(ANY_PLACE);
  const placeCount = counts.count(query);
  const rarestCount = Math.min(...terms.map(({ adCount }) => adCount));
  const maxMatches = Math.min(placeCount, rarestCount);
  if (maxMatches === 0) return EMPTY_PAGE;
  const driver = rarestCount <= placeCount ? 'words' : 'both';
  if (isRanked(query) && maxMatches <= RANKED_ads) return collectRanked(run, search, driver);
  if (maxMatches <= COLLECT_ads) return collect(run, search, driver);

  // `share` is the estimated fraction of matching ads. The estimate assumes that words occur independently of each
  // other. If the words often occur together, a window contains more matches than expected.
  const share = terms.reduce((product, { adCount }) => product * Math.min(1, adCount / totalCount), 1);
  // If the words are frequent, the next ads of the requested place contain enough matches for a page.
  if (rowLimit / share <= WALK_ads / MARGIN) {
    const rows = await run(walkStatement(search, WALK_ads));
    if (rows.length === rowLimit) return createPage(search, rows, null);
  }
  const indexed = terms.filter(isIndexed).length;
  if (placeCount <= COLLECT_MAX_ads && indexed > 0) return collect(run, search, 'both');
  if (indexed > 0) {
    const page = await findInWindows(run, search, (rowLimit / share) * (totalCount / placeCount));
    if (page) return page;
  }
  // No window contained a full page. All matches are collected if there are few matches, or if several words have an
  // index.
  if (maxMatches <= COLLECT_MAX_ads || indexed > 1) return collect(run, search, indexed > 0 ? 'words' : 'place');
  return walkFar(run, search);
}

/** Checks whether a page of a search lists title matches first. Later pages have the same order as the first page. */
function isRanked({ sort, cursor }: ListQuery): boolean {
  return sort === 'bumped' && (cursor === null || cursor.isTitleMatch !== null);
}

async function collectRanked(run: Run, search: AdSearch, driver: IndexChoice): Promise<AdPage> {
  const rows = await run(rankedStatement(search, driver));
  return createPage(search, rows, rows[0]?.found ?? (search.query.cursor ? null : 0));
}

/**
 * Searches for matches in a window, which is a range of ads in list order. If the window contains too few matches for a
 * page, a larger window is searched. The first result is used to estimate the size of the larger window. Returns null
 * if no window contains a full page.
 */
async function findInWindows(run: Run, search: AdSearch, length: number): Promise<AdPage | null> {
  const first = Math.min(WINDOW_MAX_ads, Math.max(WINDOW_MIN_ads, Math.ceil(MARGIN * length)));
  const firstRows = await collectWindow(run, search, first);
  if (!firstRows || firstRows.length === search.rowLimit) return firstRows && createPage(search, firstRows, null);
  const expectedSize = (first * search.rowLimit) / Math.max(1, firstRows.length);
  if (expectedSize > WINDOW_MAX_ads || first === WINDOW_MAX_ads) return null;
  const secondRows = await collectWindow(run, search, Math.min(WINDOW_MAX_ads, Math.ceil(MARGIN * expectedSize)));
  return secondRows?.length === search.rowLimit ? createPage(search, secondRows, null) : null;
}

/** Finds ads of verified owners. The next ads in list order are checked first, because many owners may be verified. */
async function findVerified(run: Run, search: AdSearch): Promise<AdPage> {
  const rows = await run(walkStatement(search, WALK_ads));
  if (rows.length === search.rowLimit) return createPage(search, rows, null);
  return rows.length === 0 ? collect(run, search, 'place') : walkFar(run, search);
}

/**
 * Checks whether collecting all ads of the requested place is cheaper than checking all ads in list order. The ads of a
 * city are cheap to collect, because the index on cities contains all required columns.
 */
function isSmall({ query, rowLimit }: AdSearch, counts: AdCounts): boolean {
  const found = counts.count(query);
  const isCity = query.state !== null && query.citySlug !== null;
  const checked = isCity ? counts.count({ ...query, category: null }) / ENTRIES_PER_AD : found;
  return checked * found < rowLimit * counts.count(ANY_PLACE);
}

/** Checks whether so few owners are online that it is cheaper to collect all of their ads. */
async function areFewOnline(run: Run): Promise<boolean> {
  const [online] = await run(onlineStatement(COLLECT_MAX_ads));
  return (online?.found ?? 0) < COLLECT_MAX_ads;
}

async function collect(run: Run, search: AdSearch, driver: IndexChoice): Promise<AdPage> {
  const rows = await run(collectStatement(search, driver, null));
  return createPage(search, rows, rows[0]?.found ?? (search.query.cursor ? null : 0));
}

/** Collects the matches among the next `size` ads in list order. Returns null if fewer ads follow. */
async function collectWindow(run: Run, search: AdSearch, size: number): Promise<readonly SortedRow[] | null> {
  const [end] = await run(windowEndStatement(search, size));
  return end ? run(collectStatement(search, 'words', toText(end.sorted_by))) : null;
}

async function walkFar(run: Run, search: AdSearch): Promise<AdPage> {
  const rows = await run(longWalkStatement(search, FAR_WALK_ads));
  const matches = rows.filter(({ is_end: isEnd }) => isEnd !== true);
  const end = rows.find(({ is_end: isEnd }) => isEnd);
  const page = createPage(search, matches, null);
  return matches.length < search.rowLimit && end ? { ...page, nextCursor: createCursor(search, end) } : page;
}

interface SortedRow extends CardRow {
  readonly sorted_by: Date | number;
  /** The number of all matching ads. Only the rows of `collectStatement` contain this number. */
  readonly found?: number;
  /** True if the title or the name matches. Only the rows of `rankedStatement` contain it. */
  readonly in_title?: boolean;
  /** True for the last ad that `longWalkStatement` has checked. */
  readonly is_end?: boolean;
}

type Run = (statement: Statement) => Promise<readonly SortedRow[]>;

function createPage(search: AdSearch, rows: readonly SortedRow[], total: number | null): AdPage {
  const page = cutPage(rows, search.query.limit, (last) => createCursor(search, last));
  return { cards: page.rows.map((row) => createAdCard(row)), nextCursor: page.nextCursor, total, terms: [] };
}

function createCursor({ query }: AdSearch, row: SortedRow): string {
  return encodeCursor(query.sort, {
    value: toText(row.sorted_by),
    adId: row.ad_id,
    isTitleMatch: row.in_title ?? null,
  });
}

function toText(value: Date | number): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
