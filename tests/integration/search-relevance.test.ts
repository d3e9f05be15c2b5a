import type { ResponseOf } from '@alpenglow/domain';
import { beforeAll, describe, expect, test } from 'vitest';
import { BackingServiceUnavailable } from '../../launcher/engines/engine.mjs';
import { createGradedAds, ndcgAt10, type GradedAd } from '../support/ads-with-grades.ts';
import { openLucene, type LuceneRanking } from '../support/lucene/rank-with-lucene.ts';
import { recordedAd, findProjection, insertPostedAds } from '../support/posted-ads.ts';
import { randomNumbers } from '../support/random.ts';
import { testApi, testPool, testProduct } from '../support/fixtures.ts';

/**
 * Tests the order of searches by relevance, the correction of typing errors and the pages of searches
 * with many matches. The ads are written directly into the read models.
 */

const MISSPELLINGS_PER_KIND = 50;
const START_ms = Date.UTC(2026, 0, 1);
const MINUTE_ms = 60_000;
/** More matches than a search sorts by score. */
const MANY_ads = 4_300;
const MANY_TITLES = 2_100;
/** The other word of these ads is in few titles, which are sorted by score. */
const FEW_TITLES_EVERY = 100;

const graded = createGradedAds(2_000, 8);
const product = testProduct();
const api = testApi(product);
const pool = testPool(product);

async function insert(ads: readonly Pick<GradedAd, 'id' | 'fields'>[]): Promise<void> {
  for (const name of ['ad_cards', 'ad_details'])
    await insertPostedAds(
      pool,
      findProjection(name),
      ads.map(({ id, fields }, minute) =>
        recordedAd(id, new Date(START_ms + minute * MINUTE_ms).toISOString(), { ...fields, phone: '+1 555 0100' }),
      ),
    );
  await pool.query('analyze rm.ad_cards');
}

