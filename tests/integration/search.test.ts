import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { CATEGORIES, createSignature, type ResponseOf } from '@alpenglow/domain';
import { parseQuery, type ReadPool } from '@alpenglow/infra';
import { walkStatement } from '../../query-api/src/ads/ad-statements.ts';
import { listAds } from '../../query-api/src/ads/list-ads.ts';
import { toListQuery } from '../../query-api/src/ads/list-query.ts';
import { ORDERS } from '../../query-api/src/ads/orders.ts';
import { after, type Person } from '../support/api.ts';
import { testApi, testPool, testProduct } from '../support/fixtures.ts';

const parseListQuery = (query: object) => toListQuery(parseQuery('listAds', query));

interface Card {
  readonly id: string;
  readonly category: string;
  readonly title: string;
  readonly price: string | null;
  readonly isOnline: boolean;
  readonly verified: boolean;
  readonly isFeatured: boolean;
}
interface List {
  readonly data: readonly Card[];
  readonly nextCursor: string | null;
  readonly total: number | null;
}

const product = testProduct();
const api = testApi(product);
const pool = testPool(product);
/** Position in the event log that each read waits for. */
let position = '';
const providers = new Map<string, Person>();
const ids = new Map<string, string>();

/** Posts an ad of a new provider. The tests refer to the ad by the name `key`. */
async function post(key: string, fields: Record<string, unknown> = {}): Promise<void> {
  const provider = await api.signUp('provider');
  const posted = await api.postAd(provider.token, fields);
  providers.set(key, provider);
  ids.set(key, posted.id);
  position = posted.position;
}

async function readList(query = '', at = '/api/ads'): Promise<List> {
  const response = await api.call('GET', `${at}${query === '' ? '' : `?${query}`}`, {
    headers: after(position),
  });
  if (response.status !== 200)
    throw new Error(`${query} returned ${response.status}: ${JSON.stringify(response.body)}`);
  return response.body as unknown as List;
}

/** Returns the names (`key`) of the ads that match a query, in the order of the response. */
async function findKeys(query: string, at?: string): Promise<readonly string[]> {
  const names = new Map([...ids].map(([key, id]) => [id, key]));
  return (await readList(query, at)).data.map(({ id }) => names.get(id) ?? id);
}

const q = (text: string) => `q=${encodeURIComponent(text)}`;

beforeAll(async () => {
  await post('reno', {
    name: 'Zoë',
    title: 'Ünhurried evenings',
    city: 'Reno',
    price: '150 / h',
    description: 'Conversation, opera and a glass of wine.',
  });
  await post('vegas', {
    name: 'Bianca',
    title: 'Hot stone massage',
    category: 'massage',
    price: '$1,200 / night',
    description: 'Certified therapist with quiet hands.',
  });
  await post('miami', {
    name: 'Clara',
    title: 'Opera companion',
    category: 'companion',
    state: 'FL',
    city: 'Miami',
    price: 'on request',
    description: 'Museums, theatres, restaurants.',
  });
  await post('pete', {
    name: 'Dana',
    title: 'Sailing weekends',
    state: 'FL',
    city: 'St. Petersburg',
    price: '90',
    description: 'Sailor with a sense of humour.',
  });
  await post('peoria', {
    name: 'Eve',
    title: 'Quiet dinners',
    state: 'IL',
    city: 'Peoria',
    description: 'Opera now and then.',
  });
});

