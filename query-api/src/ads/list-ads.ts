import { extractSearchWords, type AdCard } from '@alpenglow/domain';
import type { ReadPool } from '@alpenglow/infra';
import { cutPage } from '../cut-page.ts';
import { readAdCounts, type AdCounts } from './ad-counts.ts';
import {
  canWalkTable,
  collectStatement,
  longWalkStatement,
  onlineStatement,
  indexPageStatement,
  scoredStatement,
  walkStatement,
  windowEndStatement,
  type IndexChoice,
  type AdSearch,
  type Scoring,
  type Statement,
} from './ad-statements.ts';
import { createCursorError } from '../query-fields.ts';
import { createAdCard, type CardRow } from './card-view.ts';
import { ANY_PLACE, encodeCursor, type ListQuery } from './list-query.ts';
import { ORDERS, type Rank, type ResultPart } from './orders.ts';
import { computeWeights } from './relevance.ts';
import { createResultWords, type AdNumbers, type ResultWords } from './result-words.ts';
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
const WALK_ads = 2_000;
/** The same if an index has exactly the ads of the place in this order, because checking an ad is then much faster. */
const WALK_TABLE_ads = 3_000;
/** Up to this number of matching ads, all of them are fetched and sorted at once. */
const COLLECT_ads = 2_500;
/** The same limit after the next ads in list order were checked and did not contain a full page. */
const COLLECT_MAX_ads = 20_000;
/** Up to this number of matching ads, a search lists all of them by their score. */
const SCORED_ads = 2_000;
/**
 * The maximum number of ads that the next pages of a list by score can have. It is larger than `SCORED_ads`, because
 * ads may be posted while a visitor reads the pages.
 */
const SCORED_LATER_ads = 2 * SCORED_ads;
/** Matching ads are scored only if the index reads at most this number of entries to find them. */
const SCORED_ENTRIES = 30_000;
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
 * Reads a page of ads. Without search words, the page is read from an index in the requested order, or all matches are
 * collected and sorted if there are few. The flag `verified` is checked ad by ad. A search by relevance lists all
 * matches by score if there are at most 2,000. Otherwise it lists matches in titles and names first (decision 0081).
 * `findInOrder` chooses the method for lists of matches in another order. If no method finds a full page, the next
 * 6,000 ads are checked. The page may then have fewer ads than requested, and its cursor continues after the last
 * checked ad. Throws INVALID_FIELDS if the cursor belongs to another search.
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
    words: null,
    placeWords: placeWordsOf(query),
    rowLimit: query.limit + 1,
  };
  if (terms.length > 0) return { ...(await findMatches(run, search, terms, counts)), terms };
  if (query.sort !== 'bumped' && (isSmall(search, counts) || (query.online && (await areFewOnline(run)))))
    return createPage(search, await collect(run, search, 'place'));
  if (query.verified) return createPage(search, await findVerified(run, search));
  const isCounted =
    query.minPrice === null && query.maxPrice === null && !query.photo && !query.online && !query.featured;
  const rows = await run(indexPageStatement(search));
  return createPage(search, { rows, total: isCounted ? counts.count(query) : null });
}

const EMPTY_PAGE: AdPage = { cards: [], nextCursor: null, total: 0, terms: [] };

/** The ads of a page, or of the end of a page, in list order. */
interface FoundAds {
  readonly rows: readonly SortedRow[];
  /** The number of all matching ads. Null if it is not known. */
  readonly total: number | null;
  /** The last checked ad, if more ads may follow although `rows` has fewer ads than a page. */
  readonly end?: SortedRow | undefined;
}

function placeWordsOf({ state, category }: ListQuery): readonly string[] {
  return [state, category].flatMap((text) => (text === null ? [] : extractSearchWords(text, Infinity)));
}

/** Finds the ads that match the search terms, in the requested order. */
async function findMatches(run: Run, search: AdSearch, terms: readonly Term[], counts: AdCounts): Promise<AdPage> {
  const { query } = search;
  const numbers = { total: counts.count(ANY_PLACE), inPlace: counts.count(query) };
  const wordsOf = (part: ResultPart) => createResultWords(terms, part, numbers);
  const all = wordsOf('all');
  if (all.maxAds === 0) return EMPTY_PAGE;
  if (!isByRelevance(query)) return createPage(search, await findInOrder(run, search, all, numbers));
  const rank = query.cursor?.rank ?? null;
  if (rank?.kind === 'scored' && rank.weights.length !== terms.length) throw createCursorError();
  const weights = rank?.kind === 'scored' ? rank.weights : computeWeights(terms, numbers.total);
  const scoring: Scoring = { terms, weights, limit: rank === null ? SCORED_ads : SCORED_LATER_ads };

  const isForAll = canBeScored(all, numbers);
  if (rank === null ? isForAll : rank.part === 'all') {
    const found = await findScored(run, search, all, scoring, numbers);
    if (found) return createPage(search, found);
  }
  // If more ads match than expected, the words often occur together. Then only the upper limits are valid estimates.
  const wordsOfPart = (part: ResultPart) => (isForAll ? assumeMany(wordsOf(part), numbers) : wordsOf(part));
  const titles =
    rank?.part === 'rest' ? NO_ADS : await findTitles(run, search, wordsOfPart('titles'), scoring, numbers);
  // The number of matches in titles is not the number of all matches.
  if (titles.rows.length === search.rowLimit || titles.end) return createPage(search, { ...titles, total: null });
  // All title matches are listed, so the page continues with the other matches.
  const restSearch: AdSearch = {
    ...search,
    query: rank?.part === 'rest' ? query : { ...query, cursor: null },
    rowLimit: search.rowLimit - titles.rows.length,
  };
  const rest = await findRecent(run, restSearch, wordsOfPart('rest'), numbers);
  return createPage(search, { rows: [...titles.rows, ...rest.rows], total: null, end: rest.end });
}

