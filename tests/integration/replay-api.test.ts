import {
  account,
  registerAccount,
  replay,
  streamOf,
  type EventStore,
  type ParkedEventView,
  type ProjectionView,
  type RowDifferenceView,
} from '@alpenglow/domain';
import { createDataKeys, createPostgresEventStore, loadSecrets, withPersonalData } from '@alpenglow/infra';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, type Answer, type ApiClient, type Person } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { watchShown } from '../support/shown-elsewhere.ts';
import { eventually } from '../support/eventually.ts';

const shown = watchShown('replay-api.test.ts');
let product: TestProduct;
let api: ApiClient;
let store: EventStore;
let pool: Pool;
let admin: Person;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  pool = new Pool({ connectionString: product.databaseUrl });
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
  shown.stop();
  await product.stop();
});

const PATIENT = { interval_ms: 50 };
const after = ({ headers }: Answer) => ({ 'x-wait-position': headers.get('x-position') ?? '' });
const asAdmin = (method: string, path: string, options: { body?: unknown; headers?: Record<string, string> } = {}) =>
  api.call(method, `/api/admin/projections${path}`, { ...options, token: admin.token });
async function projection(name: string, headers: Record<string, string> = {}): Promise<ProjectionView | undefined> {
  const answer = await asAdmin('GET', '', { headers });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return (answer.body['data'] as readonly ProjectionView[]).find((one) => one.name === name);
}
const until = (state: string) =>
  eventually(async () => expect((await projection('accounts'))?.rebuild).toMatchObject({ state }), PATIENT);

test('an admin rebuilds a projection, looks at what differs, swaps it in and goes back', async () => {
  await api.signUp('provider');
  expect(await asAdmin('POST', '/accounts/swap')).toMatchObject({
    status: 409,
    body: { code: 'REBUILD_NOT_POSSIBLE' },
  });
  expect(await asAdmin('POST', '/accounts/revert')).toMatchObject({
    status: 409,
    body: { code: 'NO_PREVIOUS_VERSION' },
  });
  expect(await asAdmin('GET', '/accounts/differences')).toMatchObject({ status: 409 });
  expect(await asAdmin('POST', '/nothing_such/rebuild')).toMatchObject({
    status: 404,
    body: { code: 'PROJECTION_NOT_FOUND' },
  });
  expect(await asAdmin('POST', '/reactor-replay/rebuild')).toMatchObject({ status: 404 });
  await eventually(
    async () =>
      expect((await pool.query('select from rm.accounts where account_id = $1', [admin.user.id])).rowCount).toBe(1),
    PATIENT,
  );
  const {
    rows: [before],
  } = await pool.query<{ display_name: string }>('select display_name from rm.accounts where account_id = $1', [
    admin.user.id,
  ]);
  const nameBefore = before?.display_name ?? '';
  await pool.query(`update rm.accounts set display_name = 'Planted' where account_id = $1`, [admin.user.id]);

  const asked = await asAdmin('POST', '/accounts/rebuild');
  expect(asked).toMatchObject({ status: 202, body: { success: true } });
  expect(await projection('accounts', after(asked))).toMatchObject({
    rebuild: { id: (asked.body['data'] as { rebuildId: string }).rebuildId, requestedBy: admin.user.id },
  });
  expect(await asAdmin('POST', '/accounts/rebuild')).toMatchObject({
    status: 409,
    body: { code: 'REBUILD_UNDER_WAY' },
  });
  await until('ready');
  expect(await projection('accounts')).toMatchObject({
    lag: 0,
    parkedEvents: 0,
    waitingEvents: 0,
    previous: null,
    rowsAreEstimated: false,
    rebuild: { fraction: 1, differingRows: 1, error: null, wish: null },
  });
  const differences = await asAdmin('GET', '/accounts/differences');
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
  // Nothing of what rows hold is kept beside them.
  expect(JSON.stringify((await pool.query('select * from rm.rebuilds')).rows)).not.toContain('Planted');

  expect(await asAdmin('POST', '/accounts/swap')).toMatchObject({ status: 202 });
  await until('swapped');
  expect(await projection('accounts')).toMatchObject({ previous: { isReverting: false } });
  expect(
    (await pool.query('select display_name from rm.accounts where account_id = $1', [admin.user.id])).rows,
  ).toEqual([{ display_name: nameBefore }]);
  expect(await asAdmin('POST', '/accounts/revert')).toMatchObject({ status: 202 });
  await eventually(
    async () =>
      expect(
        (await pool.query('select display_name from rm.accounts where account_id = $1', [admin.user.id])).rows,
      ).toEqual([{ display_name: 'Planted' }]),
    PATIENT,
  );
  expect(await projection('accounts')).toMatchObject({
    rebuild: { state: 'reverted' },
    previous: { isReverting: false },
  });
  // And to and fro.
  expect(await asAdmin('POST', '/accounts/revert')).toMatchObject({ status: 202 });
  await until('swapped');
  expect(
    (await pool.query('select display_name from rm.accounts where account_id = $1', [admin.user.id])).rows,
  ).toEqual([{ display_name: nameBefore }]);

  expect(await asAdmin('POST', '/accounts/pause')).toMatchObject({ status: 409 });
  expect(await asAdmin('POST', '/accounts/resume')).toMatchObject({ status: 409 });
});

