import { ONLINE_WINDOW_ms } from '@alpenglow/domain';
import { CARD_COLUMNS } from './card-view.ts';
import { ANY_PLACE, type ListQuery, type PlaceQuery } from './list-query.ts';
import { afterCondition, afterScoredCondition, upToCondition, orderBy, ORDERS, type Order } from './orders.ts';
import { scoreExpression } from './relevance.ts';
import type { ResultWords } from './result-words.ts';
import type { Term } from './search-terms.ts';

/** An SQL statement. Values are always passed as parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The requested list of ads and its search words. */
export interface AdSearch {
  readonly query: ListQuery;
  readonly hiddenAdIds: readonly string[];
  readonly order: Order;
  /** The words of the requested part of a search result. Null for a list without a search. */
  readonly words: ResultWords | null;
  /**
   * The requested state and category as words. The indexed words of every ad include the ad's state and category. With
   * these additional words, the word index therefore returns fewer rows.
   */
  readonly placeWords: readonly string[];
  /** The number of ads on a page plus one. The additional ad shows whether another page follows. */
  readonly rowLimit: number;
}

/**
 * The conditions for which Postgres may use an index: the search words, the place, or both. All other conditions are
 * checked for each found ad.
 */
export type IndexChoice = 'words' | 'place' | 'both';