const NO_ADS: FoundAds = { rows: [], total: 0 };

/** Checks whether a search is sorted by relevance. Later pages have the same order as the first page. */
function isByRelevance({ sort, cursor }: ListQuery): boolean {
  return sort === 'bumped' && (cursor === null || cursor.rank !== null);
}

/** Finds the next matches in titles and names, by score if there are few and otherwise by the last bump. */
async function findTitles(
  run: Run,
  search: AdSearch,
  words: ResultWords,
  scoring: Scoring,
  numbers: AdNumbers,
): Promise<FoundAds> {
  if (words.maxAds === 0) return NO_ADS;
  const rank = search.query.cursor?.rank ?? null;
  const isScored = rank === null ? canBeScored(words, numbers) : rank.kind === 'scored';
  const scored = isScored ? await findScored(run, search, words, scoring, numbers) : null;
  return scored ?? findRecent(run, search, words, numbers);
}

/** Checks whether it is certain or likely that few enough ads match to score all of them. */
function canBeScored({ maxAds, share, indexedAds, isFullyIndexed }: ResultWords, { inPlace }: AdNumbers): boolean {
  if (maxAds <= SCORED_ads) return true;
  return isFullyIndexed && share * inPlace <= SCORED_ads / MARGIN && indexedAds <= SCORED_ENTRIES;
}

/** Returns the words with the highest possible share of matching ads as the expected share. */
function assumeMany(words: ResultWords, { inPlace }: AdNumbers): ResultWords {
  return { ...words, share: words.maxAds / inPlace };
}

/** Finds the next ads by score. Returns null if too many ads match. */
async function findScored(
  run: Run,
  search: AdSearch,
  words: ResultWords,
  scoring: Scoring,
  numbers: AdNumbers,
): Promise<FoundAds | null> {
  const isFirstPage = search.query.cursor === null;
  const rows = await run(scoredStatement({ ...search, words }, chooseIndex(words, numbers, search.query), scoring));
  const total = rows[0]?.found ?? 0;
  if (isFirstPage && total > SCORED_ads) return null;
  const part = words.part === 'all' ? 'all' : 'titles';
  const { weights } = scoring;
  const ads = rows.filter(({ score }) => score !== null);
  return {
    rows: ads.map((row) => ({ ...row, rank: { kind: 'scored', part, score: row.score ?? 0, weights } })),
    total,
  };
}

/** Finds the next ads of a part of a search by relevance, the last bump first. */
async function findRecent(run: Run, search: AdSearch, words: ResultWords, numbers: AdNumbers): Promise<FoundAds> {
  const { rows, end } = await findInOrder(run, search, words, numbers);
  const rank: Rank = { kind: 'recent', part: words.part === 'titles' ? 'titles' : 'rest' };
  return { rows: rows.map((row) => ({ ...row, rank })), total: null, end: end && { ...end, rank } };
}

/** Finds the next matches in list order, with the cheapest method that yields a full page. */
async function findInOrder(run: Run, searchOfAll: AdSearch, words: ResultWords, numbers: AdNumbers): Promise<FoundAds> {
  const search = { ...searchOfAll, words };
  const { rowLimit } = search;
  const { maxAds, indexed } = words;
  const { total, inPlace } = numbers;
  if (maxAds === 0) return NO_ADS;
  if (maxAds <= COLLECT_ads && (indexed !== null || inPlace <= COLLECT_ads))
    return collect(run, search, chooseIndex(words, numbers, search.query));

  // If the words may be frequent, the next ads of the place contain enough matches for a page. `share` assumes that
  // words occur independently of each other, so it is then replaced by the measured share.
  let share = words.share;
  const canWalk = canWalkTable(search);
  const maxLength = canWalk ? WALK_TABLE_ads : WALK_ads;
  const possibleShare = canWalk ? maxAds / inPlace : share;
  if (rowLimit / possibleShare <= maxLength / MARGIN) {
    const length = canWalk ? maxLength : Math.min(maxLength, Math.ceil((2 * MARGIN * rowLimit) / share));
    const rows = await run(walkStatement(search, length));
    if (rows.length === rowLimit) return { rows, total: null };
    share = Math.max(1, rows.length) / length;
  }
  if (indexed === null) return walkFar(run, search);
  const index = chooseIndex(words, numbers, search.query);
  if (words.isFullyIndexed && share * inPlace <= COLLECT_ads) {
    const found = await collectUpTo(run, search, index, COLLECT_ads);
    if (found) return found;
  }
  if (inPlace <= COLLECT_MAX_ads) return collect(run, search, index);
  const inWindow = await findInWindows(run, search, (rowLimit / share) * (total / inPlace));
  if (inWindow) return { rows: inWindow, total: null };
  // No window contained a full page. All matches are collected if there are few.
  if (maxAds <= COLLECT_MAX_ads) return collect(run, search, 'words');
  const found = words.isFullyIndexed ? await collectUpTo(run, search, index, COLLECT_ads) : null;
  if (found) return found;
  return walkFar(run, search);
}

