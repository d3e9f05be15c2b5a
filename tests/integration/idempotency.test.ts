import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeptAnswers } from '@alpenglow/infra';
import { apiClient, validAd, type ApiClient, type Person } from '../support/api.ts';
import { preparedPlace, startTestProduct, type TestProduct } from '../support/product.ts';

let place: Awaited<ReturnType<typeof preparedPlace>>;
let one: TestProduct;
let other: TestProduct;
let api: ApiClient;
let elsewhere: ApiClient;
let pool: Pool;
let provider: Person;

beforeAll(async () => {
  place = await preparedPlace();
  one = await startTestProduct({}, place);
  other = await startTestProduct({}, place);
  api = apiClient(one.url);
  elsewhere = apiClient(other.url);
  pool = new Pool({ connectionString: place.databaseUrl });
  provider = await api.signUp('provider');
});
afterAll(async () => {
  await pool.end();
  await one.stop();
  await other.stop();
  await place.remove();
});

let last = 0;
const newKey = () => `key-${(last += 1)}`;
const keyed = (key: string) => ({ 'idempotency-key': key });
const eventsOf = async (type: string) =>
  Number(
    (await pool.query<{ count: string }>('select count(*) from es.events where type = $1', [type])).rows[0]?.count,
  );

describe('the same key again', () => {
  test('answers the same, by any process, without doing it twice; after a restart too', async () => {
    const person = await api.signUp('provider');
    const headers = keyed(newKey());
    const before = await eventsOf('AdPosted');
    const first = await api.call('POST', '/api/ads', { token: person.token, body: validAd, headers });
    expect(first.status).toBe(201);
    const restarted = await startTestProduct({}, place);
    for (const client of [api, elsewhere, apiClient(restarted.url)]) {
      const again = await client.call('POST', '/api/ads', { token: person.token, body: validAd, headers });
      expect(again).toMatchObject({ status: first.status, body: first.body });
      for (const name of ['etag', 'x-position', 'location', 'content-type'])
        expect(again.headers.get(name)).toBe(first.headers.get(name));
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    await restarted.stop();
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(await eventsOf('AdPosted')).toBe(before + 1);
  });

  test('deletes once', async () => {
    const person = await api.signUp('provider');
    const { id } = await api.postAd(person.token);
    const headers = keyed(newKey());
    const first = await api.call('DELETE', `/api/ads/${id}`, { token: person.token, headers });
    expect(first.status).toBe(200);
    expect(await elsewhere.call('DELETE', `/api/ads/${id}`, { token: person.token, headers })).toMatchObject({
      status: 200,
      body: first.body,
    });
    expect((await api.call('DELETE', `/api/ads/${id}`, { token: person.token })).status).toBe(404);
  });

  test('belongs to the account: somebody else has it free', async () => {
    const [a, b] = [await api.signUp('provider'), await api.signUp('provider')];
    const headers = keyed(newKey());
    const [first, second] = [
      await api.call('POST', '/api/ads', { token: a.token, body: validAd, headers }),
      await api.call('POST', '/api/ads', { token: b.token, body: validAd, headers }),
    ];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).not.toEqual(first.body);
  });

  test.each([
    ['another body', 'POST', '/api/ads', { ...validAd, title: 'Other' }],
    ['another path', 'PUT', '/api/ads/some', validAd],
  ])('is refused with %s', async (_, method, path, body) => {
    const person = await api.signUp('provider');
    const headers = keyed(newKey());
    expect((await api.call('POST', '/api/ads', { token: person.token, body: validAd, headers })).status).toBe(201);
    expect(await elsewhere.call(method, path, { token: person.token, body, headers })).toMatchObject({
      status: 422,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
  });

  test('after a refusal is a first try: nothing was done', async () => {
    const person = await api.signUp('provider');
    const headers = keyed(newKey());
    expect(
      (await api.call('POST', '/api/ads', { token: person.token, body: { ...validAd, title: '' }, headers })).status,
    ).toBe(400);
    expect((await api.call('POST', '/api/ads', { token: person.token, body: validAd, headers })).status).toBe(201);
  });
});

test('twenty at once, on both processes, do it once', async () => {
  const person = await api.signUp('provider');
  const headers = keyed(newKey());
  const before = await eventsOf('AdPosted');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, turn) =>
      (turn % 2 ? api : elsewhere).call('POST', '/api/ads', { token: person.token, body: validAd, headers }),
    ),
  );
  for (const { status, body } of answers)
    if (status !== 201)
      expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' });
  expect(answers.some(({ status }) => status === 201)).toBe(true);
  expect(await eventsOf('AdPosted')).toBe(before + 1);
});

test.each(['', 'ä', 'a b', 'x'.repeat(129), 'a/b'])('%j is no key', async (key) => {
  const answer = await api.call('POST', '/api/ads', {
    token: provider.token,
    body: validAd,
    headers: { 'idempotency-key': Buffer.from(key).toString('latin1') },
  });
  expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_IDEMPOTENCY_KEY' } });
});

test('nobody without a session has keys', async () => {
  expect((await api.call('POST', '/api/ads', { body: validAd, headers: keyed(newKey()) })).status).toBe(401);
  expect(
    (await api.call('POST', '/api/ads', { token: 'x'.repeat(43), body: validAd, headers: keyed(newKey()) })).status,
  ).toBe(401);
});

test('no answer with a token is kept', async () => {
  const key = newKey();
  const token = provider.token;
  expect((await api.call('POST', '/api/auth/verify', { token, headers: keyed(key) })).status).toBe(200);
  expect((await pool.query('select from requests.answers where key = $1', [key])).rowCount).toBe(0);
});

describe('what is kept', () => {
  const request = { accountId: 'a', key: 'k', hash: Buffer.from('one') };
  const answer = { status: 201, headers: { etag: '"1"' }, body: Buffer.from('{}') };

  test('is the turn of whoever came first, until that process counts as gone', async () => {
    const answers = createKeptAnswers(pool);
    const first = await answers.claim(request);
    expect(first.state).toBe('ours');
    expect((await answers.claim(request)).state).toBe('under way');
    await pool.query(`update requests.answers set locked_until = now() - interval '1 s' where account_id = 'a'`);
    expect((await answers.claim({ ...request, hash: Buffer.from('two') })).state).toBe('other');
    const second = await answers.claim(request);
    expect(second.state).toBe('ours');
    // Whoever was overtaken keeps nothing.
    if (first.state === 'ours') await answers.keep(request, first.turn, answer);
    expect((await answers.claim(request)).state).toBe('under way');
    if (second.state === 'ours') await answers.keep(request, second.turn, answer);
    expect(await answers.claim(request)).toEqual({ state: 'answered', answer });
  });

  test('goes after 24 h, and the key is free', async () => {
    const answers = createKeptAnswers(pool);
    await pool.query(`update requests.answers set expires_at = now() - interval '1 s' where account_id = 'a'`);
    expect((await answers.claim({ ...request, hash: Buffer.from('two') })).state).toBe('ours');
    await pool.query(`update requests.answers set expires_at = now() - interval '1 s' where account_id = 'a'`);
    await answers.sweep();
    expect((await pool.query(`select from requests.answers where account_id = 'a'`)).rowCount).toBe(0);
  });
});
