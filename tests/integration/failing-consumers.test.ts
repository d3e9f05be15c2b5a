import { EventStoreUnavailable, type EventStore, type StreamId } from '@alpenglow/domain';
import {
  createPool,
  createPostgresEventStore,
  describeFailure,
  findFailingConsumers,
  READ_MODELS,
  shardedVersion,
  storedNameOf,
  type Logger,
  type Pool,
} from '@alpenglow/infra';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { counterToPosition } from '../../infra/src/adapters/event-store-input.ts';
import { createFailureTracker } from '../../projectors/src/failure-tracker.ts';
import { watchEventStore } from '../../projectors/src/watch-event-store.ts';
import { createSyncStatus } from '../../query-api/src/sync.ts';
import type { ApiResponse, Person } from '../support/api.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { METRICS_TOKEN } from '../support/product.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

// Tests that a consumer of events that fails is visible, and that the product stays ready (decision 0114).

interface Failing {
  readonly name: string;
  readonly state: string;
  readonly cause: string | null;
  readonly since: string | null;
}
interface Status {
  readonly projections: readonly Failing[];
  readonly consumers: readonly Failing[];
}
const statusOf = ({ body }: ApiResponse) => body['data'] as Status;

/** Moves the failures into the past, so that the test need not wait for a minute. */
const age = (pool: Pool, interval: string) =>
  pool.query(`update ops.consumer_failures set since = since - interval '${interval}'`);