describe('the parameter q', () => {
  test.each([
    ['a word of a title', 'opera companion', ['miami']],
    ['a word of a description', 'therapist', ['vegas']],
    ['a name', 'dana', ['pete']],
    ['a place', 'reno', ['reno']],
    ['a state', 'florida', ['pete', 'miami']],
    ['a category', 'massage', ['vegas']],
    ['the beginning of a word', 'oper', ['miami', 'peoria', 'reno']],
    ['one letter', 'z', ['reno']],
    ['accents only in the query', 'óperä', ['miami', 'peoria', 'reno']],
    ['accents only in the ad', 'unhurried zoe', ['reno']],
    ['upper case', 'OPERA', ['miami', 'peoria', 'reno']],
    ['several words, all of which must match', 'opera wine', ['reno']],
    ['words that never occur together', 'opera stone', []],
    ['punctuation between words', 'hot-stone, (massage)', ['vegas']],
    ['an extra letter', 'massagge', ['vegas']],
    ['a missing letter', 'resturants', ['miami']],
    ['two letters swapped', 'converastion', ['reno']],
    ['two letters swapped in a short word', 'oepra', ['miami', 'peoria', 'reno']],
    ['two letters swapped in a very short word', 'hto stone', ['vegas']],
    ['a wrong letter', 'theraqist', ['vegas']],
    ['a mistyped word with a correct one', 'opera museams', ['miami']],
    ['a word without similar words', 'xylophone', []],
    ['a short unknown word, which is not corrected', 'qz', []],
    ['no word at all', '!!! ---', []],
  ])('handles %s: %s', async (_what, text, keys) => {
    expect(await findKeys(q(text))).toEqual(keys);
  });

  test.each([
    `'`,
    `''`,
    `\\`,
    `a:*`,
    `!opera`,
    `opera & !wine`,
    `opera | stone`,
    `(((`,
    `'); drop table rm.ad_cards; --`,
    `%`,
    `_`,
    `<->`,
    `"`,
    `a\u200bb`,
    '𝒪𝓅ℯ𝓇𝒶',
    '\u{10ffff}',
    'x'.repeat(100),
    'é'.repeat(100),
    'a b c d e f g h i j k l m n',
  ])('treats %j as text only', async (text) => {
    expect((await readList(q(text))).data).toBeInstanceOf(Array);
  });
  test('ignores the operators of the search language', async () => {
    expect(await findKeys(q('!opera'))).toEqual(['miami', 'peoria', 'reno']);
    expect(await findKeys(q('opera | stone'))).toEqual([]);
  });
  test('finds an edited ad only by its new words, and the ad does not move in the list', async () => {
    const before = await findKeys('');
    const response = await api.call('PUT', `/api/ads/${ids.get('pete') ?? ''}`, {
      token: providers.get('pete')?.token ?? '',
      body: { title: 'Rowing weekends' },
    });
    position = response.headers.get('x-position') ?? '';
    expect(await findKeys(q('rowing'))).toEqual(['pete']);
    expect(await findKeys(q('sailing'))).toEqual([]);
    expect(await findKeys(q('sailor humour'))).toEqual(['pete']);
    expect(await findKeys('')).toEqual(before);
  });
});

