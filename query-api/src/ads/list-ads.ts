import { extractSearchWords, type AdCard, type ResponseOf, type Category } from '@alpenglow/domain';
import type { ReadPool } from '@alpenglow/infra';
import { createCursorError, cutPage } from '../paging.ts';
import { readAdCounts, type AdCounts } from './ad-counts.ts';
import {
  CARDS_STATEMENT,
  collectStatement,
  countStatement,
  onlineStatement,
  probeStatement,
  indexPageStatement,
  scopeOf,
  scoredStatement,
  walkStatement,
  walkToEndStatement,
  type IndexChoice,
  type AdSearch,
  type Scoring,
  type Statement,
} from './ad-statements.ts';
import { createAdCard, type CardRow } from './card-view.ts';
import { ANY_PLACE, encodeAdCursor, type AdFilterQuery, type ListQuery } from './list-query.ts';
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

/**
 * Limits for the next ads that are checked in list order. At most `checked` ads are checked within an index, and only
 * those that fit are read from the table. If signatures cannot check all words, or if the list is limited to verified
 * owners, many ads must be read. Fewer ads are then checked, so that at most about `read` of them are read.
 */
interface WalkLimit {
  readonly checked: number;
  readonly read: number;
}

/** The limit before an index of words is used instead. */
const WALK_ads: WalkLimit = { checked: 20_000, read: 2_000 };
/** The limit if no method finds a full page. */
const FAR_WALK_ads: WalkLimit = { checked: 40_000, read: 6_000 };
/** The number of ads whose signatures show whether several words often occur together. */
const PROBE_ads: WalkLimit = { checked: 4_000, read: 2_000 };
/** Up to this number of matching ads, all of them are fetched and sorted at once. */
const COLLECT_ads = 2_500;
/** The ads that match filters without words are counted up to this number of ads of the place. */
const COUNTED_ads = 20_000;
/** Up to this number of matching ads, a search lists all of them by their score. */
const SCORED_ads = 1_000;
/**
 * The maximum number of ads that the next pages of a list by score can have. It is larger than `SCORED_ads`, because
 * ads may be posted while a visitor reads the pages.
 */
const SCORED_LATER_ads = 2 * SCORED_ads;
/**
 * If more than `SCORED_ads` ads may match, scoring is tried without measuring how often the words occur together. But
 * this is tried only if the rarest word has at most this number of ads.
 */
const SCORED_ENTRIES = 30_000;
/** If at most this number of owners are online, all of their ads are collected and sorted. */
const ONLINE_MAX_ads = 20_000;
/** Number of index entries that take as much time to read as one ad. */
const ENTRIES_PER_AD = 10;
/** The expected number of ads is multiplied by this factor, because ads are not distributed evenly. */
const MARGIN = 2;

/**
 * Reads a page of ads. Without search words, the page is read from an index in the requested order. If there are few
 * matches, they are collected and sorted instead. `findVerified` lists the ads of verified owners. A search by
 * relevance lists all matches by score if there are at most 1,000. Otherwise it lists matches in titles and names
 * first (decision 0081). `findInOrder` lists the matches in another order. The last method checks at most the next
 * 40,000 ads. The page may then have fewer ads than requested, and its cursor continues after the last checked ad.
 * Throws INVALID_FIELDS if the cursor belongs to another search.
 */
export async function listAds(reads: ReadPool, query: ListQuery, hiddenAdIds: readonly string[]): Promise<AdPage> {
  const [counts, terms] = await Promise.all([
    readAdCounts(reads, hiddenAdIds),
    query.q === null ? [] : findTerms(reads, query.q),
  ]);
  if (terms === null) return EMPTY_PAGE;
  const run: Run = async ({ text, values }) => (await reads.query<PageRow>({ text, values: [...values] })).rows;
  const search: AdSearch = {
    query,
    hiddenAdIds,
    order: ORDERS[query.sort],
    words: null,
    placeWords: placeWordsOf(query),
    rowLimit: query.limit + 1,
  };
  const found = terms.length > 0 ? await findMatches(run, search, terms, counts) : await list(run, search, counts);
  return { ...(await createPage(reads, search, found)), terms };
}

/**
 * Counts the ads of a place by state, city and category, and the ads that match all filters. The latter are null if the
 * place has more than 20,000 ads, or if a search may have more than 2,500 results.
 */
