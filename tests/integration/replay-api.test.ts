import {
  account,
  replay,
  toStreamId,
  type EventStore,
  type ParkedEventView,
  type ProjectionView,
  type RowDifferenceView,
} from '@alpenglow/domain';
import { registerAccount } from '@alpenglow/domain/deciders';
import { createDataKeys, createPostgresEventStore, loadSecrets, withPersonalData } from '@alpenglow/infra';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { after, type Person } from '../support/api.ts';
import { watchResponseProperties } from '../support/response-coverage.ts';
import { eventually } from '../support/eventually.ts';
import { createTestPool } from '../support/database.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const coverage = watchResponseProperties('replay-api.test.ts');
const product = testProduct();
const api = testApi(product);
let store: EventStore;
let pool: Pool;
let admin: Person;

beforeAll(async () => {
  pool = createTestPool(product.databaseUrl);
  const { dataKeys } = await loadSecrets(product.dataDir);
  store = withPersonalData(
    createPostgresEventStore({ pool, connectionString: product.databaseUrl }),
    createDataKeys(pool, dataKeys),
  );
  admin = await api.signUp('client', { email: 'admin@example.com' });
});
afterAll(async () => {
  await store.close();
  await pool.end();
  coverage.stop();
});

const POLLING = { interval_ms: 50 };
const callAsAdmin = (
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
) => api.call(method, `/api/admin/projections${path}`, { ...options, token: admin.token });
async function readProjection(name: string, headers: Record<string, string> = {}): Promise<ProjectionView | undefined> {
  const response = await callAsAdmin('GET', '', { headers });
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return (response.body['data'] as readonly ProjectionView[]).find((one) => one.name === name);
}
const waitForState = (state: string) =>
  eventually(async () => expect((await readProjection('accounts'))?.rebuild).toMatchObject({ state }), POLLING);

test('an admin rebuilds a projection, reads its differences, swaps it in and reverts the swap', async () => {
  await api.signUp('provider');
  expect(await callAsAdmin('POST', '/accounts/swap')).toMatchObject({
    status: 409,
    body: { code: 'REBUILD_NOT_POSSIBLE' },
  });
  expect(await callAsAdmin('POST', '/accounts/revert')).toMatchObject({
    status: 409,
    body: { code: 'NO_PREVIOUS_VERSION' },
  });
  expect(await callAsAdmin('GET', '/accounts/differences')).toMatchObject({ status: 409 });
  expect(await callAsAdmin('POST', '/nothing_such/rebuild')).toMatchObject({
    status: 404,
    body: { code: 'PROJECTION_NOT_FOUND' },
  });
  expect(await callAsAdmin('POST', '/reactor-replay/rebuild')).toMatchObject({ status: 404 });
  await eventually(
    async () =>
      expect((await pool.query('select from rm.accounts where account_id = $1', [admin.user.id])).rowCount).toBe(1),
    POLLING,
  );
  const {
    rows: [before],
  } = await pool.query<{ display_name: string }>('select display_name from rm.accounts where account_id = $1', [
    admin.user.id,
  ]);
  const nameBefore = before?.display_name ?? '';
  await pool.query(`update rm.accounts set display_name = 'Planted' where account_id = $1`, [admin.user.id]);

  const requested = await callAsAdmin('POST', '/accounts/rebuild');
  expect(requested).toMatchObject({ status: 202, body: { success: true } });
  expect(await readProjection('accounts', after(requested))).toMatchObject({
    rebuild: { id: (requested.body['data'] as { rebuildId: string }).rebuildId, requestedBy: admin.user.id },
  });
  expect(await callAsAdmin('POST', '/accounts/rebuild')).toMatchObject({
    status: 409,
    body: { code: 'REBUILD_UNDER_WAY' },
  });
  await waitForState('ready');
  // Workers append events as well, so the lag may not be 0 at once.
  await eventually(
    async () =>
      expect(await readProjection('accounts')).toMatchObject({
        lag: 0,
        hasLostEvents: false,
        parkedEvents: 0,
        waitingEvents: 0,
        previous: null,
        rowsAreEstimated: false,
        rebuild: { fraction: 1, differingRows: 1, error: null, wish: null },
      }),
    POLLING,
  );
  const differences = await callAsAdmin('GET', '/accounts/differences');
  expect(differences.headers.get('cache-control')).toBe('no-store');
  expect(differences.body).toMatchObject({ total: 1 });
  expect(differences.body['data'] as readonly RowDifferenceView[]).toEqual([
    {
      table: 'accounts',
      key: admin.user.id,
      kind: 'changed',
      columns: [{ column: 'display_name', live: 'Planted', rebuilt: nameBefore }],
    },
  ]);
  expect(
    (await pool.query(`select staff_id from audit.staff_reads where what = 'listRebuildDifferences'`)).rows,
  ).toEqual([{ staff_id: admin.user.id }]);
  // The table of rebuilds must not contain values of rows, such as the planted text.
  expect(JSON.stringify((await pool.query('select * from rm.rebuilds')).rows)).not.toContain('Planted');

  expect(await callAsAdmin('POST', '/accounts/swap')).toMatchObject({ status: 202 });
  await waitForState('swapped');
  expect(await readProjection('accounts')).toMatchObject({ previous: { isReverting: false } });
  expect(
    (await pool.query('select display_name from rm.accounts where account_id = $1', [admin.user.id])).rows,
  ).toEqual([{ display_name: nameBefore }]);
  expect(await callAsAdmin('POST', '/accounts/revert')).toMatchObject({ status: 202 });
  await eventually(
    async () =>
      expect(
        (await pool.query('select display_name from rm.accounts where account_id = $1', [admin.user.id])).rows,
      ).toEqual([{ display_name: 'Planted' }]),
    POLLING,
  );
  expect(await readProjection('accounts')).toMatchObject({
    rebuild: { state: 'reverted' },
    previous: { isReverting: false },
  });
  // A revert can be reverted as well.
  expect(await callAsAdmin('POST', '/accounts/revert')).toMatchObject({ status: 202 });
  await waitForState('swapped');
  expect(
    (await pool.query('select display_name from rm.accounts where account_id = $1', [admin.user.id])).rows,
  ).toEqual([{ display_name: nameBefore }]);

  expect(await callAsAdmin('POST', '/accounts/pause')).toMatchObject({ status: 409 });
  expect(await callAsAdmin('POST', '/accounts/resume')).toMatchObject({ status: 409 });
});