describe('the filters of a list', () => {
  test.each([
    ['state=NV', ['vegas', 'reno']],
    ['state=florida', ['pete', 'miami']],
    ['city=reno', ['reno']],
    ['state=fl&city=St.+Petersburg', ['pete']],
    ['city=peoria', ['peoria']],
    ['city=Reno,+NV', ['reno']],
    ['state=FL&city=st+pete+fl', ['pete']],
    ['state=AZ&city=peoria', []],
    ['category=massage', ['vegas']],
    ['state=NV&category=massage', ['vegas']],
    ['minPrice=150', ['vegas', 'reno']],
    ['maxPrice=150', ['pete', 'reno']],
    ['minPrice=100&maxPrice=1200', ['vegas', 'reno']],
    ['minPrice=2000', []],
    ['minPrice=&maxPrice=', ['peoria', 'pete', 'miami', 'vegas', 'reno']],
    ['q=opera&state=FL', ['miami']],
    ['q=opera&maxPrice=200', ['reno']],
    ['photo=true', []],
    ['photo=0', ['peoria', 'pete', 'miami', 'vegas', 'reno']],
    ['verified=1', []],
    ['q=opera&verified=1', []],
  ])('match the query %s', async (query, keys) => {
    expect(await findKeys(query)).toEqual(keys);
  });

  test('photo: only ads with uploaded photos', async () => {
    await pool.query(`update rm.ad_cards set has_photos = true where ad_id = $1`, [ids.get('miami')]);
    expect(await findKeys('photo=1&limit=50')).toEqual(['miami']);
    expect(await findKeys('photo=1&q=opera')).toEqual(['miami']);
  });
  test('verified: only ads of owners that an admin has verified', async () => {
    await pool.query(
      `update rm.accounts set verified = true where account_id = (select account_id from rm.ad_cards where ad_id = $1)`,
      [ids.get('reno')],
    );
    expect(await findKeys('verified=1&limit=50')).toEqual(['reno']);
    expect(await findKeys('verified=true&q=opera')).toEqual(['reno']);
    expect((await readList('city=reno&limit=49')).data).toMatchObject([{ verified: true }]);
  });
  test('online: only ads whose owner was active within a day', async () => {
    await pool.query(`update rm.ad_cards set updated_at = now() - interval '25 hours' where ad_id <> $1`, [
      ids.get('pete'),
    ]);
    expect(await findKeys('online=1&limit=50')).toEqual(['pete']);
    expect(await findKeys('online=1&sort=price&limit=50')).toEqual(['pete']);
    expect((await readList('limit=48')).data.map(({ isOnline }) => isOnline)).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
  });
  test('GET /ads/location/{first}/{second} expects the state, then the city, both URL-encoded', async () => {
    for (const place of ['nevada/las-vegas', 'NV/Las%20Vegas', 'Nevada/LAS%20VEGAS'])
      expect(await findKeys('', `/api/ads/location/${place}`)).toEqual(['vegas']);
    expect(await api.call('GET', '/api/ads/location/Las%20Vegas/NV')).toMatchObject({
      status: 400,
      body: { code: 'INVALID_FIELDS' },
    });
    expect(await findKeys('q=opera', '/api/ads/location/NV/Reno')).toEqual(['reno']);
  });
  test('featured ads have their own route', async () => {
    await pool.query(`update rm.ad_cards set is_featured = true where ad_id = any($1)`, [
      [ids.get('vegas'), ids.get('miami')],
    ]);
    expect(await findKeys('limit=50', '/api/ads/featured')).toEqual(['miami', 'vegas']);
    expect(await findKeys('state=NV', '/api/ads/featured')).toEqual(['vegas']);
  });
});

test.each([
  ['', ['peoria', 'pete', 'miami', 'vegas', 'reno']],
  ['sort=bumped', ['peoria', 'pete', 'miami', 'vegas', 'reno']],
  ['sort=newest', ['peoria', 'pete', 'miami', 'vegas', 'reno']],
  ['sort=price&minPrice=1', ['pete', 'reno', 'vegas']],
  ['sort=price_desc&minPrice=1', ['vegas', 'reno', 'pete']],
  ['sort=price&q=opera', ['reno', expect.any(String), expect.any(String)]],
  ['sort=price_desc&state=FL', ['pete', 'miami']],
  ['sort=price&state=FL', ['pete', 'miami']],
])('the order of a list: %s', async (query, keys) => {
  expect(await findKeys(`${query}&limit=40`)).toEqual(keys);
});

describe('totals and counts of ads', () => {
  test('a list by place and category contains the total', async () => {
    expect((await readList('limit=1')).total).toBe(5);
    expect((await readList('state=NV&limit=1')).total).toBe(2);
    expect((await readList('state=NV&category=massage')).total).toBe(1);
    expect((await readList('state=AZ')).total).toBe(0);
  });
  test('a search with few results contains the total', async () => {
    expect((await readList('q=opera&limit=1')).total).toBe(3);
    expect((await readList('q=nothinglikeit')).total).toBe(0);
  });
  test('counts are given per state, city and category', async () => {
    const counts = async (query: string) =>
      (await api.call('GET', `/api/ads/counts${query}`, { headers: after(position) })).body;
    expect(await counts('')).toMatchObject({
      success: true,
      data: {
        total: 5,
        states: expect.arrayContaining([
          { state: 'NV', count: 2 },
          { state: 'FL', count: 2 },
          { state: 'IL', count: 1 },
        ]) as unknown,
        cities: expect.arrayContaining([
          { state: 'FL', city: 'St. Petersburg', slug: 'st-petersburg', count: 1 },
        ]) as unknown,
        categories: expect.arrayContaining([
          { category: 'escort', count: 3 },
          { category: 'massage', count: 1 },
          { category: 'companion', count: 1 },
        ]) as unknown,
      },
    });
    expect(await counts('?state=NV&category=massage')).toMatchObject({
      data: { total: 1, cities: [{ slug: 'las-vegas', count: 1 }], categories: [{ count: 1 }, { count: 1 }] },
    });
  });
  test.each([
    '',
    'state=NV',
    'category=massage',
    'minPrice=1',
    'maxPrice=250',
    'state=FL&minPrice=1&maxPrice=999',
    'photo=true',
    'verified=true',
    'online=true',
    'q=opera',
    'q=opera&maxPrice=250&category=escort',
    'q=nothinglikeit',
  ])('counts for "%s" are the numbers of listed ads', async (query) => {
    const { body } = await api.call('GET', `/api/ads/counts?${query}`, { headers: after(position) });
    const { matching } = (body as unknown as ResponseOf<'countAds'>).data;
    const others = new URLSearchParams(query);
    others.delete('category');
    const listed = (await readList(`${others.toString()}&limit=100`)).data;
    expect(matching?.total).toBe(listed.length);
    for (const category of CATEGORIES)
      expect(matching?.categories.find((entry) => entry.category === category)?.count ?? 0, category).toBe(
        listed.filter((ad) => ad.category === category).length,
      );
  });
});