export async function countAds(
  reads: ReadPool,
  query: AdFilterQuery,
  hiddenAdIds: readonly string[],
): Promise<ResponseOf<'countAds'>['data']> {
  const counts = await readAdCounts(reads, hiddenAdIds);
  const facets = counts.createFacets(query);
  // The numbers of the categories ignore the filter for the category.
  const ofAnyCategory = { ...query, category: null };
  const all = { total: counts.count(ofAnyCategory), categories: facets.categories };
  if (!isFiltered(query)) return { ...facets, matching: all };
  const terms = query.q === null ? [] : await findTerms(reads, query.q);
  if (terms === null) return { ...facets, matching: NO_MATCHES };
  const page = { sort: 'newest', cursor: null, limit: 0, details: false } as const;
  const listQuery: ListQuery = { ...ofAnyCategory, ...page };
  const numbers: AdNumbers = {
    total: counts.count(ANY_PLACE),
    inScope: counts.count(scopeOf(listQuery)),
    inPlace: all.total,
  };
  const words = terms.length > 0 ? createResultWords(terms, 'all', numbers) : null;
  if (words?.maxAds === 0) return { ...facets, matching: NO_MATCHES };
  const isCounted = words ? canCollect(words, numbers) : numbers.inPlace <= COUNTED_ads;
  if (!isCounted) return { ...facets, matching: null };
  const search: AdSearch = {
    query: listQuery,
    hiddenAdIds,
    order: ORDERS[listQuery.sort],
    words,
    placeWords: placeWordsOf(listQuery),
    rowLimit: 0,
  };
  const index = words ? chooseIndex(words, numbers, listQuery) : 'place';
  const { text, values } = countStatement(search, index, COUNTED_ads);
  const { rows } = await reads.query<{ category: Category; count: number }>({ text, values: [...values] });
  return {
    ...facets,
    matching: { total: rows.reduce((total, { count }) => total + count, 0), categories: rows },
  };
}

const NO_MATCHES = { total: 0, categories: [] } as const;

const isFiltered = ({ q, minPrice, maxPrice, photo, verified, online, featured }: AdFilterQuery) =>
  q !== null || minPrice !== null || maxPrice !== null || photo || verified || online || featured;

/** Lists the ads of a place, without search words. */
async function list(run: Run, search: AdSearch, counts: AdCounts): Promise<FoundAds> {
  const { query } = search;
  if (query.sort !== 'bumped' && (isSmall(search, counts) || (query.online && (await areFewOnline(run)))))
    return collect(run, search, 'place');
  if (query.verified) return findVerified(run, search);
  const rows = await run(indexPageStatement(search));
  return { rows, total: isFiltered(query) ? null : counts.count(query) };
}

const EMPTY_PAGE: AdPage = { cards: [], nextCursor: null, total: 0, terms: [] };

/** The ads of a page, or of the end of a page, in list order. */
interface FoundAds {
  readonly rows: readonly PageRow[];
  /** The number of all matching ads. Null if it is not known. */
  readonly total: number | null;
  /** The last checked ad, if more ads may follow although `rows` has fewer ads than a page. */
  readonly end?: PageRow | undefined;
}

function placeWordsOf({ state, category }: ListQuery): readonly string[] {
  return [state, category].flatMap((text) => (text === null ? [] : extractSearchWords(text, Infinity)));
}

