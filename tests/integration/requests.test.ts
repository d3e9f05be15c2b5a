import { REFERENCE_characters } from '@alpenglow/domain';
import { createPool, findFailedRequests, sweepRequestRecords, type Pool } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validAd, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { watchResponseProperties } from '../support/response-coverage.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const shown = watchResponseProperties('requests.test.ts');

interface Found {
  readonly id: string;
  readonly traceId: string;
  readonly failures: readonly { readonly status: number; readonly code: string; readonly cause: string | null }[];
  readonly events: readonly {
    readonly type: string;
    readonly handled: number;
    readonly pending: readonly { readonly name: string; readonly isFailing: boolean }[];
    readonly parked: readonly { readonly name: string; readonly error: string | null }[];
    readonly jobs: readonly { readonly kind: string }[];
    readonly actor: { readonly kind: string; readonly id: string };
  }[];
}

describe('an admin who has the id of a request (R-16.19)', () => {
  const product = testProduct();
  let pool: Pool;
  const api = testApi(product);
  let admin: Person;

  beforeAll(async () => {
    pool = createPool({ connectionString: product.databaseUrl, max: 2, applicationName: 'test' });
    admin = await api.signUp('client', { email: 'admin@example.com' });
  });
  afterAll(async () => {
    await pool.end();
  });

  const find = async (id: string) => {
    const { status, body } = await api.call('GET', `/api/admin/requests/${id}`, { token: admin.token });
    expect(status).toBe(200);
    return body['data'] as Found;
  };

  test('finds its error response, with the id that the error response contains', async () => {
    const client = await api.signUp('client');
    const { body } = await api.call('POST', '/api/ads', { token: client.token, body: validAd });
    const found = await eventually(async () => {
      const data = await find(String(body['requestId']));
      expect(data.failures).toHaveLength(1);
      return data;
    });
    expect(found.failures[0]).toMatchObject({
      service: 'alpenglow',
      method: 'POST',
      path: '/api/ads',
      status: 403,
      code: body['code'],
      cause: null,
    });
    expect(found.events).toEqual([]);
    // No account is known, so the subject of the read is the request itself.
    const subject = `request:${found.id}`;
    const reads = await api.call('GET', `/api/admin/staff-reads?subject=${subject}`, { token: admin.token });
    expect(reads.body['data']).toMatchObject([{ what: 'getRequest', subjectId: subject, people: 1 }]);
  });

  test('finds the cause of a server error, without personal data', async () => {
    await pool.query('alter table audit.staff_reads rename to staff_reads_away');
    const { status, body } = await api.call('GET', '/api/admin/users?search=someone@example.com', {
      token: admin.token,
    });
    await pool.query('alter table audit.staff_reads_away rename to staff_reads');
    expect(status).toBe(500);
    await eventually(async () => {
      const [failure] = (await find(String(body['requestId']))).failures;
      expect(failure).toMatchObject({ status: 500, code: 'INTERNAL', path: '/api/admin/users' });
      expect(failure?.cause).toBe('DatabaseError 42P01');
      expect(JSON.stringify(failure)).not.toContain('@');
    });
  });

  test('finds the whole request with the reference of an error message (R-8.30)', async () => {
    const provider = await api.signUp('provider');
    const traceId = 'c0ffee7651916cd43dd8448eb211c803';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-00` };
    const posted = await api.call('POST', '/api/ads', { token: provider.token, body: validAd, headers });
    expect(posted.status).toBe(201);
    const again = await api.call('POST', '/api/ads', { token: provider.token, body: validAd, headers });
    expect(again.body).toMatchObject({ success: false, requestId: traceId });
    const found = await eventually(async () => {
      const data = await find(traceId.slice(0, REFERENCE_characters));
      expect(data.failures).toHaveLength(1);
      return data;
    });
    expect(found).toMatchObject({ id: traceId, traceId, events: [{ type: 'AdPosted' }] });
    expect(found.failures[0]).toMatchObject({ path: '/api/ads', code: again.body['code'] });

    const other = `${traceId.slice(0, REFERENCE_characters)}-another-request`;
    await api.call('GET', '/api/ads/an-unknown-ad', { headers: { 'x-request-id': other } });
    await eventually(async () => {
      const { id, failures } = await find(traceId.slice(0, REFERENCE_characters));
      expect(id).toBe(traceId.slice(0, REFERENCE_characters));
      expect(failures.map(({ status }) => status)).toEqual([again.status, 404]);
    });
    // Only a reference may be a part of an id.
    expect(await find(traceId.slice(0, REFERENCE_characters + 1))).toMatchObject({ failures: [], events: [] });
  });

  test('finds its events and which consumers have handled them', async () => {
    const provider = await api.signUp('provider');
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-00` };
    const posted = await api.call('POST', '/api/ads', { token: provider.token, body: validAd, headers });
    expect(posted.status).toBe(201);
    const found = await eventually(async () => {
      const data = await find(traceId);
      expect(data.events).toMatchObject([{ type: 'AdPosted', pending: [], jobs: [] }]);
      return data;
    });
    const [event] = found.events;
    expect(event?.actor).toMatchObject({ kind: 'account', id: provider.user.id, name: 'Test' });
    expect(event?.handled).toBeGreaterThan(20);
    expect(event?.parked).toEqual([]);
    // The id may also be written as a UUID, as traces of other tools have it.
    expect((await find('0af76519-16cd-43dd-8448-eb211c80319c')).events).toEqual(found.events);
    const reads = await api.call('GET', '/api/admin/staff-reads', { token: admin.token });
    expect(JSON.stringify(reads.body)).toContain('"what":"getRequest"');
    const { rows } = await pool.query(
      `select from audit.staff_reads where what = 'getRequest' and subject_id = $1 and people = 1`,
      [provider.user.id],
    );
    expect(rows.length).toBeGreaterThan(0);
  });

  test('sees a consumer that has parked the event, and one that is behind', async () => {
    const provider = await api.signUp('provider');
    const id = 'request-of-a-parked-event';
    await api.call('POST', '/api/ads', { token: provider.token, body: validAd, headers: { 'x-request-id': id } });
    await eventually(async () => expect((await find(id)).events).toMatchObject([{ pending: [] }]));
    await pool.query(
      `insert into rm.parked_events (projection, position, stream, revision, event_id, event_type, error)
       select c.name, e.position, e.stream, e.revision, e.event_id, 'AdPosted', 'A test has parked it'
         from ops.request_events e, rm.checkpoints c
        where e.correlation = hashtextextended($1, 0) and c.name like 'ad_links%'`,
      [id],
    );
    const [event] = (await find(id)).events;
    expect(event?.parked).toEqual([{ name: 'ad_links', error: 'A test has parked it' }]);
    await pool.query(`delete from rm.parked_events where error = 'A test has parked it'`);
  });

  test('leaves a log entry that names the person whom the events of staff concern', async () => {
    const provider = await api.signUp('provider');
    const headers = { 'x-request-id': 'request-about-a-person' };
    const path = `/api/admin/users/${provider.user.id}/role`;
    const changed = await api.call('PUT', path, {
      token: admin.token,
      body: { role: 'moderator', reason: 'A test' },
      headers,
    });
    expect(changed.status).toBe(200);
    await eventually(async () => expect((await find('request-about-a-person')).events).not.toEqual([]));
    const { rows } = await pool.query<{ people: number }>(
      `select people from audit.staff_reads where what = 'getRequest' and subject_id = $1 order by id desc limit 1`,
      [provider.user.id],
    );
    expect(rows).toEqual([{ people: 2 }]);
  });

  test('finds no rejected ids of the system, unknown paths or rate limits', async () => {
    const headers = { 'x-request-id': 'publish-articles' };
    const { headers: sent } = await api.call('GET', '/api/ads', { headers });
    expect(sent.get('x-request-id')).not.toBe('publish-articles');
    for (const path of ['/api/unknown-path', '/mf/unknown.js', '/unknown-page'])
      await api.call('GET', path, { headers: { 'x-request-id': 'an-unknown-path' } });
    const { body } = await api.call('GET', '/api/ads/another-unknown-ad');
    await eventually(async () => expect((await find(String(body['requestId']))).failures).toHaveLength(1));
    expect((await find('an-unknown-path')).failures).toEqual([]);
  });

  test('finds events behind rows of other requests with the same hash', async () => {
    const provider = await api.signUp('provider');
    const id = 'request-with-a-shared-hash';
    await api.call('POST', '/api/ads', { token: provider.token, body: validAd, headers: { 'x-request-id': id } });
    await eventually(async () => expect((await find(id)).events).toHaveLength(1));
    await pool.query(
      `insert into ops.request_events (correlation, position, stream, revision, event_id)
       select correlation, position || lpad(n::text, 4, '0'), stream, revision, event_id
         from ops.request_events, generate_series(1, 300) n where correlation = hashtextextended($1, 0)`,
      [id],
    );
    expect((await find(id)).events).toHaveLength(1);
    await pool.query('delete from ops.request_events where correlation = hashtextextended($1, 0)', [id]);
  });

  test('finds nothing with an unknown id, and other people are rejected', async () => {
    expect(await find('unknown-request')).toMatchObject({ failures: [], events: [] });
    const client = await api.signUp('client');
    expect((await api.call('GET', '/api/admin/requests/some-request', { token: client.token })).status).toBe(403);
    expect((await api.call('GET', '/api/admin/requests/some-request')).status).toBe(401);
    expect((await api.call('GET', '/api/admin/requests/short', { token: admin.token })).status).toBe(404);
  });

  test('finds recent requests only', async () => {
    const { body } = await api.call('GET', '/api/ads/unknown-ad');
    const id = String(body['requestId']);
    await eventually(async () => expect(await findFailedRequests(pool, [id])).toHaveLength(1));
    await sweepRequestRecords(pool);
    expect(await findFailedRequests(pool, [id])).toHaveLength(1);
    await pool.query(`update ops.failed_requests set at = at - interval '8 days'`);
    await pool.query(`update ops.request_events set stored_at = stored_at - interval '31 days'`);
    await sweepRequestRecords(pool);
    expect(await findFailedRequests(pool, [id])).toEqual([]);
    const { rows } = await pool.query('select status from ops.failed_requests where status < 500');
    expect(rows).toEqual([]);
    expect((await pool.query('select from ops.request_events')).rowCount).toBe(0);
  });

  test('covers every field of the documented responses', () => {
    shown.stop();
    // These have values only while work is open, which depends on the time of a request, or for an event that another
    // event has caused.
    const sometimesMissing = [
      'RequestEventView.causationId',
      'RequestEventView.pending.name',
      'RequestEventView.pending.isFailing',
      'RequestEventView.jobs.kind',
      'RequestEventView.jobs.enqueuedAt',
    ];
    expect(shown.missing().filter((property) => !sometimesMissing.includes(property))).toEqual([]);
  });
});