test.each([
  ['sort=best', 'sort', 'sort must be one of bumped, newest, price, price_desc'],
  ['category=cars', 'category', 'category must be one of escort, massage, companion, fetish'],
  ['state=ZZ', 'state', 'There are no listings in this state yet'],
  ['state=NV&city=Miami', 'city', 'There are no listings in this city yet'],
  ['minPrice=-1', 'minPrice', 'minPrice must be a whole number'],
  ['maxPrice=1e3', 'maxPrice', 'maxPrice must be a whole number'],
  ['minPrice=5&maxPrice=4', 'maxPrice', 'maxPrice must not be less than minPrice'],
  ['photo=maybe', 'photo', 'photo must be true or 1'],
  ['verified=2', 'verified', 'verified must be true or 1'],
  ['online=yes', 'online', 'online must be true or 1'],
  ['limit=0', 'limit', 'limit must be a whole number from 1 to 100'],
  ['limit=101', 'limit', 'limit must be a whole number from 1 to 100'],
  ['q=a&q=b', 'q', 'Each filter can be given only once'],
  [`q=${'x'.repeat(101)}`, 'q', 'This filter is too long'],
  ['q=a%00b', 'q', 'The search contains unsupported characters'],
  ['cursor=nonsense', 'cursor', 'This cursor belongs to a different list'],
  [
    `sort=price&cursor=${Buffer.from('bumped 2026-01-01T00:00:00.000Z ad-1').toString('base64url')}`,
    'cursor',
    'This cursor belongs to a different list',
  ],
  [
    `cursor=${Buffer.from('bumped 2026-99-01T00:00:00.000Z ad-1').toString('base64url')}`,
    'cursor',
    'This cursor belongs to a different list',
  ],
  [
    `sort=price&cursor=${Buffer.from('price 9999999999 ad-1').toString('base64url')}`,
    'cursor',
    'This cursor belongs to a different list',
  ],
])('rejects the query: %s', async (query, field, reason) => {
  const response = await api.call('GET', `/api/ads?${query}`);
  expect(response).toMatchObject({
    status: 400,
    body: { code: 'INVALID_FIELDS', message: reason, fields: { [field]: reason } },
  });
});