/** Finds the ads that match the search terms, in the requested order. */
async function findMatches(run: Run, search: AdSearch, terms: readonly Term[], counts: AdCounts): Promise<FoundAds> {
  const { query } = search;
  const numbers = {
    total: counts.count(ANY_PLACE),
    inScope: counts.count(scopeOf(query)),
    inPlace: counts.count(query),
  };
  const wordsOf = (part: ResultPart) => createResultWords(terms, part, numbers);
  const all = wordsOf('all');
  if (all.maxAds === 0) return NO_ADS;
  if (!isByRelevance(query)) return findInOrder(run, search, all, numbers);
  const rank = query.cursor?.rank ?? null;
  if (rank?.kind === 'scored' && rank.weights.length !== terms.length) throw createCursorError();
  const weights = rank?.kind === 'scored' ? rank.weights : computeWeights(terms, numbers.total);
  const scoring: Scoring = { terms, weights, limit: rank === null ? SCORED_ads : SCORED_LATER_ads };

  const isForAll = canBeScored(all, numbers);
  if (rank === null ? isForAll : rank.part === 'all') {
    const found = await findScored(run, search, all, scoring, numbers);
    if (found) return found;
  }
  let measuredShare: number | null = null;
  if (rank === null && !isForAll && all.isFullyIndexed && terms.length > 1) {
    const matches = await estimateMatches(run, { ...search, words: all }, numbers);
    const found = matches <= SCORED_ads ? await findScored(run, search, all, scoring, numbers) : null;
    if (found) return found;
    measuredShare = Math.min(all.maxAds, Math.max(1, matches)) / numbers.inPlace;
  }
  // If more ads match than expected, the words often occur together. Then only the upper limits are valid estimates.
  const wordsOfPart = (part: ResultPart) => {
    const words = isForAll ? assumeMany(wordsOf(part), numbers) : wordsOf(part);
    return measuredShare !== null && part === 'rest' ? { ...words, share: measuredShare } : words;
  };
  const titles =
    rank?.part === 'rest' ? NO_ADS : await findTitles(run, search, wordsOfPart('titles'), scoring, numbers);
  // The number of matches in titles is not the number of all matches.
  if (titles.rows.length === search.rowLimit || titles.end) return { ...titles, total: null };
  // All title matches are listed, so the page continues with the other matches.
  const restSearch: AdSearch = {
    ...search,
    query: rank?.part === 'rest' ? query : { ...query, cursor: null },
    rowLimit: search.rowLimit - titles.rows.length,
  };
  const rest = await findRecent(run, restSearch, wordsOfPart('rest'), numbers);
  return { rows: [...titles.rows, ...rest.rows], total: null, end: rest.end };
}

const NO_ADS: FoundAds = { rows: [], total: 0 };

/** Estimates the number of ads that match all words. The next ads of the scope are the sample. */
async function estimateMatches(run: Run, search: AdSearch, { inScope }: AdNumbers): Promise<number> {
  const length = walkLengthOf(search, PROBE_ads);
  const rows = await run(probeStatement(search, length));
  const checked = rows.length < search.rowLimit ? length : (rows.at(-1)?.position ?? length);
  return (rows.length / Math.min(checked, inScope)) * inScope;
}

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
  const total = rows[0]?.total ?? 0;
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

/**
 * Finds the next matches in list order. If the next ads probably contain a page of matches, or if no index can find the
 * matches, the next ads are checked with their signatures. If this finds no full page, an index finds all matches, and
 * they are sorted. If there are more than `COLLECT_ads`, the next ads are checked instead.
 */
async function findInOrder(run: Run, searchOfAll: AdSearch, words: ResultWords, numbers: AdNumbers): Promise<FoundAds> {
  const search = { ...searchOfAll, words };
  const { rowLimit } = search;
  const { maxAds, isFullyIndexed, share } = words;
  const { inScope, inPlace } = numbers;
  if (maxAds === 0) return NO_ADS;
  const index = chooseIndex(words, numbers, search.query);
  const walkLength = walkLengthOf(search, WALK_ads);
  const expectedLength = MARGIN * (rowLimit / share) * (inScope / inPlace);
  const isWalked =
    expectedLength <= Math.min(walkLength, ENTRIES_PER_AD * maxAds) || !(isFullyIndexed || canCollect(words, numbers));
  if (isWalked) {
    const walked = await run(walkStatement(search, walkLength));
    if (walked.length === rowLimit) return { rows: walked, total: null };
  }
  if (canCollect(words, numbers)) return collect(run, search, index);
  const found = isFullyIndexed ? await collectUpTo(run, search, index, COLLECT_ads) : null;
  return found ?? walk(run, search, isWalked ? FAR_WALK_ads : WALK_ads);
}

/** Checks whether a search has so few results that all of them can be found at once. */
const canCollect = ({ maxAds, indexed }: ResultWords, { inPlace }: AdNumbers) =>
  maxAds <= COLLECT_ads && (indexed !== null || inPlace <= COLLECT_ads);

/** Returns the number of ads that are checked in list order, so that a request stays within both limits. */
function walkLengthOf({ query, words }: AdSearch, { checked, read }: WalkLimit): number {
  if (words?.isFullySigned === true && !query.verified) return checked;
  return Math.min(checked, Math.round(read / (words?.signedShare ?? 1)));
}