async function read(query: Record<string, string>): Promise<ResponseOf<'listAds'>> {
  const { status, body } = await api.call('GET', `/api/ads?${new URLSearchParams(query).toString()}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as unknown as ResponseOf<'listAds'>;
}

/** Reads all pages of a list. Calls `afterPage` after each page. */
async function readAll(
  query: Record<string, string>,
  afterPage: (page: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null; page += 1) {
    const list: ResponseOf<'listAds'> = await read({ ...query, ...(cursor !== '' && { cursor }) });
    ids.push(...list.data.map(({ id }) => id));
    cursor = list.nextCursor;
    await afterPage(page);
  }
  return ids;
}

const idsOf = ({ data }: ResponseOf<'listAds'>) => data.map(({ id }) => id);
const fieldsOf = (fields: Partial<GradedAd['fields']>): GradedAd['fields'] => ({
  ...(graded.ads[0] as GradedAd).fields,
  name: 'Zed',
  ...fields,
});

beforeAll(async () => {
  await insert(graded.ads);
});

describe('the order of a search', () => {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const gradesOf = (topic: number) =>
    new Map(
      graded.ads.flatMap(({ id, grades }) => {
        const grade = grades.get(topic);
        return grade === undefined ? [] : [[`ad-${id}`, grade] as const];
      }),
    );

  const lucene = openLucene().catch((error: unknown) => {
    if (error instanceof BackingServiceUnavailable) return error;
    throw error;
  });

  async function measure(rank: LuceneRanking, match: 'all' | 'any'): Promise<number> {
    const texts = new Map(
      graded.ads.map(({ id, fields }) => [`ad-${id}`, `${fields.title} ${fields.name} ${fields.description}`]),
    );
    const rankings = await rank(
      texts,
      graded.topics.map((words) => ({ words, match })),
    );
    return mean(rankings.map((ids, topic) => ndcgAt10(ids, gradesOf(topic))));
  }

  test("has at least the nDCG@10 of Lucene's BM25 on ads with known relevance", async ({ skip }) => {
    const rank = await lucene;
    if (rank instanceof Error) skip(`Lucene: not run, ${rank.message}`);
    else {
      const values: number[] = [];
      for (const [topic, words] of graded.topics.entries())
        values.push(ndcgAt10(idsOf(await read({ q: words.join(' '), limit: '10' })), gradesOf(topic)));
      const ours = mean(values);
      const theirs = Math.max(await measure(rank, 'all'), await measure(rank, 'any'));
      process.stdout.write(`nDCG@10: ${ours.toFixed(4)}, Lucene: ${theirs.toFixed(4)}\n`);
      expect(ours).toBeGreaterThanOrEqual(theirs);
    }
  });

  test('prefers titles, then frequent words, then short descriptions, then the last bump', async () => {
    const filler = graded.words.slice(0, 80).join(' ');
    await insert([
      { id: 'short', fields: fieldsOf({ title: 'Plain', description: 'A zugspitze evening' }) },
      { id: 'long', fields: fieldsOf({ title: 'Plain', description: `A zugspitze evening. ${filler}` }) },
      { id: 'often', fields: fieldsOf({ title: 'Plain', description: 'Zugspitze and zugspitze, only zugspitze' }) },
      { id: 'title', fields: fieldsOf({ title: 'Zugspitze', description: filler }) },
      { id: 'longer-word', fields: fieldsOf({ title: 'Plain', description: 'The zugspitzebahn' }) },
      { id: 'later-short', fields: fieldsOf({ title: 'Plain', description: 'A zugspitze evening' }) },
    ]);
    expect(idsOf(await read({ q: 'zugspitze' }))).toEqual(
      ['title', 'often', 'later-short', 'short', 'long', 'longer-word'].map((id) => `ad-${id}`),
    );
  });

  test('prefers the rare word of a search', async () => {
    const [frequent = ''] = graded.words;
    await insert([
      { id: 'rare-once', fields: fieldsOf({ title: `Plain ${frequent}`, description: 'Some matterhorn walks' }) },
      { id: 'rare-title', fields: fieldsOf({ title: 'Plain matterhorn', description: `Some ${frequent} walks` }) },
    ]);
    expect(idsOf(await read({ q: `${frequent} matterhorn` }))).toEqual(['ad-rare-title', 'ad-rare-once']);
  });

  test('combines with a place, a category and a price', async () => {
    await insert([
      { id: 'eiger-1', fields: fieldsOf({ title: 'Eiger', city: 'Las Vegas', category: 'massage', price: '100' }) },
      { id: 'eiger-2', fields: fieldsOf({ title: 'Plain', description: 'Eiger', city: 'Las Vegas', price: '200' }) },
      { id: 'eiger-3', fields: fieldsOf({ title: 'Eiger', state: 'FL', city: 'Miami', price: '300' }) },
    ]);
    const find = async (filter: Record<string, string>) => idsOf(await read({ q: 'eiger', ...filter }));
    expect(await find({ state: 'NV' })).toEqual(['ad-eiger-1', 'ad-eiger-2']);
    expect(await find({ state: 'NV', city: 'Las Vegas', category: 'escort' })).toEqual(['ad-eiger-2']);
    expect(await find({ category: 'massage' })).toEqual(['ad-eiger-1']);
    expect(await find({ minPrice: '150' })).toEqual(['ad-eiger-3', 'ad-eiger-2']);
    expect(await find({ sort: 'price' })).toEqual(['ad-eiger-1', 'ad-eiger-2', 'ad-eiger-3']);
  });
});

describe('the pages of a search', () => {
  test('have the order of one long page, also while frequencies of words change', async () => {
    const [frequent = '', second = ''] = graded.words.slice(20);
    const query = { q: `${frequent} ${second}` };
    const all = idsOf(await read({ ...query, limit: '100' }));
    expect(all.length).toBeGreaterThan(10);
    let posted = 0;
    const paged = await readAll({ ...query, limit: '3' }, () => {
      posted += 1;
      // Each ad has only one of the words, so it does not match. The word becomes more frequent.
      return insert([{ id: `noise-${posted}`, fields: fieldsOf({ title: second, description: second }) }]);
    });
    expect(paged.slice(0, all.length)).toEqual(all);
    expect(new Set(paged).size).toBe(paged.length);
  });

  test('reject the cursor of another search', async () => {
    const [one = '', other = ''] = graded.words;
    const { nextCursor } = await read({ q: one, limit: '1' });
    const path = new URLSearchParams({ q: `${one} ${other}`, cursor: nextCursor ?? '' }).toString();
    expect((await api.call('GET', `/api/ads?${path}`)).status).toBe(400);
  });

  test('of many matches list titles first, then the last bump first, and every ad once', async () => {
    const ads = Array.from({ length: MANY_ads }, (_, number) => {
      const isTitle = number % 2 === 0 && number / 2 < MANY_TITLES;
      const isFew = number % FEW_TITLES_EVERY === 0;
      return {
        id: `many-${String(number).padStart(4, '0')}`,
        fields: fieldsOf({
          title: `${isTitle ? 'Jungfrau' : 'Plain'} ${isFew ? 'Eigernordwand' : 'evening'}`,
          description: `${isTitle ? 'Plain' : 'Jungfrau'} ${isFew ? 'evening' : 'eigernordwand'}`,
        }),
      };
    });
    await insert(ads);
    const newestFirst = ads.toReversed();
    const titlesFirst = (word: string) =>
      [true, false].flatMap((isFirst) =>
        newestFirst.filter(({ fields }) => fields.title.includes(word) === isFirst).map(({ id }) => `ad-${id}`),
      );
    const expected = titlesFirst('Jungfrau');
    expect(await readAll({ q: 'jungfrau', limit: '100' })).toEqual(expected);
    expect(await readAll({ q: 'eigernordwand', limit: '100' })).toEqual(titlesFirst('Eigernordwand'));
    // The number of matches in titles is not the number of all matches.
    expect(await read({ q: 'eigernordwand', limit: '10' })).toMatchObject({ total: null });
    expect(await readAll({ q: 'jungfrau eigernordwand', state: 'NV', limit: '100' })).toHaveLength(MANY_ads);

    // A bump moves an ad up within its part of the list. All ads that are not bumped stay on the pages.
    const bumped = new Set<string>();
    const listed = await readAll({ q: 'jungfrau', limit: '99' }, async (page) => {
      const id = expected[page * 90] as string;
      bumped.add(id);
      await pool.query('update rm.ad_cards set last_bumped_at = now() where ad_id = $1', [id]);
    });
    expect(new Set(listed).size).toBe(listed.length);
    expect(expected.filter((id) => !bumped.has(id) && !listed.includes(id))).toEqual([]);
  });
});

describe('a misspelled word', () => {
  const random = randomNumbers(95);
  const at = (length: number) => Math.floor(random() * length);
  const letter = () => String.fromCharCode(97 + at(26));
  const change = (word: string, index: number, removed: number, added: string) =>
    word.slice(0, index) + added + word.slice(index + removed);
  const KINDS: Readonly<Record<string, (word: string) => string>> = {
    insert: (word) => change(word, at(word.length + 1), 0, letter()),
    delete: (word) => change(word, at(word.length), 1, ''),
    replace: (word) => change(word, at(word.length), 1, letter()),
    transpose: (word) => {
      const index = at(word.length - 1);
      return change(word, index, 2, `${word[index + 1] ?? ''}${word[index] ?? ''}`);
    },
  };

  test('finds the ads of the correct word in at least 95 of 100 cases', async () => {
    const adsByWord = new Map<string, Set<string>>();
    for (const { id, fields } of graded.ads)
      for (const word of `${fields.title} ${fields.description}`.split(' '))
        adsByWord.set(word, (adsByWord.get(word) ?? new Set()).add(`ad-${id}`));
    const known = [...adsByWord.keys()];
    const missed: string[] = [];
    let tried = 0;
    for (const [kind, misspell] of Object.entries(KINDS))
      for (let number = 0; number < MISSPELLINGS_PER_KIND; number += 1) {
        const word = known[at(known.length)] as string;
        const typed = misspell(word);
        if (typed === word) continue;
        tried += 1;
        const found = idsOf(await read({ q: typed, limit: '100' }));
        if (!found.some((id) => adsByWord.get(word)?.has(id))) missed.push(`${kind}: ${word} as ${typed}`);
      }
    expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(tried * 0.05);
  });
});
