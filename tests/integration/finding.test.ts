import { beforeAll, describe, expect, test } from 'vitest';
import type { ResponseOf } from '@alpenglow/domain';
import { after } from '../support/api.ts';
import { createTestPool } from '../support/database.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/** Tests the order and the highlighted words of a search (R-17.3, R-17.10), and ads of nearby cities (R-17.11). */

const product = testProduct();
const api = testApi(product);
/** Position in the event log that each read waits for. */
let position = '';
/** The names that the tests use for ads, by ad id. */
const keys = new Map<string, string>();
const tokens = new Map<string, string>();

async function post(key: string, fields: Record<string, unknown>): Promise<void> {
  const provider = await api.signUp('provider');
  const posted = await api.postAd(provider.token, fields);
  keys.set(posted.id, key);
  tokens.set(key, provider.token);
  position = posted.position;
}

async function read(path: string): Promise<ResponseOf<'listAds'>> {
  const { status, body } = await api.call('GET', `/api/ads${path}`, { headers: after(position) });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as unknown as ResponseOf<'listAds'>;
}

const keysOf = ({ data }: ResponseOf<'listAds'>) => data.map(({ id }) => keys.get(id) ?? id);

beforeAll(async () => {
  await post('title', { name: 'Ada', title: 'Chamber music', city: 'Las Vegas', description: 'Evenings in town.' });
  await post('name', { name: 'Music Box', title: 'Calm company', city: 'Henderson', description: 'Dinners.' });
  await post('description', {
    name: 'Bea',
    title: 'Long walks',
    city: 'Las Vegas',
    description: `${'I like the desert. '.repeat(20)}We listen to MÚSIC from the fifties, and talk.`,
  });
  await post('contact', {
    name: 'Cleo',
    title: 'Quiet evenings',
    city: 'Reno',
    description: 'Write to music@example.com or call +1 702 555 0100. Music lover.',
  });
  await post('phoenix', { name: 'Dora', title: 'Old cinema', state: 'AZ', city: 'Phoenix', description: 'Films.' });
});

describe('a search', () => {
  test('lists matches in titles and names first, and then the last bump first', async () => {
    expect(keysOf(await read('?q=music'))).toEqual(['name', 'title', 'contact', 'description']);
    expect(keysOf(await read('?q=music&sort=bumped'))).toEqual(['name', 'title', 'contact', 'description']);
  });

  test('counts a title match also if further words are in the place', async () => {
    expect(keysOf(await read('?q=vegas+music'))).toEqual(['title', 'description']);
  });

  test('does not change an order that the visitor has chosen', async () => {
    expect(keysOf(await read('?q=music&sort=newest'))).toEqual(['contact', 'description', 'name', 'title']);
  });

  test('returns every ad exactly once on pages of any length', async () => {
    for (const limit of [1, 2, 3]) {
      const found: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: ResponseOf<'listAds'> = await read(
          `?q=music&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        found.push(...keysOf(page));
        cursor = page.nextCursor;
      }
      expect(found).toEqual(['name', 'title', 'contact', 'description']);
    }
  });

  test('rejects its cursor in another order', async () => {
    const { nextCursor } = await read('?q=music&limit=1');
    const { status } = await api.call('GET', `/api/ads?q=music&sort=newest&cursor=${nextCursor ?? ''}`);
    expect(status).toBe(400);
  });

  test('returns the found words, and a passage of the description only if nothing else matches', async () => {
    const { data, search } = await read('?q=MUS%C3%8DC');
    expect(search?.words).toEqual(['music']);
    const excerpts = new Map(search?.excerpts.map(({ id, text }) => [keys.get(id), text]));
    expect([...excerpts.keys()].toSorted()).toEqual(['contact', 'description']);
    expect(excerpts.get('description')).toMatch(/^….*MÚSIC from the fifties, and talk\.$/u);
    expect(data).toHaveLength(4);
  });

  test('returns passages without contact details and without HTML', async () => {
    await post('markup', { name: 'Eve', title: 'Plain', description: '<b>accordion</b> <img src=x onerror=alert(1)>' });
    const { search } = await read('?q=music');
    const passage = search?.excerpts.find(({ id }) => keys.get(id) === 'contact')?.text ?? '';
    expect(passage).toContain('Music lover');
    expect(passage).not.toMatch(/@|555/u);
    const markup = await read('?q=accordion');
    expect(markup.search?.excerpts[0]?.text).toBe('<b>accordion</b> <img src=x onerror=alert(1)>');
  });

  test('returns the corrected word of a typing error', async () => {
    expect((await read('?q=cinmea')).search?.words).toEqual(['cinema']);
    expect((await read('')).search).toBeNull();
  });
});

describe('ads nearby', () => {
  test('begin with the same city and continue with the nearest city', async () => {
    expect(keysOf(await read('/nearby?state=NV&city=Henderson'))).toEqual([
      'name',
      'markup',
      'description',
      'title',
      'contact',
    ]);
    expect(keysOf(await read('/nearby?state=NV&city=Las+Vegas&limit=4'))).toEqual([
      'markup',
      'description',
      'title',
      'name',
    ]);
  });

  test('contain no ads from far away, and nothing without a place', async () => {
    expect(keysOf(await read('/nearby?state=AZ&city=Phoenix'))).toEqual(['phoenix']);
    expect(keysOf(await read('/nearby?state=NY'))).toEqual([]);
    expect(keysOf(await read('/nearby'))).toEqual([]);
  });

  test('contain no hidden and no deleted ads', async () => {
    await post('gone', { title: 'Gone soon', city: 'Sparks' });
    expect(keysOf(await read('/nearby?state=NV&city=Sparks&limit=1'))).toEqual(['gone']);
    const pool = createTestPool(product.databaseUrl);
    await pool.query(`update rm.ad_cards set is_hidden = true where title = 'Gone soon'`);
    expect(keysOf(await read('/nearby?state=NV&city=Sparks&limit=2'))).toEqual(['contact']);
    await pool.query(`update rm.ad_cards set is_hidden = false where title = 'Gone soon'`);
    await pool.end();
    const [id] = [...keys].find(([, key]) => key === 'gone') ?? [''];
    const deleted = await api.call('DELETE', `/api/ads/${id}`, { token: tokens.get('gone') ?? '' });
    position = deleted.headers.get('x-position') ?? '';
    expect(keysOf(await read('/nearby?state=NV&city=Sparks&limit=1'))).toEqual(['contact']);
  });

  test.each(['state=XX', 'city=Paris', 'limit=0', 'limit=101', 'state=NV&state=CA'])('reject %s', async (query) => {
    expect((await api.call('GET', `/api/ads/nearby?${query}`)).status).toBe(400);
  });
});