describe('a product whose consumers fail', () => {
  const product = testProduct();
  let pool: Pool;
  const api = testApi(product);
  let admin: Person;
  const getStatus = async (token?: string) =>
    statusOf(await api.call('GET', '/api/sync/status', token === undefined ? {} : { token }));
  const getReadiness = async () => {
    const response = await fetch(`${product.url}/readyz`);
    return { status: response.status, body: (await response.json()) as { readonly failing?: readonly string[] } };
  };

  beforeAll(async () => {
    pool = createPool({ connectionString: product.databaseUrl, max: 4, applicationName: 'test' });
    admin = await api.signUp('client', { email: 'admin@example.com' });
  });
  afterAll(async () => {
    await pool.end();
  });

  test('shows nothing before there is a failure', async () => {
    const { projections, consumers } = await getStatus(admin.token);
    expect(consumers).toEqual([]);
    for (const projection of projections) expect(projection).toMatchObject({ cause: null, since: null });
    expect(await getReadiness()).toEqual({ status: 200, body: { status: 'ready' } });
  });

  test('shows them in the sync status, in the readiness and in a metric after a minute', async () => {
    // An event of a newer build stops reactors and the audit chain, and the missing column stops a projection.
    const store = createPostgresEventStore({ pool, connectionString: product.databaseUrl });
    await store.append('listing-newer' as StreamId, [anEvent({ type: 'WrittenByANewerBuild' })], {
      expectedRevision: 'any',
    });
    await store.close();
    await pool.query('alter table rm.daily_counts rename column sign_ups to renamed');
    await api.signUp('client');
    const stopped = ['audit-chain', 'reactor-account-mails', 'daily_counts'];
    await eventually(async () => {
      const { rows } = await pool.query<{ name: string }>('select name from ops.consumer_failures where failures > 1');
      const names = rows.map(({ name }) => name.replace(/@.*$/u, ''));
      expect(names).toEqual(expect.arrayContaining(stopped));
    });
    // The failures begin now, however long the test has waited for them.
    await pool.query('update ops.consumer_failures set since = now()');
    expect((await getStatus(admin.token)).consumers).toEqual([]);

    await age(pool, '2 minutes');
    const { projections, consumers } = await getStatus(admin.token);
    expect(consumers.find(({ name }) => name === 'audit-chain')).toEqual({
      name: 'audit-chain',
      state: 'failing',
      cause: expect.stringContaining('NewerEventVersionError') as string,
      since: expect.stringMatching(/^\d{4}-/u) as string,
    });
    expect(consumers.map(({ name }) => name)).toContain('reactor-account-mails');
    expect(projections.filter(({ state }) => state === 'failing')).toEqual([
      expect.objectContaining({ name: 'daily_counts', cause: expect.stringContaining('sign_ups') as string }),
    ]);

    // Visitors see the state, and not the cause.
    const forVisitors = await getStatus();
    expect(forVisitors.projections.find(({ name }) => name === 'daily_counts')).toMatchObject({
      state: 'failing',
      cause: null,
    });
    expect(forVisitors.consumers.every(({ cause }) => cause === null)).toBe(true);

    const { status, body } = await getReadiness();
    expect(status).toBe(200);
    expect(body.failing).toEqual(expect.arrayContaining(stopped));
    expect(body.failing).not.toContain('ad_cards');
    const metrics = await fetch(`${product.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    const text = await metrics.text();
    for (const name of stopped)
      expect(
        Number(new RegExp(`^consumer_failing_seconds\\{name="${name}"\\} (.+)$`, 'mu').exec(text)?.[1]),
      ).toBeGreaterThan(60);
  });
});

describe('the tracker of failures', () => {
  let database: TestDatabase;
  let pool: Pool;
  let lines: { readonly level: string; readonly failures: unknown }[];
  const log = {
    warn: (details: { failures: number }) => void lines.push({ level: 'warn', failures: details.failures }),
    error: (details: { failures: number }) => void lines.push({ level: 'error', failures: details.failures }),
    debug: () => undefined,
  } as unknown as Logger;
  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = createPool({ connectionString: database.connectionString, max: 4, applicationName: 'test' });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    lines = [];
    await pool.query('delete from ops.consumer_failures');
  });
  const countOf = async (name: string) =>
    Number(
      (await pool.query<{ failures: string }>('select failures from ops.consumer_failures where name = $1', [name]))
        .rows[0]?.failures ?? 0,
    );

  test('logs many failures in one line, and stores all of them', async () => {
    const tracker = createFailureTracker({ pool, log });
    for (let failure = 0; failure < 10; failure += 1) tracker.recordFailure('audit-chain', new Error('no event'));
    await eventually(async () => expect(await countOf('audit-chain')).toBe(10));
    expect(lines).toEqual([{ level: 'warn', failures: 1 }]);
    await tracker.stop();
  });

  test('adds the failures of all processes, because a duty moves after each failure', async () => {
    const trackers = [createFailureTracker({ pool, log }), createFailureTracker({ pool, log })];
    for (const tracker of trackers) tracker.recordFailure('reactor-media-jobs', new Error('no queue'));
    await eventually(async () => expect(await countOf('reactor-media-jobs')).toBe(2));
    await age(pool, '2 minutes');
    expect(await findFailingConsumers(pool)).toMatchObject([
      { name: 'reactor-media-jobs', isReadModel: false, cause: 'no queue' },
    ]);
    expect(await countOf('reactor-media-jobs')).toBe(2);
    await Promise.all(trackers.map((tracker) => tracker.stop()));
  });

  test('deletes the failures of a duty that runs again, and of no other one', async () => {
    const tracker = createFailureTracker({ pool, log, recoveredAfter_ms: 20, checkEvery_ms: 5 });
    const names = ['audit-chain', 'reactor-media-jobs'];
    for (const name of names) tracker.recordFailure(name, new Error('broken'));
    for (const name of names) await eventually(async () => expect(await countOf(name)).toBe(1));
    tracker.recordStart('audit-chain');
    await eventually(async () => expect(await countOf('audit-chain')).toBe(0));
    expect(await countOf('reactor-media-jobs')).toBe(1);
    await tracker.stop();
  });

  test('does not delete them during a rebuild, or after the duty has moved to another process', async () => {
    const tracker = createFailureTracker({ pool, log, recoveredAfter_ms: 20, checkEvery_ms: 5 });
    const names = ['audit-chain', 'ad_cards@1', 'reactor-media-jobs'];
    for (const name of names) tracker.recordFailure(name, new Error('broken'));
    for (const name of names) await eventually(async () => expect(await countOf(name)).toBe(1));
    for (const name of names) tracker.recordStart(name);
    tracker.recordBusy('ad_cards@1', true);
    tracker.recordEnd('reactor-media-jobs');
    await eventually(async () => expect(await countOf('audit-chain')).toBe(0));
    expect(await countOf('ad_cards@1')).toBe(1);
    expect(await countOf('reactor-media-jobs')).toBe(1);
    tracker.recordBusy('ad_cards@1', false);
    await eventually(async () => expect(await countOf('ad_cards@1')).toBe(0));
    expect(await countOf('reactor-media-jobs')).toBe(1);
    await tracker.stop();
  });

  test('forgets failures of long ago, so that a later one is a new one', async () => {
    const tracker = createFailureTracker({ pool, log });
    tracker.recordFailure('audit-chain', new Error('broken'));
    await eventually(async () => expect(await countOf('audit-chain')).toBe(1));
    await age(pool, '2 minutes');
    await pool.query(
      `update ops.consumer_failures
          set last_at = last_at - interval '6 minutes', since = since - interval '6 minutes'`,
    );
    expect(await findFailingConsumers(pool)).toEqual([]);
    tracker.recordFailure('audit-chain', new Error('broken'));
    await eventually(async () => {
      const { rows } = await pool.query<{ isNew: boolean }>(
        `select since > now() - interval '1 minute' and failures = 1 as "isNew" from ops.consumer_failures`,
      );
      expect(rows).toEqual([{ isNew: true }]);
    });
    await tracker.stop();
  });

  test('lists a read model once for all its shards, and no version of another build', async () => {
    const own = READ_MODELS.find(({ name }) => name === 'ad_cards')?.version ?? 0;
    await pool.query(
      `insert into ops.consumer_failures (name, since, cause) values
         ($1 || '#1', now() - interval '3 minutes', 'first'),
         ($1 || '#2', now() - interval '2 minutes', 'later'),
         ('ad_details@999', now() - interval '3 minutes', 'other build'),
         ('unknown@1', now() - interval '3 minutes', 'other')`,
      [`ad_cards@${shardedVersion(own, 4)}`],
    );
    expect(await findFailingConsumers(pool)).toMatchObject([{ name: 'ad_cards', isReadModel: true, cause: 'first' }]);
  });

  test('hides personal data and secrets in the cause', () => {
    expect(describeFailure(null)).toBe('null');
    const cause = Object.assign(new Error('invalid input: "anna@example.com", code=123456'), { code: '22P02' });
    expect(describeFailure(cause)).toBe('invalid input: [hidden], [hidden]');
    expect(
      describeFailure(new EventStoreUnavailable('away', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') })),
    ).toBe('EventStoreUnavailable: connect ECONNREFUSED 127.0.0.1:1');
  });
});

test('an outage of the event store is shown in the sync status, with the stored positions', async () => {
  const database = await createMigratedDatabase();
  const pool = createPool({ connectionString: database.connectionString, max: 2, applicationName: 'test' });
  try {
    const [model] = READ_MODELS;
    const position = counterToPosition(7);
    await pool.query('insert into rm.checkpoints (name, version, position) values ($1, 1, $2)', [
      storedNameOf(pool, model?.name ?? ''),
      position,
    ]);
    await pool.query(
      `insert into ops.consumer_failures (name, since, cause)
       values ('event-store', now() - interval '2 minutes', 'away')`,
    );
    const away = () => Promise.reject(new EventStoreUnavailable('away'));
    const read = createSyncStatus({ pool, store: { readHead: away, readAll: away } as unknown as EventStore });
    expect((await read()).data).toEqual({
      head: null,
      projections: [{ name: model?.name, position, lag: 0, state: 'catching up', cause: null, since: null }],
      consumers: [expect.objectContaining({ name: 'event-store', state: 'failing', cause: 'away' })],
    });
  } finally {
    await pool.end();
    await database.drop();
  }
});

test('an outage of the event store ends the duty that checks it', async () => {
  const store = { readHead: () => Promise.reject(new EventStoreUnavailable('away')) };
  await expect(watchEventStore(store, new AbortController().signal)).rejects.toThrow(EventStoreUnavailable);
  await watchEventStore(store, AbortSignal.abort());
});