/**
 * Chooses the index that finds the matches. If a city has fewer ads than the words, the index of places is also used.
 * Every ad has its state and category as words, so these need no other index.
 */
function chooseIndex(
  { indexed, indexedAds }: ResultWords,
  { inPlace }: AdNumbers,
  { citySlug }: ListQuery,
): IndexChoice {
  if (indexed === null) return 'place';
  return citySlug === null || indexedAds <= inPlace ? 'words' : 'both';
}

/**
 * Searches for matches in a window, which is a range of ads in list order. If the window contains too few matches for a
 * page, a larger window is searched. The first result is used to estimate the size of the larger window. Returns null
 * if no window contains a full page.
 */
async function findInWindows(run: Run, search: AdSearch, length: number): Promise<readonly SortedRow[] | null> {
  const first = Math.min(WINDOW_MAX_ads, Math.max(WINDOW_MIN_ads, Math.ceil(MARGIN * length)));
  const firstRows = await collectWindow(run, search, first);
  if (!firstRows || firstRows.length === search.rowLimit) return firstRows;
  const expectedSize = (first * search.rowLimit) / Math.max(1, firstRows.length);
  if (expectedSize > WINDOW_MAX_ads || first === WINDOW_MAX_ads) return null;
  const secondRows = await collectWindow(run, search, Math.min(WINDOW_MAX_ads, Math.ceil(MARGIN * expectedSize)));
  return secondRows?.length === search.rowLimit ? secondRows : null;
}

/** Finds ads of verified owners. The next ads in list order are checked first, because many owners may be verified. */
async function findVerified(run: Run, search: AdSearch): Promise<FoundAds> {
  const rows = await run(walkStatement(search, WALK_ads));
  if (rows.length === search.rowLimit) return { rows, total: null };
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

async function collect(run: Run, search: AdSearch, index: IndexChoice): Promise<FoundAds> {
  const rows = await run(collectStatement(search, index, {}));
  return { rows, total: rows[0]?.found ?? (search.query.cursor ? null : 0) };
}

/**
 * Finds and sorts all matching ads. Returns null if there are more than `limit`, or if this is unknown because none of
 * the fetched ads follows the cursor.
 */
async function collectUpTo(run: Run, search: AdSearch, index: IndexChoice, limit: number): Promise<FoundAds | null> {
  const rows = await run(collectStatement(search, index, { limit: limit + 1 }));
  const total = rows[0]?.found ?? (search.query.cursor ? null : 0);
  return total === null || total > limit ? null : { rows, total };
}

/** Collects the matches among the next `size` ads in list order. Returns null if fewer ads follow. */
async function collectWindow(run: Run, search: AdSearch, size: number): Promise<readonly SortedRow[] | null> {
  const [end] = await run(windowEndStatement(search, size));
  return end ? run(collectStatement(search, 'words', { windowEnd: toText(end.sorted_by) })) : null;
}

async function walkFar(run: Run, search: AdSearch): Promise<FoundAds> {
  const rows = await run(longWalkStatement(search, FAR_WALK_ads));
  const matches = rows.filter(({ is_end: isEnd }) => isEnd !== true);
  const end = rows.find(({ is_end: isEnd }) => isEnd);
  return { rows: matches, total: null, end: matches.length < search.rowLimit ? end : undefined };
}

interface SortedRow extends CardRow {
  readonly sorted_by: Date | number;
  /** The number of matching ads. Only the rows of `collectStatement` and `scoredStatement` contain this number. */
  readonly found?: number;
  /** The relevance of the ad. Only the rows of `scoredStatement` contain it. Null in a row without an ad. */
  readonly score?: number | null;
  /** The rank of the ad in a search by relevance. */
  readonly rank?: Rank;
  /** True for the last ad that `longWalkStatement` has checked. */
  readonly is_end?: boolean;
}

type Run = (statement: Statement) => Promise<readonly SortedRow[]>;

function createPage({ query }: AdSearch, { rows, total, end }: FoundAds): AdPage {
  const page = cutPage(rows, query.limit, (last) => createCursor(query, last));
  return {
    cards: page.rows.map((row) => createAdCard(row)),
    nextCursor: page.nextCursor ?? (end ? createCursor(query, end) : null),
    total,
    terms: [],
  };
}

function createCursor({ sort }: ListQuery, { sorted_by, ad_id: adId, rank }: SortedRow): string {
  return encodeCursor(sort, { value: toText(sorted_by), adId, rank: rank ?? null });
}

function toText(value: Date | number): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
