import { ONLINE_ms } from '@alpenglow/domain';
import { CARD_COLUMNS } from './card-view.ts';
import { EVERYWHERE, type ListQuery, type PlaceQuery } from './list-query.ts';
import { isBehind, isUpTo, orderBy, ORDERS, type Order } from './orders.ts';
import { tsqueryOf, type Term } from './search-terms.ts';

/** The SQL of lists. Values are never part of its text. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A list to be found, with the terms of its search. */
export interface Search {
  readonly query: ListQuery;
  readonly hiddenAdIds: readonly string[];
  readonly order: Order;
  readonly terms: readonly Term[];
  /** State and category, which are words of every ad as well: an index of words that is asked for them, too, finds fewer ads to look at. */
  readonly termsOfPlace: readonly Term[];
  /** Ads on a page, and one more to know whether another page follows. */
  readonly needed: number;
}

/** What indexes are to find ads by; all other conditions are then checked ad by ad. */
export type Driver = 'words' | 'place' | 'both';

/** An index reads the ads of a word up to so many; of a rarer word beside it, it skips most of them. */
const READ_ads = 300_000;
/** The same for a beginning of words, whose ads it has to gather first. */
const GATHERED_ads = 60_000;

/** Whether the index of words finds the ads of a term without reading too much. */
export function isIndexed({ ads, isBeginning }: Term): boolean {
  return ads <= (isBeginning ? GATHERED_ads : READ_ads);
}