/** Does something on a connection whose locks keep a rebuild where it is; they are given back afterwards. */
async function whileHeld(lock: string, work: () => Promise<void>): Promise<void> {
  const holding = await pool.connect();
  try {
    await holding.query('begin');
    await holding.query(lock);
    await work();
  } finally {
    await holding.query('rollback');
    holding.release();
  }
}

test('a rebuild that takes its time pauses, goes on, and is cancelled; what was asked is seen until it is done', async () => {
  await whileHeld(`select pg_advisory_xact_lock(hashtext('alpenglow-rebuild'), hashtext('accounts'))`, async () => {
    expect(await projection('accounts', after(await asAdmin('POST', '/accounts/rebuild')))).toMatchObject({
      rebuild: { state: 'running', secondsLeft: null },
    });
    // As a long history would have it say.
    await pool.query(`update rm.rebuilds set left_s = 90 where projection = 'accounts'`);
    expect(await projection('accounts')).toMatchObject({ rebuild: { state: 'running', secondsLeft: 90 } });
    expect(await asAdmin('POST', '/accounts/pause')).toMatchObject({ status: 202 });
    await until('paused');
    expect(await asAdmin('POST', '/accounts/resume')).toMatchObject({ status: 202 });
    await until('running');
  });
  await until('ready');
  expect(await projection('accounts')).toMatchObject({ rebuild: { secondsLeft: null } });
  await whileHeld('lock table rm.accounts__rebuild in share mode', async () => {
    expect(await projection('accounts', after(await asAdmin('POST', '/accounts/cancel')))).toMatchObject({
      rebuild: { state: 'ready', wish: 'cancel' },
    });
  });
  await until('cancelled');
  expect(await projection('accounts')).toMatchObject({ rebuild: { wish: null, error: null } });
});

test('a rebuild of another build is not swapped in, and says why', async () => {
  expect(await asAdmin('POST', '/accounts/rebuild')).toMatchObject({ status: 202 });
  await until('ready');
  // As a build before this one would have left it.
  await pool.query(`update rm.rebuilds set version = version - 1 where projection = 'accounts'`);
  expect(await asAdmin('POST', '/accounts/swap')).toMatchObject({ status: 202 });
  await until('failed');
  expect(await projection('accounts')).toMatchObject({
    rebuild: { error: 'The projection has been changed and built anew meanwhile' },
  });
});

test('an admin looks at an event that was set aside, without what identifies a person, tries it again and leaves it out', async () => {
  // Written by a fault: no account can have this age.
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
  if (registered?.type !== 'AccountRegistered') throw new Error('Nobody was registered');
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
    streamOf(account, id),
    events.map(({ type, data }) => ({ id: crypto.randomUUID(), type, version: 1, data, meta })),
    { expectedRevision: 'any' },
  );
  await eventually(
    async () => expect(await projection('accounts')).toMatchObject({ parkedEvents: 1, waitingEvents: 1 }),
    PATIENT,
  );

  const listed = await asAdmin('GET', '/accounts/parked?limit=1');
  expect(listed.status).toBe(200);
  const [first] = listed.body['data'] as readonly ParkedEventView[];
  expect(first).toMatchObject({
    stream: streamOf(account, id),
    type: 'AccountRegistered',
    event: { actor: 'test', revision: 0, data: { accountId: id, userType: 'client' } },
  });
  expect(first?.event?.sealed).toContain('email');
  expect(JSON.stringify(listed.body)).not.toContain('ecret');
  const next = await asAdmin('GET', `/accounts/parked?limit=1&cursor=${String(listed.body['nextCursor'])}`);
  expect(next.body).toMatchObject({ data: [{ type: 'ProfileUpdated', error: null }], nextCursor: null });

  const at = `/accounts/parked/${first?.position ?? ''}`;
  const retried = await asAdmin('POST', `${at}/retry`);
  expect(retried.status).toBe(202);
  expect(await projection('accounts', after(retried))).toMatchObject({ parkedEvents: 1, waitingEvents: 1 });
  expect(await asAdmin('POST', `${at}/skip`, { body: {} })).toMatchObject({ status: 400 });
  const skipped = await asAdmin('POST', `${at}/skip`, { body: { reason: 'Written by a fault.' } });
  expect(skipped.status).toBe(202);
  expect(await projection('accounts', after(skipped))).toMatchObject({ parkedEvents: 0, waitingEvents: 0 });
  expect(await asAdmin('POST', `${at}/retry`)).toMatchObject({ status: 404, body: { code: 'PARKED_EVENT_NOT_FOUND' } });
  const history = await store.readStream(streamOf(replay, 'accounts'));
  expect(history.at(-1)).toMatchObject({
    type: 'ParkedEventSkipped',
    data: { subjectId: id, reason: 'Written by a fault.' },
    meta: { actor: { kind: 'account', accountId: admin.user.id } },
  });
});

test('every property of what is answered here has been seen', () => {
  expect(shown.missing()).toEqual([]);
});