/**
 * Runs `work` while another connection holds a lock that stops a rebuild. The lock is released afterwards.
 */
async function withLock(lock: string, work: () => Promise<void>): Promise<void> {
  const lockHolder = await pool.connect();
  try {
    await lockHolder.query('begin');
    await lockHolder.query(lock);
    await work();
  } finally {
    await lockHolder.query('rollback');
    lockHolder.release();
  }
}

test('a long rebuild can be paused, resumed and cancelled, and shows a requested action until it is done', async () => {
  await withLock(`select pg_advisory_xact_lock(hashtext('alpenglow-rebuild'), hashtext('accounts'))`, async () => {
    expect(await readProjection('accounts', after(await callAsAdmin('POST', '/accounts/rebuild')))).toMatchObject({
      rebuild: { state: 'running', secondsLeft: null },
    });
    // Simulates the estimated remaining time of a long rebuild.
    await pool.query(`update rm.rebuilds set left_s = 90 where projection = 'accounts'`);
    expect(await readProjection('accounts')).toMatchObject({ rebuild: { state: 'running', secondsLeft: 90 } });
    expect(await callAsAdmin('POST', '/accounts/pause')).toMatchObject({ status: 202 });
    await waitForState('paused');
    expect(await callAsAdmin('POST', '/accounts/resume')).toMatchObject({ status: 202 });
    await waitForState('running');
  });
  await waitForState('ready');
  expect(await readProjection('accounts')).toMatchObject({ rebuild: { secondsLeft: null } });
  await withLock('lock table rm.accounts__rebuild in share mode', async () => {
    expect(await readProjection('accounts', after(await callAsAdmin('POST', '/accounts/cancel')))).toMatchObject({
      rebuild: { state: 'ready', wish: 'cancel' },
    });
  });
  await waitForState('cancelled');
  expect(await readProjection('accounts')).toMatchObject({ rebuild: { wish: null, error: null } });
});

