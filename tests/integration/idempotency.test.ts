import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStoredResponses } from '@alpenglow/infra';
import { apiClient, validAd, type ApiClient, type Person } from '../support/api.ts';
import { createPreparedLocation, startTestProduct, type TestProduct } from '../support/product.ts';
import { createTestPool } from '../support/database.ts';

let place: Awaited<ReturnType<typeof createPreparedLocation>>;
let firstProcess: TestProduct;
let secondProcess: TestProduct;
let api: ApiClient;
let secondApi: ApiClient;
let pool: Pool;
let provider: Person;

beforeAll(async () => {
  place = await createPreparedLocation();
  firstProcess = await startTestProduct({}, place);
  secondProcess = await startTestProduct({}, place);
  api = apiClient(firstProcess.url);
  secondApi = apiClient(secondProcess.url);
  pool = createTestPool(place.databaseUrl);
  provider = await api.signUp('provider');
});
afterAll(async () => {
  await pool.end();
  await firstProcess.stop();
  await secondProcess.stop();
  await place.remove();
});

let keyCount = 0;
const createKey = () => `key-${(keyCount += 1)}`;
const keyHeaders = (key: string) => ({ 'idempotency-key': key });
const countEvents = async (type: string) =>
  Number(
    (await pool.query<{ count: string }>('select count(*) from es.events where type = $1', [type])).rows[0]?.count,
  );

describe('a repeated idempotency key', () => {
  test('returns the first response from any process, even after a restart, without a second write', async () => {
    const person = await api.signUp('provider');
    const headers = keyHeaders(createKey());
    const before = await countEvents('AdPosted');
    const first = await api.call('POST', '/api/ads', { token: person.token, body: validAd, headers });
    expect(first.status).toBe(201);
    const restarted = await startTestProduct({}, place);
    for (const client of [api, secondApi, apiClient(restarted.url)]) {
      const again = await client.call('POST', '/api/ads', { token: person.token, body: validAd, headers });
      expect(again).toMatchObject({ status: first.status, body: first.body });
      for (const name of ['etag', 'x-position', 'location', 'content-type'])
        expect(again.headers.get(name)).toBe(first.headers.get(name));
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
    await restarted.stop();
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(await countEvents('AdPosted')).toBe(before + 1);
  });

  test('deletes only once', async () => {
    const person = await api.signUp('provider');
    const { id } = await api.postAd(person.token);
    const headers = keyHeaders(createKey());
    const first = await api.call('DELETE', `/api/ads/${id}`, { token: person.token, headers });
    expect(first.status).toBe(200);
    expect(await secondApi.call('DELETE', `/api/ads/${id}`, { token: person.token, headers })).toMatchObject({
      status: 200,
      body: first.body,
    });
    expect((await api.call('DELETE', `/api/ads/${id}`, { token: person.token })).status).toBe(404);
  });

  test('does not affect other accounts', async () => {
    const [a, b] = [await api.signUp('provider'), await api.signUp('provider')];
    const headers = keyHeaders(createKey());
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
  ])('is rejected with %s', async (_, method, path, body) => {
    const person = await api.signUp('provider');
    const headers = keyHeaders(createKey());
    expect((await api.call('POST', '/api/ads', { token: person.token, body: validAd, headers })).status).toBe(201);
    expect(await secondApi.call(method, path, { token: person.token, body, headers })).toMatchObject({
      status: 422,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
  });

  test('is accepted after an error response because nothing was written', async () => {
    const person = await api.signUp('provider');
    const headers = keyHeaders(createKey());
    expect(
      (await api.call('POST', '/api/ads', { token: person.token, body: { ...validAd, title: '' }, headers })).status,
    ).toBe(400);
    expect((await api.call('POST', '/api/ads', { token: person.token, body: validAd, headers })).status).toBe(201);
  });
});

test('writes once for twenty concurrent requests to two processes', async () => {
  const person = await api.signUp('provider');
  const headers = keyHeaders(createKey());
  const before = await countEvents('AdPosted');
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? api : secondApi).call('POST', '/api/ads', { token: person.token, body: validAd, headers }),
    ),
  );
  for (const { status, body } of responses)
    if (status !== 201)
      expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'IDEMPOTENCY_IN_PROGRESS' });
  expect(responses.some(({ status }) => status === 201)).toBe(true);
  expect(await countEvents('AdPosted')).toBe(before + 1);
});