/** Collects the parameter values of an SQL statement. `add` returns the placeholder of the added value, e.g. `$1`. */
class Values {
  readonly all: unknown[] = [];
  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/**
 * Returns the SQL statement that reads a page of ads in the order of an index. The statement fetches only the ads of
 * this page.
 */
export function indexPageStatement(search: AdSearch): Statement {
  const values = new Values();
  const { order, rowLimit } = search;
  const page = `select c.account_id from rm.ad_cards c
    where ${allOf(placeCondition(search, values), filterConditions(search, values), cursorCondition(search, values))}
    order by ${orderBy(order)} limit ${rowLimit}`;
  return {
    text: `select ${CARD_COLUMNS}, ${order.by} as sorted_by
      from (${page}) page join rm.ad_cards c using (account_id) order by ${orderBy(order)}`,
    values: values.all,
  };
}

/**
 * Checks whether an index in the requested order contains exactly the ads of the requested place. An ad can then be
 * checked as soon as the index returns it, so `walkStatement` is several times faster.
 */
export function canWalkTable({ query }: AdSearch): boolean {
  const { state, citySlug, category } = query;
  const scope = walkScope(query);
  const isWholePlace = scope.state === state && scope.citySlug === citySlug && scope.category === category;
  return isWholePlace && filterConditions({ query }, new Values()) === 'true';
}

/**
 * Returns the SQL statement that checks the ads of the requested place one by one, until a page is complete or `length`
 * ads are checked.
 */
export function walkStatement(search: AdSearch, length: number): Statement {
  const values = new Values();
  const { by, direction } = search.order;
  const where = allOf(
    placeCondition(search, values),
    filterConditions(search, values),
    cursorCondition(search, values),
  );
  const matches = allOf(
    withoutIndex(wordsCondition(search.words?.tsquery, values)),
    verifiedCondition(search, 'one by one'),
  );
  if (canWalkTable(search)) {
    return {
      text: `select ${CARD_COLUMNS}, c.sorted_by
        from (select c.*, ${by} as sorted_by, ${matches} as fits from rm.ad_cards c
              where ${where} order by ${orderBy(search.order)} limit ${length}) c
        where fits order by c.sorted_by ${direction}, c.ad_id ${direction} limit ${search.rowLimit}`,
      values: values.all,
    };
  }
  // The index finds the next ads without reading the table, and only these are checked.
  const next = `select c.account_id, c.ad_id, ${by} as sorted_by from rm.ad_cards c
    where ${where} order by ${orderBy(search.order)} limit ${length}`;
  return {
    text: `select ${CARD_COLUMNS}, walked.sorted_by from (${next}) walked join rm.ad_cards c using (account_id)
      where ${matches} order by walked.sorted_by ${direction}, walked.ad_id ${direction} limit ${search.rowLimit}`,
    values: values.all,
  };
}

/**
 * Returns the SQL statement that checks the next `length` ads in the requested order and returns the matching ads. If
 * more ads may follow, the result also contains the last checked ad, with `is_end` set to true.
 */
export function longWalkStatement(search: AdSearch, length: number): Statement {
  const values = new Values();
  const matches = allOf(
    placeCondition(search, values),
    filterConditions(search, values),
    wordsCondition(search.words?.tsquery, values),
    verifiedCondition(search, 'one by one'),
  );
  const { by, direction } = search.order;
  return {
    text: `with checked as materialized (
        select c.account_id, c.ad_id, ${by} as sorted_by, ${matches} as fits from rm.ad_cards c
        where ${allOf(IS_SHOWN, scopeCondition(search, values), cursorCondition(search, values))}
        order by ${orderBy(search.order)} limit ${length}),
      page as (select account_id, false as is_end from checked where fits
        order by sorted_by ${direction}, ad_id ${direction} limit ${search.rowLimit}),
      last as (select account_id, true as is_end from checked offset ${length - 1})
      select ${CARD_COLUMNS}, ${by} as sorted_by, shown.is_end
      from (select * from page union all select * from last) shown
      join rm.ad_cards c using (account_id) order by ${orderBy(search.order)}`,
    values: values.all,
  };
}

/**
 * Returns the SQL statement that finds matching ads with indexes and sorts these ads. At most `limit` ads are found.
 * With `windowEnd`, the statement finds only ads up to this sort key. The column `found` contains the number of found
 * ads.
 */
export function collectStatement(
  search: AdSearch,
  index: IndexChoice,
  { limit = null, windowEnd = null }: { readonly limit?: number | null; readonly windowEnd?: string | null },
): Statement {
  const values = new Values();
  const { order, words, rowLimit } = search;
  const indexed = windowEnd === null ? words?.indexed : words?.indexedInWindow;
  const window =
    windowEnd === null ? 'true' : allOf(upToCondition(order, values.add(windowEnd)), cursorCondition(search, values));
  const where = allOf(matchCondition(search, index, indexed, values), window);
  const rest = windowEnd === null ? cursorCondition(search, values, 'found') : 'true';
  return {
    text: `with matching as materialized (
        select c.account_id, c.ad_id, ${order.by} as sorted_by from rm.ad_cards c where ${where}),
      ${limitedCte(limit)},
      page as (select account_id from found where ${rest}
        order by sorted_by ${order.direction}, ad_id ${order.direction} limit ${rowLimit})
      select ${CARD_COLUMNS}, ${order.by} as sorted_by, (select count(*)::int from found) as found
      from page join rm.ad_cards c using (account_id) order by ${orderBy(order)}`,
    values: values.all,
  };
}

/**
 * Returns the CTE `found` with at most `limit` rows of the CTE `matching`. `matching` is materialized, so that Postgres
 * finds the matching ads with indexes. Otherwise, it may check all ads in list order or, because of the limit, in table
 * order. Postgres reads only as many rows of `matching` as `found` needs.
 */
function limitedCte(limit: number | null): string {
  return `found as materialized (select * from matching${limit === null ? '' : ` limit ${limit}`})`;
}

/** The parameters for the scores of ads: the search terms, their weights and the number of ads. */
export interface Scoring {
  readonly terms: readonly Term[];
  readonly weights: readonly number[];
  /** The maximum number of ads that are scored. */
  readonly limit: number;
}

/**
 * Returns the SQL statement that finds matching ads with indexes and lists them by their score (R-17.4). If more than
 * `limit` ads match, a first page is empty, and a further page is selected from some of the ads. The column `found`
 * contains the number of matching ads, at most `limit` + 1. An empty page has one row with this number and no ad.
 */
export function scoredStatement(search: AdSearch, index: IndexChoice, { terms, weights, limit }: Scoring): Statement {
  const values = new Values();
  const add = (value: unknown) => values.add(value);
  const { order, words, rowLimit, query } = search;
  const where = matchCondition(search, index, words?.indexed, values);
  const score = scoreExpression(terms, weights, add);
  const { cursor } = query;
  const rest =
    cursor?.rank?.kind === 'scored'
      ? afterScoredCondition(order, add(cursor.rank.score), add(cursor.value), add(cursor.adId))
      : `(select count(*) from found) <= ${limit}`;
  return {
    text: `with matching as materialized (
        select c.account_id, c.ad_id, ${order.by} as sorted_by, c.words from rm.ad_cards c where ${where}),
      ${limitedCte(limit + 1)},
      scored as (select c.account_id, c.ad_id, c.sorted_by, ${score} as score from found c),
      page as (select account_id, score from scored where ${rest}
        order by score desc, sorted_by desc, ad_id desc limit ${rowLimit})
      select ${CARD_COLUMNS}, ${order.by} as sorted_by, page.score, counted.found
      from (select count(*)::int as found from found) counted
      left join (page join rm.ad_cards c using (account_id)) on true
      order by page.score desc, ${orderBy(order)}`,
    values: values.all,
  };
}

/** Returns the SQL condition for all requested properties. `indexed` is the `tsquery` that an index may find. */
function matchCondition(
  search: AdSearch,
  index: IndexChoice,
  indexed: string | null | undefined,
  values: Values,
): string {
  const { words, placeWords } = search;
  const place = allOf(placeCondition(search, values), filterConditions(search, values));
  const placeQuery = index === 'words' ? placeWords.map((word) => `'${word}'`) : [];
  const found = [...(indexed ? [indexed] : []), ...placeQuery].join(' & ');
  const inIndex = wordsCondition(found, values);
  return allOf(
    index === 'words' ? withoutIndex(place) : place,
    index === 'place' ? withoutIndex(inIndex) : inIndex,
    words?.tsquery === indexed ? 'true' : withoutIndex(wordsCondition(words?.tsquery, values)),
    verifiedCondition(search, 'all at once'),
  );
}

/**
 * Returns the SQL statement that reads the ads of several places, the first place first, and at most `limit` ads in
 * total. It reads at most `limit` entries of the index of each place.
 */
export function nearbyStatement(places: readonly string[], hiddenAdIds: readonly string[], limit: number): Statement {
  const order = ORDERS.bumped;
  return {
    text: `select ${CARD_COLUMNS}
      from (select near.rank, found.account_id
            from unnest($1::text[]) with ordinality near (place, rank)
            cross join lateral (
              select c.account_id from rm.ad_cards c
              where c.place = near.place and ${IS_SHOWN} and c.ad_id <> all($2)
              order by ${orderBy(order)} limit $3) found) nearby
      join rm.ad_cards c using (account_id) order by nearby.rank, ${orderBy(order)} limit $3`,
    values: [places, hiddenAdIds, limit],
  };
}

/** Returns the SQL statement that counts the ads whose owners are online. The count stops at `max`. */
export function onlineStatement(max: number): Statement {
  const values = new Values();
  return {
    text: `select count(*)::int as found
      from (select from rm.ad_cards c where ${allOf(IS_SHOWN, onlineCondition(values))} limit ${max}) online`,
    values: values.all,
  };
}

/**
 * Returns the SQL statement that reads the sort key at the end of a window. The window is the range of the next `size`
 * ads after the cursor, in list order.
 */
export function windowEndStatement(search: AdSearch, size: number): Statement {
  const values = new Values();
  const { order } = search;
  return {
    text: `select ${order.by} as sorted_by from rm.ad_cards c
      where ${allOf(IS_SHOWN, cursorCondition(search, values))} order by ${orderBy(order)} offset ${size} limit 1`,
    values: values.all,
  };
}

/**
 * The SQL condition for ads that no moderation case hides. Every index for lists contains the column `is_hidden`, so
 * the check is cheap.
 */
const IS_SHOWN = 'not c.is_hidden';

function allOf(...conditions: readonly string[]): string {
  const effective = conditions.filter((condition) => condition !== 'true');
  return effective.length === 0 ? 'true' : effective.join(' and ');
}

/** Wraps an SQL condition, so that Postgres cannot use an index for this condition. */
function withoutIndex(condition: string): string {
  return condition === 'true' ? condition : `(${condition}) is true`;
}

/**
 * Returns the part of the requested place for which an index in the requested order exists. This is a city, or a state
 * with a category.
 */
function walkScope({ state, citySlug, category, sort }: ListQuery): PlaceQuery {
  if (sort !== 'bumped' || state === null) return ANY_PLACE;
  if (citySlug !== null) return { state, citySlug, category: null };
  return category === null ? ANY_PLACE : { state, citySlug, category };
}

function scopeCondition(search: AdSearch, values: Values): string {
  const { state, citySlug, category } = walkScope(search.query);
  if (state === null) return 'true';
  if (citySlug !== null) return cityCondition(state, citySlug, values);
  return category === null ? 'true' : `c.state = ${values.add(state)} and c.category = ${values.add(category)}`;
}

function cityCondition(state: string, citySlug: string, values: Values): string {
  return `c.place = ${values.add(`${state}/${citySlug}`)}`;
}

function placeCondition({ query, hiddenAdIds }: AdSearch, values: Values): string {
  return allOf(
    IS_SHOWN,
    `c.ad_id <> all(${values.add(hiddenAdIds)})`,
    query.state !== null && query.citySlug !== null ? cityCondition(query.state, query.citySlug, values) : 'true',
    query.state !== null && query.citySlug === null ? `c.state = ${values.add(query.state)}` : 'true',
    query.state === null && query.citySlug !== null ? `c.city_slug = ${values.add(query.citySlug)}` : 'true',
    query.category === null ? 'true' : `c.category = ${values.add(query.category)}`,
  );
}

function filterConditions({ query }: Pick<AdSearch, 'query'>, values: Values): string {
  // An ad without a price must not match any price limit. With a maximum price, a missing price therefore counts as the
  // highest price. With only a minimum price, it counts as the lowest price.
  const price = query.maxPrice === null ? ORDERS.price_desc.by : ORDERS.price.by;
  return allOf(
    query.minPrice === null ? 'true' : `${price} >= ${values.add(query.minPrice)}`,
    query.maxPrice === null ? 'true' : `${price} <= ${values.add(query.maxPrice)}`,
    query.photo ? 'c.has_photos' : 'true',
    query.featured ? 'c.is_featured' : 'true',
    query.online ? onlineCondition(values) : 'true',
  );
}

function onlineCondition(values: Values): string {
  return `c.updated_at > ${values.add(new Date(Date.now() - ONLINE_WINDOW_ms).toISOString())}`;
}

function wordsCondition(tsquery: string | undefined, values: Values): string {
  return tsquery ? `c.words @@ ${values.add(tsquery)}::tsquery` : 'true';
}

function verifiedCondition({ query }: AdSearch, how: 'one by one' | 'all at once'): string {
  if (!query.verified) return 'true';
  return how === 'one by one'
    ? 'coalesce((select a.verified from rm.accounts a where a.account_id = c.account_id), false)'
    : 'c.account_id in (select a.account_id from rm.accounts a where a.verified)';
}

function cursorCondition({ query: { cursor }, order }: AdSearch, values: Values, of?: 'found'): string {
  return cursor ? afterCondition(order, values.add(cursor.value), values.add(cursor.adId), of) : 'true';
}