test('a rebuild of another build is not swapped in, and shows the reason', async () => {
  expect(await callAsAdmin('POST', '/accounts/rebuild')).toMatchObject({ status: 202 });
  await waitForState('ready');
  // Simulates a rebuild that an earlier version of the product has started.
  await pool.query(`update rm.rebuilds set version = version - 1 where projection = 'accounts'`);
  expect(await callAsAdmin('POST', '/accounts/swap')).toMatchObject({ status: 202 });
  await waitForState('failed');
  expect(await readProjection('accounts')).toMatchObject({
    rebuild: { error: 'The projection has been changed and built anew meanwhile' },
  });
});

test('an admin reads a parked event without personal fields, retries it and skips it', async () => {
  // No account can have this age, so the projection cannot handle the event and parks it. This simulates an error in
  // the product.
  const id = 'account-of-a-fault';
  const [registered] = registerAccount(
    {
      accountId: id,
      email: 'anna.secret@example.com',
      passwordHash: null,
      userType: 'client',
      displayName: 'Anna Secret',
      age: 20,
      isDemo: false,
    },
    null,
    { now: new Date().toISOString(), newId: () => crypto.randomUUID() },
  );
  if (registered?.type !== 'AccountRegistered') throw new Error('No account was registered');
  const meta = {
    correlationId: 'c',
    causationId: null,
    actor: { kind: 'system', name: 'test' },
    at: new Date().toISOString(),
  } as const;
  const profile = { accountId: id, displayName: 'Anna Better', age: 3_000_000_000 };
  const events = [
    { ...registered, data: { ...registered.data, age: 3_000_000_000 } },
    { type: 'ProfileUpdated', data: profile },
  ];
  await store.append(
    toStreamId(account, id),
    events.map(({ type, data }) => ({ id: crypto.randomUUID(), type, version: 1, data, meta })),
    { expectedRevision: 'any' },
  );
  await eventually(
    async () => expect(await readProjection('accounts')).toMatchObject({ parkedEvents: 1, waitingEvents: 1 }),
    POLLING,
  );

  const listed = await callAsAdmin('GET', '/accounts/parked?limit=1');
  expect(listed.status).toBe(200);
  const [first] = listed.body['data'] as readonly ParkedEventView[];
  expect(first).toMatchObject({
    stream: toStreamId(account, id),
    type: 'AccountRegistered',
    event: { actor: 'test', revision: 0, data: { accountId: id, userType: 'client' } },
  });
  expect(first?.event?.sealed).toContain('email');
  expect(JSON.stringify(listed.body)).not.toContain('ecret');
  const next = await callAsAdmin('GET', `/accounts/parked?limit=1&cursor=${String(listed.body['nextCursor'])}`);
  expect(next.body).toMatchObject({ data: [{ type: 'ProfileUpdated', error: null }], nextCursor: null });

  const at = `/accounts/parked/${first?.position ?? ''}`;
  const retried = await callAsAdmin('POST', `${at}/retry`);
  expect(retried.status).toBe(202);
  expect(await readProjection('accounts', after(retried))).toMatchObject({ parkedEvents: 1, waitingEvents: 1 });
  expect(await callAsAdmin('POST', `${at}/skip`, { body: {} })).toMatchObject({ status: 400 });
  const skipped = await callAsAdmin('POST', `${at}/skip`, { body: { reason: 'Written by a fault.' } });
  expect(skipped.status).toBe(202);
  expect(await readProjection('accounts', after(skipped))).toMatchObject({ parkedEvents: 0, waitingEvents: 0 });
  expect(await callAsAdmin('POST', `${at}/retry`)).toMatchObject({
    status: 404,
    body: { code: 'PARKED_EVENT_NOT_FOUND' },
  });
  const history = await store.readStream(toStreamId(replay, 'accounts'));
  expect(history.at(-1)).toMatchObject({
    type: 'ParkedEventSkipped',
    data: { subjectId: id, reason: 'Written by a fault.' },
    meta: { actor: { kind: 'account', accountId: admin.user.id } },
  });
});

test('every documented property occurs in the responses of this file', () => {
  expect(coverage.missing()).toEqual([]);
});