describe('pages while ads are posted, bumped and deleted', () => {
  const UNTOUCHED = 30;

  /** Inserts an ad directly into the read model, because the test needs no events. */
  async function insertAd(id: string, minutes: number, price: number | null): Promise<void> {
    await pool.query(
      `insert into rm.ad_cards
       select (jsonb_populate_record(c, jsonb_build_object(
         'account_id', $1::text, 'ad_id', $1::text, 'price_amount', $3::int, 'category', 'fetish',
         'words', '''paging'':1A ''.paging'' ''nv'':2 ''fetish'':2', 'signature', $5::text,
         'last_bumped_at', now() - $2 * interval '1 minute', 'created_at', now() - $2 * interval '1 minute'))).*
       from rm.ad_cards c where ad_id = $4`,
      [id, minutes, price, ids.get('reno'), createSignature(['paging', '.paging', 'nv', 'fetish'])],
    );
  }

  /**
   * Queries, each with an assumed number of matching ads on which the product bases its query plan. The result must not
   * depend on this number.
   */
  const ESTIMATES = [
    ['category=fetish', 1_000],
    ['category=fetish&q=paging', 1_000],
    ['category=fetish&q=paging', 50_000],
    ['category=fetish&q=paging', 1_000_000],
  ] as const;

  test.each(
    ['bumped', 'newest', 'price', 'price_desc'].flatMap((sort) =>
      ESTIMATES.map(([filter, estimate]) => [sort, filter, estimate] as const),
    ),
  )('by %s, %s, of %i: no ad occurs twice, and no unchanged ad is missing', async (sort, filter, estimate) => {
    const setEstimate = (table: string, key: string, count: number) =>
      pool.query(`insert into ${table} values ($1, $2) on conflict (key) do update set count = excluded.count`, [
        key,
        count,
      ]);
    await setEstimate('rm.ad_words', 'paging', estimate);
    await setEstimate('rm.ad_words', '.paging', estimate);
    await setEstimate('rm.ad_tallies', 'NV|reno|fetish', estimate * 3);
    await pool.query(`delete from rm.ad_cards where category = 'fetish'`);
    const untouched = Array.from({ length: UNTOUCHED }, (_, n) => `kept-${n}`);
    const moving = Array.from({ length: 12 }, (_, n) => `moving-${n}`);
    for (const [n, id] of untouched.entries()) await insertAd(id, 1_000 + n * 2, n % 5 === 0 ? null : (n % 7) * 10);
    for (const [n, id] of moving.entries()) await insertAd(id, 1_001 + n * 5, (n % 7) * 10);

    const listed: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page += 1) {
      // Each page has a different URL, so no response comes from the cache.
      const response: List = await readList(
        `${filter}&sort=${sort}&limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      listed.push(...response.data.map(({ id }) => id));
      cursor = response.nextCursor;
      await insertAd(`posted-${randomUUID()}`, 0, 35);
      await pool.query(`update rm.ad_cards set last_bumped_at = now(), bump_count = bump_count + 1 where ad_id = $1`, [
        moving[page],
      ]);
      await pool.query(`delete from rm.ad_cards where ad_id = $1`, [moving.at(-1 - page)]);
    }
    expect(new Set(listed).size).toBe(listed.length);
    expect(untouched.filter((id) => !listed.includes(id))).toEqual([]);
  });
  describe('of a search that stops before a page is full', () => {
    const FILLERS = 45_000;
    const FREQUENT = 1_000_000;

    /** Inserts an ad with the searched word just behind another ad of the list. */
    async function insertBehind(id: string, time: Date, milliseconds: number): Promise<void> {
      await insertAd(id, 0, null);
      await pool.query('update rm.ad_cards set last_bumped_at = $2 where ad_id = $1', [
        id,
        new Date(time.getTime() - milliseconds),
      ]);
    }

    async function readPages(reads: ReadPool, fields: Record<string, string>): Promise<(readonly string[])[]> {
      const pages: (readonly string[])[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = await listAds(reads, parseListQuery({ category: 'fetish', limit: '40', ...fields, cursor }), []);
        pages.push(page.cards.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      return pages;
    }

    beforeAll(async () => {
      await pool.query(`delete from rm.ad_cards where category = 'fetish'`);
      await pool.query(
        `insert into rm.ad_cards
         select (jsonb_populate_record(c, jsonb_build_object(
           'account_id', 'filler-' || n, 'ad_id', 'filler-' || n, 'category', 'fetish',
           'words', '''filler'':1A ''.filler'' ''nv'':2 ''fetish'':2', 'signature', $2::text,
           'last_bumped_at', date_trunc('second', now()) - n * interval '1 second'))).*
         from rm.ad_cards c, generate_series(1, ${FILLERS}) n where ad_id = $1`,
        [ids.get('reno'), createSignature(['filler', '.filler', 'nv', 'fetish'])],
      );
      // So many words begin with `pag` that no signature has all of them.
      const beginnings = Array.from({ length: 9 }, (_, n) => `pag${n}`);
      await pool.query(
        `insert into rm.ad_words select key, ${FREQUENT} from unnest($1::text[]) key
         on conflict (key) do update set count = excluded.count`,
        [['paging', ...beginnings, 'filler'].flatMap((word) => [word, `.${word}`])],
      );
      await pool.query(
        `insert into rm.ad_tallies values ('NV|reno|fetish', ${3 * FREQUENT})
         on conflict (key) do update set count = excluded.count`,
      );
      await pool.query('vacuum analyze rm.ad_cards');
    });

    test('a cursor continues it', async () => {
      await insertAd('far-1', 2_000, null);
      await insertAd('far-2', 3_000, null);
      const first = await readList('category=fetish&q=paging&limit=7');
      expect(first).toMatchObject({ data: [], total: null, nextCursor: expect.any(String) as string });
      const cursor = first.nextCursor ?? '';
      expect((await readList(`category=fetish&q=paging&limit=7&cursor=${cursor}`)).data.map(({ id }) => id)).toEqual([
        'far-1',
        'far-2',
      ]);
    });

    test('fewer ads are checked for a short prefix, because each of them is read', async () => {
      const { rows } = await pool.query<{ last_bumped_at: Date }>(
        `select last_bumped_at from rm.ad_cards where ad_id = 'filler-7000'`,
      );
      await insertBehind('far-3', rows[0]?.last_bumped_at ?? new Date(), 2);
      const [first, ...further] = await readPages(pool, { q: 'pag' });
      expect(first).toEqual([]);
      expect(further.flat()).toContain('far-3');
    });

    test('each match is on one page, although ads before the end of a page are deleted', async () => {
      const query = { q: 'paging' };
      const { nextCursor } = await listAds(pool, parseListQuery({ category: 'fetish', ...query }), []);
      const end = new Date(parseListQuery({ cursor: nextCursor }).cursor?.value ?? '');
      const matches = Array.from({ length: 30 }, (_, n) => `behind-${String(n).padStart(2, '0')}`);
      for (const [n, id] of matches.entries()) await insertBehind(id, end, 2 * (n + 1));
      let deleted = 0;
      const reads: ReadPool = {
        query: async (statement) => {
          const result = await pool.query(statement);
          deleted += 1;
          await pool.query('delete from rm.ad_cards where ad_id = $1', [`filler-${deleted}`]);
          return result as never;
        },
      };
      const listed = (await readPages(reads, query)).flat();
      expect(listed.filter((id) => id.startsWith('behind-'))).toEqual(matches);
    });

    test.each([
      { city: 'reno', sort: 'newest' },
      { city: 'reno', sort: 'price' },
      { city: 'peoria', sort: 'bumped' },
      { state: 'NV', city: 'reno', category: 'fetish', minPrice: '1', photo: '1', online: '1', sort: 'price_desc' },
    ])('an index has all columns that are checked for %j', async (fields) => {
      const query = parseListQuery(fields);
      const order = ORDERS[query.sort];
      const { text, values } = walkStatement(
        { query, hiddenAdIds: [], order, words: null, placeWords: [], rowLimit: 11 },
        20_000,
      );
      const plan = await pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values]);
      const scans = plan.rows.map((row) => row['QUERY PLAN']).filter((line) => / on \w+ c(?:_\d+)? /u.test(line));
      expect(scans, JSON.stringify(plan.rows)).toEqual([expect.stringContaining('Index Only Scan')]);
    });
  });
});

test('a short name of a city is a whole word, also with dots (R-17.30)', async () => {
  await post('angeles', { title: 'Good company', state: 'CA', city: 'Los Angeles' });
  await post('lake', { title: 'Lasting evenings by the lake', state: 'CA', city: 'Santa Monica' });
  await post('francisco', { title: 'Good company', state: 'CA', city: 'San Francisco' });
  for (const name of ['LA', 'L.A.', 'l.a', 'company L.A.']) expect(await findKeys(q(name)), name).toEqual(['angeles']);
  expect(await findKeys(q('S.F.'))).toEqual(['francisco']);
  expect(await findKeys(q('las'))).toContain('lake');
});