/** Values of a statement in the making, each named by its place. */
class Values {
  readonly all: unknown[] = [];
  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/** Reads the page off an index in its order, and fetches the ads of the page alone. */
export function readOffStatement(search: Search): Statement {
  const values = new Values();
  const { order, needed } = search;
  const page = `select c.account_id from rm.ad_cards c where ${all(placeIs(search, values), othersAre(search, values), behindCursor(search, values))} order by ${orderBy(order)} limit ${needed}`;
  return {
    text: `select ${CARD_COLUMNS}, ${order.by} as sorted_by from (${page}) page join rm.ad_cards c using (account_id) order by ${orderBy(order)}`,
    values: values.all,
  };
}

/** Looks at the next `length` ads of the place in the order, one by one, until there are enough. */
export function walkStatement(search: Search, length: number): Statement {
  const values = new Values();
  const { by, direction } = search.order;
  const next = `select c.account_id, c.ad_id, ${by} as sorted_by from rm.ad_cards c
    where ${all(placeIs(search, values), othersAre(search, values), behindCursor(search, values))} order by ${orderBy(search.order)} limit ${length}`;
  const fitting = all(oneByOne(wordsMatch(search.terms, values)), ownerIsVerified(search, 'one by one'));
  return {
    text: `select ${CARD_COLUMNS}, walked.sorted_by from (${next}) walked join rm.ad_cards c using (account_id)
      where ${fitting} order by walked.sorted_by ${direction}, walked.ad_id ${direction} limit ${search.needed}`,
    values: values.all,
  };
}

/**
 * Looks at the next `length` ads in the order, one by one. The last one looked at comes too, with `is_end`, where there may be more
 * behind it.
 */
export function farWalkStatement(search: Search, length: number): Statement {
  const values = new Values();
  const fitting = all(
    placeIs(search, values),
    othersAre(search, values),
    wordsMatch(search.terms, values),
    ownerIsVerified(search, 'one by one'),
  );
  const { by, direction } = search.order;
  return {
    text: `with seen as materialized (
        select c.account_id, c.ad_id, ${by} as sorted_by, ${fitting} as fits from rm.ad_cards c
        where ${all(IS_SHOWN, scopeIs(search, values), behindCursor(search, values))} order by ${orderBy(search.order)} limit ${length}),
      page as (select account_id, false as is_end from seen where fits order by sorted_by ${direction}, ad_id ${direction} limit ${search.needed}),
      last as (select account_id, true as is_end from seen offset ${length - 1})
      select ${CARD_COLUMNS}, ${by} as sorted_by, shown.is_end from (select * from page union all select * from last) shown
      join rm.ad_cards c using (account_id) order by ${orderBy(search.order)}`,
    values: values.all,
  };
}

/** Lets indexes find all there are, or all up to where a window of the order ends, and puts them into order. `found` says how many. */
export function collectStatement(search: Search, driver: Driver, windowEnd: string | null): Statement {
  const values = new Values();
  const { order, terms, needed } = search;
  const place = all(placeIs(search, values), othersAre(search, values));
  const indexed = windowEnd === null ? terms.filter(isIndexed) : indexedInWindow(terms);
  const words = wordsMatch(driver === 'words' ? [...indexed, ...search.termsOfPlace] : indexed, values);
  const window = windowEnd === null ? 'true' : all(isUpTo(order, values.add(windowEnd)), behindCursor(search, values));
  const where = all(
    driver === 'words' ? oneByOne(place) : place,
    driver === 'place' ? oneByOne(words) : words,
    oneByOne(
      wordsMatch(
        terms.filter((term) => !indexed.includes(term)),
        values,
      ),
    ),
    ownerIsVerified(search, 'all at once'),
    window,
  );
  const rest =
    windowEnd === null && search.query.cursor
      ? isBehind(order, values.add(search.query.cursor.value), values.add(search.query.cursor.adId), 'found')
      : 'true';
  return {
    // Found apart from the rest, so that Postgres does not hope to come across them while it walks along the order.
    text: `with found as materialized (select c.account_id, c.ad_id, ${order.by} as sorted_by from rm.ad_cards c where ${where}),
      page as (select account_id from found where ${rest} order by sorted_by ${order.direction}, ad_id ${order.direction} limit ${needed})
      select ${CARD_COLUMNS}, ${order.by} as sorted_by, (select count(*)::int from found) as found
      from page join rm.ad_cards c using (account_id) order by ${orderBy(order)}`,
    values: values.all,
  };
}

/** The rarest term: of words that like to stand together, Postgres expects so few ads that it would not let the window help. */
function indexedInWindow(terms: readonly Term[]): readonly Term[] {
  return terms
    .filter(isIndexed)
    .sort((one, other) => one.ads - other.ads)
    .slice(0, 1);
}

/** How many ads are online, up to `most`. */
export function onlineStatement(most: number): Statement {
  const values = new Values();
  return {
    text: `select count(*)::int as found from (select from rm.ad_cards c where ${all(IS_SHOWN, isOnline(values))} limit ${most}) online`,
    values: values.all,
  };
}

/** What the ad is sorted by that stands `size` ads further down the order. */
export function windowEndStatement({ query, order }: Search, size: number): Statement {
  const values = new Values();
  const from = query.cursor ? isBehind(order, values.add(query.cursor.value), values.add(query.cursor.adId)) : 'true';
  return {
    text: `select ${order.by} as sorted_by from rm.ad_cards c where ${all(IS_SHOWN, from)} order by ${orderBy(order)} offset ${size} limit 1`,
    values: values.all,
  };
}

/** No case holds it out of sight. Every index of lists holds this too, so that it costs no look at the ad itself. */
const IS_SHOWN = 'not c.is_hidden';

function all(...conditions: readonly string[]): string {
  const real = conditions.filter((condition) => condition !== 'true');
  return real.length === 0 ? 'true' : real.join(' and ');
}

/** The same condition, out of reach of every index. */
function oneByOne(condition: string): string {
  return condition === 'true' ? condition : `(${condition}) is true`;
}

/** What of a place a walk can keep to, as an index has it in the order asked for: a city, or a state's ads of a category. */
export function scopeOf({ state, citySlug, category, sort }: ListQuery): PlaceQuery {
  if (sort !== 'bumped' || state === null) return EVERYWHERE;
  if (citySlug !== null) return { state, citySlug, category: null };
  return category === null ? EVERYWHERE : { state, citySlug, category };
}

function scopeIs(search: Search, values: Values): string {
  const { state, citySlug, category } = scopeOf(search.query);
  if (state === null) return 'true';
  if (citySlug !== null) return cityIs(state, citySlug, values);
  return category === null ? 'true' : `c.state = ${values.add(state)} and c.category = ${values.add(category)}`;
}

function cityIs(state: string, citySlug: string, values: Values): string {
  return `c.place = ${values.add(`${state}/${citySlug}`)}`;
}

function placeIs({ query, hiddenAdIds }: Search, values: Values): string {
  return all(
    IS_SHOWN,
    `c.ad_id <> all(${values.add(hiddenAdIds)})`,
    query.state !== null && query.citySlug !== null ? cityIs(query.state, query.citySlug, values) : 'true',
    query.state !== null && query.citySlug === null ? `c.state = ${values.add(query.state)}` : 'true',
    query.state === null && query.citySlug !== null ? `c.city_slug = ${values.add(query.citySlug)}` : 'true',
    query.category === null ? 'true' : `c.category = ${values.add(query.category)}`,
  );
}

function othersAre({ query }: Search, values: Values): string {
  // In the spelling of whichever price index leaves ads without a price out of this range.
  const price = query.maxPrice === null ? ORDERS.price_desc.by : ORDERS.price.by;
  return all(
    query.minPrice === null ? 'true' : `${price} >= ${values.add(query.minPrice)}`,
    query.maxPrice === null ? 'true' : `${price} <= ${values.add(query.maxPrice)}`,
    query.photo ? 'c.has_photos' : 'true',
    query.featured ? 'c.is_featured' : 'true',
    query.online ? isOnline(values) : 'true',
  );
}

function isOnline(values: Values): string {
  return `c.updated_at > ${values.add(new Date(Date.now() - ONLINE_ms).toISOString())}`;
}

function wordsMatch(terms: readonly Term[], values: Values): string {
  return terms.length === 0 ? 'true' : `c.words @@ ${values.add(tsqueryOf(terms))}::tsquery`;
}

function ownerIsVerified({ query }: Search, how: 'one by one' | 'all at once'): string {
  if (!query.verified) return 'true';
  return how === 'one by one'
    ? 'coalesce((select a.verified from rm.accounts a where a.account_id = c.account_id), false)'
    : 'c.account_id in (select a.account_id from rm.accounts a where a.verified)';
}

function behindCursor({ query, order }: Search, values: Values): string {
  return query.cursor ? isBehind(order, values.add(query.cursor.value), values.add(query.cursor.adId)) : 'true';
}