/**
 * Chooses the index that finds the matches. In a small scope, signatures find them, if the index of words would have to
 * read more entries. Every ad has its state and category as words, so the index of words also finds these. Only a city
 * may need the index of places in addition.
 */
function chooseIndex(
  { indexed, indexedAds, signed }: ResultWords,
  { inPlace, inScope }: AdNumbers,
  { citySlug }: ListQuery,
): IndexChoice {
  if (signed.length > 0 && inScope <= Math.min(WALK_ads.checked, indexedAds)) return 'signatures';
  if (indexed === null) return 'place';
  return citySlug === null || indexedAds <= inPlace ? 'words' : 'both';
}

/** Finds ads of verified owners. The next ads in list order are checked first, because many owners may be verified. */
async function findVerified(run: Run, search: AdSearch): Promise<FoundAds> {
  const rows = await run(walkStatement(search, walkLengthOf(search, WALK_ads)));
  if (rows.length === search.rowLimit) return { rows, total: null };
  return rows.length === 0 ? collect(run, search, 'place') : walk(run, search, FAR_WALK_ads);
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
  const [online] = await run(onlineStatement(ONLINE_MAX_ads));
  return (online?.total ?? 0) < ONLINE_MAX_ads;
}

async function collect(run: Run, search: AdSearch, index: IndexChoice): Promise<FoundAds> {
  const rows = await run(collectStatement(search, index, null));
  return { rows, total: rows[0]?.total ?? (search.query.cursor ? null : 0) };
}

/**
 * Finds and sorts all matching ads. Returns null if there are more than `limit`, or if this is unknown because none of
 * the fetched ads follows the cursor.
 */
async function collectUpTo(run: Run, search: AdSearch, index: IndexChoice, limit: number): Promise<FoundAds | null> {
  const rows = await run(collectStatement(search, index, limit + 1));
  const total = rows[0]?.total ?? (search.query.cursor ? null : 0);
  return total === null || total > limit ? null : { rows, total };
}

/**
 * Checks the next ads in list order. If they do not have a page of matches and more ads may follow, `end` is the last
 * checked ad.
 */
async function walk(run: Run, search: AdSearch, limit: WalkLimit): Promise<FoundAds> {
  const rows = await run(walkToEndStatement(search, walkLengthOf(search, limit)));
  return {
    rows: rows.filter(({ is_end: isEnd }) => isEnd === false),
    total: null,
    end: rows.find(({ is_end: isEnd }) => isEnd),
  };
}

/** An ad of a page, without its card. */
interface PageRow {
  readonly account_id: string;
  readonly ad_id: string;
  readonly sorted_by: Date | number;
  /** The number of matching ads. Only the rows of `collectStatement` and `scoredStatement` contain this number. */
  readonly total?: number;
  /** The relevance of the ad. Only the rows of `scoredStatement` contain it. Null in a row without an ad. */
  readonly score?: number | null;
  /** The position of the ad among the checked ads. Only the rows of `probeStatement` contain it. */
  readonly position?: number;
  /** True for the last checked ad, which may not match. Only the rows of `walkToEndStatement` contain it. */
  readonly is_end?: boolean;
  /** The rank of the ad in a search by relevance. */
  readonly rank?: Rank;
}

type Run = (statement: Statement) => Promise<readonly PageRow[]>;

async function createPage(reads: ReadPool, { query }: AdSearch, { rows, total, end }: FoundAds) {
  const page = cutPage(rows, query.limit, (last) => createCursor(query, last));
  return {
    cards: await readPageCards(reads, page.rows),
    nextCursor: page.nextCursor ?? (end ? createCursor(query, end) : null),
    total,
  };
}

async function readPageCards(reads: ReadPool, ads: readonly PageRow[]): Promise<readonly AdCard[]> {
  if (ads.length === 0) return [];
  const { rows } = await reads.query<CardRow>({
    ...CARDS_STATEMENT,
    values: [ads.map(({ account_id: id }) => id), ads.map(({ ad_id: id }) => id)],
  });
  return rows.map((row) => createAdCard(row));
}

function createCursor({ sort }: ListQuery, { sorted_by, ad_id: adId, rank }: PageRow): string {
  return encodeAdCursor(sort, { value: toText(sorted_by), adId, rank: rank ?? null });
}

function toText(value: Date | number): string {
  return value instanceof Date ? value.toISOString() : String(value);
}
