import { createSignature, ONLINE_WINDOW_ms, SIGNATURE_bits } from '@alpenglow/domain';
import { ACCOUNTS, AD_CARDS } from '@alpenglow/infra';
import { CARD_COLUMNS } from './card-view.ts';
import { ANY_PLACE, type ListQuery, type PlaceQuery } from './list-query.ts';
import { afterCondition, orderBy, type Order } from '../paging.ts';
import { afterScoredCondition, ORDERS } from './orders.ts';
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
 * checked for each found ad. With `signatures`, the index of the scope finds the ads whose signatures match.
 */
export type IndexChoice = 'words' | 'place' | 'both' | 'signatures';

/** Collects the parameter values of an SQL statement. `add` returns the placeholder of the added value, e.g. `$1`. */
class Values {
  readonly all: unknown[] = [];
  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/**
 * The columns that identify an ad in a page. `CARDS_STATEMENT` then reads the cards of the page. It is a prepared
 * statement, because planning the many parts of a card takes longer than reading the cards.
 */
const PAGE_COLUMNS = 'c.account_id, c.ad_id';

/**
 * The SQL statement that reads the cards of a page. Its parameters are the ids of the accounts and of the ads in the
 * order of the page. An ad that was deleted or hidden after the page was read has no row.
 */
export const CARDS_STATEMENT = {
  name: 'ads-of-page',
  text: `select ${CARD_COLUMNS} from unnest($1::text[], $2::text[]) with ordinality page (account_id, ad_id, place)
    join ${AD_CARDS.table} c on c.account_id = page.account_id and c.ad_id = page.ad_id
    where not c.is_hidden order by page.place`,
};

/** Returns the SQL statement that reads a page of ads in the order of an index. */
export function indexPageStatement(search: AdSearch): Statement {
  const values = new Values();
  const { order, rowLimit } = search;
  return {
    text: `select ${PAGE_COLUMNS}, ${order.by} as sorted_by from ${AD_CARDS.table} c
      where ${allOf(placeCondition(search, values), filterConditions(search, values), cursorCondition(search, values))}
      order by ${orderBy(order, 'c.ad_id')} limit ${rowLimit}`,
    values: values.all,
  };
}

/**
 * Returns the SQL statement that checks the next `length` ads of the scope in list order, until a page is complete. An
 * index contains the signature of each ad and all columns of the filters, except `verified`. An ad is read from the
 * table only if its signature and these columns fit the search.
 */
export function walkStatement(search: AdSearch, length: number): Statement {
  const values = new Values();
  return { text: walk(search, length, values), values: values.all };
}

/**
 * Returns the SQL statement of `walkStatement` with the column `position`, which is 1 for the first checked ad. The
 * positions show how many ads match.
 */
export function probeStatement(search: AdSearch, length: number): Statement {
  const values = new Values();
  return { text: walk(search, length, values, { withPosition: true }), values: values.all };
}

/**
 * Returns the SQL statement of `walkStatement` with the column `is_end`. If the page is not complete and at least
 * `length` ads of the scope follow the cursor, the last row is the last checked ad, with `is_end` set to true. One
 * statement reads both. If an ad were bumped between two statements, the next page would omit or repeat an ad.
 */
export function walkToEndStatement(search: AdSearch, length: number): Statement {
  const values = new Values();
  const { direction } = search.order;
  return {
    text: `with page as (${walk(search, length, values)}),
      last as (${scopeStatement(search, values)} offset ${length - 1} limit 1)
      select account_id, ad_id, sorted_by, false as is_end from page
      union all
      select account_id, ad_id, sorted_by, true from last where (select count(*) from page) < ${search.rowLimit}
      order by is_end, sorted_by ${direction}, ad_id ${direction}`,
    values: values.all,
  };
}

function walk(search: AdSearch, length: number, values: Values, { withPosition = false } = {}): string {
  const { direction } = search.order;
  const where = allOf(
    placeCondition(search, values),
    filterConditions(search, values),
    signatureCondition(search.words?.signed ?? [], values),
    verifiedCondition(search, 'one by one'),
  );
  return `select ${PAGE_COLUMNS}, c.sorted_by${withPosition ? ', c.position' : ''}
      from (${scopeStatement(search, values, { withPosition })} limit ${length}) c
      join ${AD_CARDS.table} card using (account_id)
      where ${allOf(where, withoutIndex(wordsCondition(search.words?.tsquery, values, 'card')))}
      order by c.sorted_by ${direction}, c.ad_id ${direction} limit ${search.rowLimit}`;
}

/** Returns the SQL statement for the ads of the scope after the cursor, in list order. */
function scopeStatement(search: AdSearch, values: Values, { withPosition = false } = {}): string {
  const { order } = search;
  const position = withPosition ? `, row_number() over (order by ${orderBy(order, 'c.ad_id')})::int as position` : '';
  return `select c.*, ${order.by} as sorted_by${position} from ${AD_CARDS.table} c
    where ${allOf(IS_SHOWN, scopeCondition(search, values), cursorCondition(search, values))}
    order by ${orderBy(order, 'c.ad_id')}`;
}

/**
 * Returns the SQL statement that finds matching ads with indexes and sorts these ads. At most `limit` ads are found.
 * The column `total` contains the number of found ads.
 */
export function collectStatement(search: AdSearch, index: IndexChoice, limit: number | null): Statement {
  const values = new Values();
  const { order, rowLimit } = search;
  const matching = matchingStatement(search, index, values, []);
  const rest = cursorCondition(search, values, 'found');
  return {
    text: `with matching as materialized (
${matching}),
      ${limitedCte(limit)}
      select account_id, ad_id, sorted_by, (select count(*)::int from found) as total from found where ${rest}
      order by sorted_by ${order.direction}, ad_id ${order.direction} limit ${rowLimit}`,
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

/**
 * Returns the SQL statement that counts the ads of the place that match all filters, by category. It finds at most
 * `limit` ads.
 */
export function countStatement(search: AdSearch, index: IndexChoice, limit: number): Statement {
  const values = new Values();
  return {
    text: `with matching as materialized (
${matchingStatement(search, index, values, ['c.category'])}),
      ${limitedCte(limit)}
      select category, count(*)::int as count from found group by category`,
    values: values.all,
  };
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
 * `limit` ads match, a first page is empty, and a further page is selected from some of the ads. The column `total`
 * contains the number of matching ads, at most `limit` + 1. An empty page has one row with this number and no ad.
 */
export function scoredStatement(search: AdSearch, index: IndexChoice, { terms, weights, limit }: Scoring): Statement {
  const values = new Values();
  const add = (value: unknown) => values.add(value);
  const { order, rowLimit, query } = search;
  const score = `${scoreExpression(terms, weights, add)} as score`;
  const matching = matchingStatement(search, index, values, [score]);
  const { cursor } = query;
  const rest =
    cursor?.rank?.kind === 'scored'
      ? afterScoredCondition(order, add(cursor.rank.score), add(cursor.value), add(cursor.adId))
      : `(select count(*) from found) <= ${limit}`;
  return {
    text: `with matching as materialized (
${matching}),
      ${limitedCte(limit + 1)},
      page as (select * from found where ${rest} order by score desc, sorted_by desc, ad_id desc limit ${rowLimit})
      select page.*, counted.total
      from (select count(*)::int as total from found) counted left join page on true
      order by page.score desc, page.sorted_by desc, page.ad_id desc`,
    values: values.all,
  };
}

/** Returns the SQL statement that finds all matching ads, with additional columns. */
function matchingStatement(
  search: AdSearch,
  index: IndexChoice,
  values: Values,
  additional: readonly string[],
): string {
  const columns = [PAGE_COLUMNS, `${search.order.by} as sorted_by`, ...additional].join(', ');
  if (index !== 'signatures')
    return `select ${columns} from ${AD_CARDS.table} c where ${matchCondition(search, index, values)}`;
  const signed = allOf(
    scopeCondition(search, values),
    placeCondition(search, values),
    filterConditions(search, values),
    signatureCondition(search.words?.signed ?? [], values),
  );
  // `offset` prevents Postgres from merging the two reads. It would then read all ads of the scope, not only its index.
  const matches = allOf(
    withoutIndex(wordsCondition(search.words?.tsquery, values)),
    verifiedCondition(search, 'one by one'),
  );
  return `select ${columns}
    from (select c.account_id from ${AD_CARDS.table} c where ${signed} offset 0) signed
    join ${AD_CARDS.table} c using (account_id) where ${matches}`;
}

/** Returns the SQL condition for all requested properties. */
function matchCondition(search: AdSearch, index: Exclude<IndexChoice, 'signatures'>, values: Values): string {
  const { words, placeWords } = search;
  const indexed = words?.indexed;
  const place = allOf(placeCondition(search, values), filterConditions(search, values));
  const placeQuery = index === 'words' ? placeWords.map((word) => `'${word}'`) : [];
  const inIndex = allOf(...[...(indexed ?? []), ...placeQuery].map((tsquery) => wordsCondition(tsquery, values)));
  return allOf(
    index === 'words' ? withoutIndex(place) : place,
    index === 'place' ? withoutIndex(inIndex) : inIndex,
    words?.isExact === true ? 'true' : withoutIndex(wordsCondition(words?.tsquery, values)),
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
      from (select near.rank, listed.account_id
            from unnest($1::text[]) with ordinality near (place, rank)
            cross join lateral (
              select c.account_id from ${AD_CARDS.table} c
              where c.place = near.place and ${IS_SHOWN} and c.ad_id <> all($2)
              order by ${orderBy(order, 'c.ad_id')} limit $3) listed) nearby
      join ${AD_CARDS.table} c using (account_id) order by nearby.rank, ${orderBy(order, 'c.ad_id')} limit $3`,
    values: [places, hiddenAdIds, limit],
  };
}

/** Returns the SQL statement that counts the ads whose owners are online. The count stops at `max`. */
export function onlineStatement(max: number): Statement {
  const values = new Values();
  return {
    text: `select count(*)::int as total
      from (select from ${AD_CARDS.table} c where ${allOf(IS_SHOWN, onlineCondition(values))} limit ${max}) online`,
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

/** Returns the city or state of a list if an index has its ads in list order. Otherwise, all ads are the scope. */
export function scopeOf({ state, citySlug, sort }: ListQuery): PlaceQuery {
  return sort !== 'bumped' || state === null ? ANY_PLACE : { state, citySlug, category: null };
}

function scopeCondition(search: AdSearch, values: Values): string {
  const { state, citySlug } = scopeOf(search.query);
  if (state === null) return 'true';
  return citySlug === null ? `c.state = ${values.add(state)}` : cityCondition(state, citySlug, values);
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

function wordsCondition(tsquery: string | undefined, values: Values, of: 'c' | 'card' = 'c'): string {
  return tsquery ? `${of}.words @@ ${values.add(tsquery)}::tsquery` : 'true';
}

/** Returns the SQL condition for ads whose signature has the bits of at least one word of each list. */
function signatureCondition(wordLists: readonly (readonly string[])[], values: Values): string {
  const hasBits = (words: readonly string[]) => {
    const bits = `${values.add(createSignature(words))}::bit(${SIGNATURE_bits})`;
    return `c.signature & ${bits} = ${bits}`;
  };
  const single = wordLists.flatMap((words) => (words.length === 1 ? words : []));
  return allOf(
    single.length === 0 ? 'true' : hasBits(single),
    ...wordLists
      .filter(({ length }) => length > 1)
      .map((words) => `(${words.map((word) => hasBits([word])).join(' or ')})`),
  );
}

function verifiedCondition({ query }: AdSearch, how: 'one by one' | 'all at once'): string {
  if (!query.verified) return 'true';
  return how === 'one by one'
    ? `coalesce((select a.verified from ${ACCOUNTS.table} a where a.account_id = c.account_id), false)`
    : `c.account_id in (select a.account_id from ${ACCOUNTS.table} a where a.verified)`;
}

function cursorCondition({ query: { cursor }, order }: AdSearch, values: Values, of?: 'found'): string {
  if (!cursor) return 'true';
  const [value, adId] = [values.add(cursor.value), values.add(cursor.adId)];
  return of === 'found'
    ? afterCondition({ ...order, by: 'sorted_by' }, 'ad_id', value, adId)
    : afterCondition(order, 'c.ad_id', value, adId);
}