test.each(['', 'ä', 'a b', 'x'.repeat(129), 'a/b'])('rejects %j as idempotency key', async (key) => {
  const response = await api.call('POST', '/api/ads', {
    token: provider.token,
    body: validAd,
    headers: { 'idempotency-key': Buffer.from(key).toString('latin1') },
  });
  expect(response).toMatchObject({ status: 400, body: { code: 'INVALID_IDEMPOTENCY_KEY' } });
});

test('requires a session for an idempotency key', async () => {
  expect((await api.call('POST', '/api/ads', { body: validAd, headers: keyHeaders(createKey()) })).status).toBe(401);
  expect(
    (await api.call('POST', '/api/ads', { token: 'x'.repeat(43), body: validAd, headers: keyHeaders(createKey()) }))
      .status,
  ).toBe(401);
});

test('stores no response that contains a token', async () => {
  const key = createKey();
  const token = provider.token;
  expect((await api.call('POST', '/api/auth/verify', { token, headers: keyHeaders(key) })).status).toBe(200);
  expect((await pool.query('select from requests.answers where key = $1', [key])).rowCount).toBe(0);
});

describe('a stored response', () => {
  const request = { accountId: 'a', key: 'k', hash: Buffer.from('first') };
  const response = { status: 201, headers: { etag: '"1"' }, body: Buffer.from('{}') };

  test('is written by the first process, or by another process after the lock has expired', async () => {
    const storedResponses = createStoredResponses(pool);
    const first = await storedResponses.claim(request);
    expect(first.state).toBe('ours');
    expect((await storedResponses.claim(request)).state).toBe('under way');
    await pool.query(`update requests.answers set locked_until = now() - interval '1 s' where account_id = 'a'`);
    expect((await storedResponses.claim({ ...request, hash: Buffer.from('second') })).state).toBe('other');
    const second = await storedResponses.claim(request);
    expect(second.state).toBe('ours');
    // The first process has lost its lock, so it must not store its response.
    if (first.state === 'ours') await storedResponses.store(request, first.turn, response);
    expect((await storedResponses.claim(request)).state).toBe('under way');
    if (second.state === 'ours') await storedResponses.store(request, second.turn, response);
    expect(await storedResponses.claim(request)).toEqual({ state: 'answered', response });
  });

  test('does not exist after an unknown outcome, and only the same request may run again', async () => {
    const storedResponses = createStoredResponses(pool);
    const unknown = { ...request, key: 'unknown' };
    const first = await storedResponses.claim(unknown);
    expect(first).toMatchObject({ state: 'ours', isRepeated: false });
    if (first.state === 'ours') await storedResponses.allowRepetition(unknown, first.turn);
    expect((await storedResponses.claim({ ...unknown, hash: Buffer.from('second') })).state).toBe('other');
    const second = await storedResponses.claim(unknown);
    expect(second).toMatchObject({ state: 'ours', isRepeated: true });
    expect(second).toHaveProperty('firstAt_ms', (first as { readonly firstAt_ms: number }).firstAt_ms);
    if (second.state === 'ours') await storedResponses.store(unknown, second.turn, response);
    expect((await storedResponses.claim(unknown)).state).toBe('answered');
  });

  test('expires after 24 h, so the key can be used again', async () => {
    const storedResponses = createStoredResponses(pool);
    await pool.query(`update requests.answers set expires_at = now() - interval '1 s' where account_id = 'a'`);
    expect((await storedResponses.claim({ ...request, hash: Buffer.from('second') })).state).toBe('ours');
    await pool.query(`update requests.answers set expires_at = now() - interval '1 s' where account_id = 'a'`);
    await storedResponses.sweep();
    expect((await pool.query(`select from requests.answers where account_id = 'a'`)).rowCount).toBe(0);
  });
});
